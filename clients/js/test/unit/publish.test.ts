import assert from "node:assert/strict";
import { test } from "node:test";
import { settle } from "../support/clock.js";
import { Bench } from "../support/sockets.js";

test("a publish resolves with the position", async () => {
  const bench = new Bench();
  const publish = bench.client.publish("/a", { qty: 2 }, { retain: true, msgId: "order-1" });
  const socket = await bench.connected();
  const [command] = socket.take("publish");
  assert.deepEqual(command, { op: "publish", id: 1, subject: "/a", retain: true, msgId: "order-1", data: '{"qty":2}' });
  socket.event({ op: "published", id: 1, epoch: 7, seq: 42 });
  assert.equal(await publish, "7:42");
});

test("headers are published, and invalid ones are refused at once", async () => {
  const bench = new Bench();
  const publish = bench.client.publish("/a", "x", { msgId: "m", headers: { type: "order", größe: "" } });
  const socket = await bench.connected();
  const [command] = socket.take("publish");
  assert.deepEqual(command?.headers, { type: "order", größe: "" });
  socket.event({ op: "published", id: 1, epoch: 7, seq: 42 });
  await publish;
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`h${i}`, ""]));
  for (const headers of [{ "": "x" }, { $user: "x" }, { ["é".repeat(33)]: "x" }, { a: "v".repeat(65_536) }, many]) {
    assert.throws(() => bench.client.publish("/a", "x", { headers }), { code: "bad-headers" });
  }
});

test("unanswered publishes are repeated in order with the same msgId", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const all = [1, 2, 3].map((n) => bench.client.publish("/a", `${n}`));
  const ids = socket.take("publish").map(({ msgId }) => msgId);
  assert.equal(new Set(ids).size, 3);
  socket.event({ op: "published", id: 2, epoch: 7, seq: 1 });
  await socket.end();
  const next = await bench.reopened();
  await next.accept();
  const repeated = next.take("publish");
  assert.deepEqual(
    repeated.map(({ msgId }) => msgId),
    ids.slice(1),
  );
  for (const [i, { id }] of repeated.entries()) next.event({ op: "published", id, epoch: 7, seq: 2 + i });
  assert.deepEqual(await Promise.all(all), ["7:1", "7:2", "7:3"]);
});

test("a publish that must not be repeated fails as unknown", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const publish = bench.client.publish("/a", "x", { once: true });
  assert.equal(socket.take("publish")[0]?.msgId, undefined);
  await socket.end();
  await assert.rejects(publish, { kind: "unknown" });
});

test("a refused publish fails with the code and the time", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const publish = bench.client.publish("/a", "x");
  const id = socket.take("publish")[0]?.id;
  socket.event({ op: "error", id, code: "publish-rate", reason: "slower", after: 120 });
  await assert.rejects(publish, { kind: "refused", code: "publish-rate", retryAfter: 120 });
});

test("a publish whose outcome the cluster does not know is repeated on the same connection", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const publish = bench.client.publish("/a", "x");
  const [{ id, msgId } = {}] = socket.take("publish");
  socket.event({ op: "error", id, code: "publish-unknown", reason: "" });
  await bench.clock.pass(500);
  assert.equal(socket.take("publish")[0]?.msgId, msgId);
  socket.event({ op: "published", id, epoch: 7, seq: 9 });
  assert.equal(await publish, "7:9");
});

test("a publish without an answer times out, not sooner because the device slept", async () => {
  const bench = new Bench({ publishTimeout: 5000 });
  const socket = await bench.connected();
  const publish = bench.client.publish("/a", "x");
  let failed = false;
  publish.catch(() => {
    failed = true;
  });
  await bench.clock.sleep(3600_000);
  socket.event({ op: "pong" });
  await bench.clock.pass(1000);
  assert.equal(failed, false);
  await bench.clock.pass(6000);
  await assert.rejects(publish, { kind: "timed-out" });
});

test("the bounds of unanswered publishes hold", async () => {
  const bench = new Bench({ pending: { count: 2, bytes: 100 } });
  const ignore = (publish: Promise<string>) => publish.catch(() => {});
  ignore(bench.client.publish("/a", "x"));
  await assert.rejects(bench.client.publish("/a", "x".repeat(100)), { kind: "too-many-pending" });
  assert.equal(bench.client.writable, true);
  ignore(bench.client.publish("/a", "x"));
  assert.equal(bench.client.writable, false);
  await assert.rejects(bench.client.publish("/a", "x"), { kind: "too-many-pending" });
  await bench.client.close();
});

test("a message larger than the server's limit is not sent", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  await assert.rejects(bench.client.publish("/a", new Uint8Array(65_537)), { code: "message-too-large" });
  assert.deepEqual(socket.take("publish"), []);
});

test("publishes wait while the socket is full", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  socket.bufferedAmount = 2 << 20;
  void bench.client.publish("/a", "x");
  assert.deepEqual(socket.take("publish"), []);
  socket.bufferedAmount = 0;
  await bench.clock.pass(20);
  assert.equal(socket.take("publish").length, 1);
});

test("a publish ends when its signal aborts", async () => {
  const bench = new Bench();
  const abort = new AbortController();
  const publish = bench.client.publish("/a", "x", { signal: abort.signal });
  abort.abort(new Error("changed my mind"));
  await assert.rejects(publish, /changed my mind/);
  const socket = await bench.connected();
  await settle();
  assert.deepEqual(socket.take("publish"), []);
});

test("invalid publishes are refused at once", () => {
  const { client } = new Bench();
  assert.throws(() => client.publish("/a/*", "x"), { code: "wildcard-not-allowed" });
  assert.throws(() => client.publish("/a", "x", { msgId: "" }), { code: "bad-request" });
  assert.throws(() => client.publish("/a", "x", { msgId: "ü".repeat(33) }), { code: "bad-request" });
});
