import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { keepSession } from "../../src/keep/index.js";
import { json } from "../../src/payload.js";
import { inboxOf, reply, request } from "../../src/requests/index.js";
import { sha256 } from "../../src/requests/sha256.js";
import type { Headers, Message } from "../../src/types.js";
import { webSocket } from "../../src/websocket.js";
import { settle } from "../support/clock.js";
import { Bench, type FakeSocket } from "../support/sockets.js";

/** Returns the id that relates a reply to a published request. */
const idOf = (command: { headers?: Headers | undefined } | undefined) => command?.headers?.correlationId;

/** Takes the subscription to the inbox, and confirms it. */
async function confirmInbox(socket: FakeSocket) {
  const [subscribe] = socket.take("subscribe");
  const [, inbox = "", key = ""] = /^(.*)\/(.*)$/.exec(`${subscribe?.subjects}`) ?? [];
  socket.event({ op: "subscribed", id: subscribe?.id, subject: inbox, epoch: 7, seq: 0, recovery: "none" });
  await settle();
  return { inbox, key };
}

async function answer(socket: FakeSocket, subject: string, seq: number, data: string, correlationId: unknown) {
  const headers = { correlationId };
  socket.event({ op: "message", subject, data, epoch: 7, seq, time: 0, headers });
  await settle();
}

test("SHA-256 is that of other programs", () => {
  for (let length = 0; length <= 55; length++) {
    const text = "k".repeat(length);
    assert.deepEqual(Buffer.from(sha256(text)), createHash("sha256").update(text).digest());
  }
  assert.throws(() => sha256("k".repeat(56)));
});

test("a request is published when the inbox exists, and resolves with its reply", async () => {
  const bench = new Bench();
  const asked = request<{ sum: number }>(bench.client, "/sum", [1, 2], { decode: json, timeout: 5000 });
  const socket = await bench.connected();
  assert.deepEqual(socket.take("publish"), []);
  const { inbox, key } = await confirmInbox(socket);
  assert.equal(inbox, inboxOf(key));
  const [command] = socket.take("publish");
  assert.equal(command?.subject, "/sum");
  assert.equal(command?.ttl, 5000);
  assert.equal(command?.headers?.replyTo, inbox);
  await answer(socket, inbox, 1, '{"sum":0}', "of another request");
  await answer(socket, inbox, 2, '{"sum":3}', idOf(command));
  assert.equal((await asked).data.sum, 3);
});

test("requests share one inbox, and replies may arrive in another order", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const first = request(bench.client, "/a", "1");
  const second = request(bench.client, "/a", "2");
  await settle();
  const { inbox } = await confirmInbox(socket);
  const ids = socket.take("publish").map(idOf);
  await answer(socket, inbox, 1, "two", ids[1]);
  await answer(socket, inbox, 2, "one", ids[0]);
  assert.deepEqual([(await first).data, (await second).data], ["one", "two"]);
  const third = request(bench.client, "/a", "3");
  await settle();
  assert.deepEqual(socket.take("subscribe"), []);
  const [command] = socket.take("publish");
  await answer(socket, inbox, 3, "three", idOf(command));
  assert.equal((await third).data, "three");
});

test("a request without a reply fails with no-reply", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const asked = request(bench.client, "/a", "1", { timeout: 1000 });
  const failed = assert.rejects(asked, { kind: "timed-out", code: "no-reply" });
  await settle();
  await confirmInbox(socket);
  await bench.clock.pass(1000);
  await failed;
});

test("a request that is not published fails with the reason", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const asked = request(bench.client, "/a", "1");
  const failed = assert.rejects(asked, { kind: "refused", code: "publish-denied" });
  await settle();
  await confirmInbox(socket);
  const [command] = socket.take("publish");
  socket.event({ op: "error", id: command?.id, code: "publish-denied", reason: "no", subject: "/a" });
  await failed;
});

test("the next connection resumes the inbox with its key", async () => {
  for (const transports of [[webSocket], [keepSession(webSocket)]]) {
    const bench = new Bench({ transports });
    const socket = await bench.connected();
    const asked = request(bench.client, "/a", "1");
    await settle();
    const { inbox, key } = await confirmInbox(socket);
    const [command] = socket.take("publish");
    socket.event({ op: "published", id: command?.id, epoch: 7, seq: 1 });
    await socket.end();
    const next = await bench.reopened();
    await next.accept();
    const [subscribe] = next.take("subscribe");
    assert.equal(subscribe?.subjects[0], `${inbox}/${key}`);
    assert.equal(subscribe?.from, "7:0");
    next.event({ op: "subscribed", id: subscribe?.id, subject: inbox, epoch: 7, seq: 1, recovery: "complete" });
    await answer(next, inbox, 1, "late", idOf(command));
    assert.equal((await asked).data, "late");
  }
});

test("a refused inbox fails the requests, and the next one begins again", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  for (let i = 0; i < 2; i++) {
    const failed = assert.rejects(request(bench.client, "/a", "1"), { code: "subscribe-denied" });
    await settle();
    const [subscribe] = socket.take("subscribe");
    const subject = `${subscribe?.subjects}`.replace(/\/[^/]+$/, "");
    socket.event({ op: "error", id: subscribe?.id, code: "subscribe-denied", reason: "no", subject });
    await failed;
  }
});

test("closing the client or aborting ends the wait", async () => {
  const bench = new Bench();
  const abort = new AbortController();
  const aborted = assert.rejects(request(bench.client, "/a", "1", { signal: abort.signal }), { name: "AbortError" });
  const closed = assert.rejects(request(bench.client, "/a", "1"), { kind: "closed" });
  const socket = await bench.connected();
  await confirmInbox(socket);
  abort.abort();
  await aborted;
  await bench.client.close();
  await closed;
  await assert.rejects(request(bench.client, "/a", "1"), { kind: "closed" });
});

test("a reply goes to the inbox of its request only", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const replyTo = inboxOf("0123456789012345678901");
  const message = { headers: { replyTo, correlationId: "7" } } as unknown as Message<string>;
  const published = reply(bench.client, message, "pong", { headers: { type: "x" } });
  await settle();
  const [command] = socket.take("publish");
  assert.equal(command?.subject, replyTo);
  assert.deepEqual(command?.headers, { type: "x", correlationId: "7" });
  socket.event({ op: "published", id: command?.id, epoch: 7, seq: 1 });
  assert.equal(await published, "7:1");
  for (const to of ["/admin", "", `${replyTo}/x`]) {
    const asks = { headers: { replyTo: to } } as unknown as Message<string>;
    assert.throws(() => reply(bench.client, asks, "x"), { code: "bad-request" });
  }
});
