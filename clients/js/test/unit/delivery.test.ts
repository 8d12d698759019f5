import assert from "node:assert/strict";
import { test } from "node:test";
import { Bench, collecting } from "../support/sockets.js";

test("messages arrive once and in order", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const seen: string[] = [];
  bench.client.subscribe("/a", collecting(seen));
  socket.confirm(7, 41);
  for (const seq of [42, 43, 43, 42, 44]) socket.message("/a", seq);
  assert.deepEqual(seen, ["42", "43", "44"]);
});

test("a missing predecessor is a gap in place", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const seen: string[] = [];
  bench.client.subscribe("/a", collecting(seen));
  socket.confirm(7, 41);
  socket.message("/a", 42);
  socket.message("/a", 45);
  socket.message("/a", 50, { prev: 45 });
  assert.deepEqual(seen, ["42", "/a 7:42>7:44 not-recovered", "45", "50"]);
  assert.equal(bench.last("gap")?.gap.to, "7:44");
});

test("after a disconnect a subject resumes after its last position", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const seen: string[] = [];
  bench.client.subscribe("/a", collecting(seen));
  socket.confirm(7, 41);
  socket.message("/a", 42);
  await socket.end();
  const next = await bench.reopened();
  await next.accept();
  assert.deepEqual(
    next.sent.filter(({ op }) => op === "subscribe"),
    [{ op: "subscribe", id: 4, subjects: ["/a"], from: "7:42" }],
  );
  next.confirm(7, 44, "complete");
  next.message("/a", 43, { type: "recovered" });
  next.message("/a", 44, { type: "recovered" });
  next.message("/a", 45);
  assert.deepEqual(seen, ["42", "43", "44", "45"]);
});

test("messages before the confirmation belong to an earlier subscription", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const seen: string[] = [];
  bench.client.subscribe("/a", collecting(seen)).unsubscribe();
  bench.client.subscribe("/a", collecting(seen));
  const [first, second] = socket.take("subscribe");
  socket.event({ op: "subscribed", id: first?.id, subject: "/a", epoch: 7, seq: 1, recovery: "none" });
  socket.message("/a", 2);
  assert.deepEqual(seen, []);
  socket.event({ op: "subscribed", id: second?.id, subject: "/a", epoch: 7, seq: 2, recovery: "none" });
  socket.message("/a", 3);
  assert.deepEqual(seen, ["3"]);
});

test("a pattern recovers the subjects that it knows, and announces that others are unknown", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const seen: string[] = [];
  bench.client.subscribe("/p/*", collecting(seen));
  socket.confirm(7, 0);
  socket.message("/p/a", 10);
  await socket.end();
  const next = await bench.reopened();
  await next.accept();
  const [bridge, pattern] = next.take("subscribe");
  assert.deepEqual(
    [bridge?.subjects, bridge?.from, pattern?.subjects, pattern?.from],
    [["/p/a"], "7:10", ["/p/*"], undefined],
  );
  next.event({ op: "subscribed", id: bridge?.id, subject: "/p/a", epoch: 7, seq: 12, recovery: "complete" });
  next.message("/p/a", 11, { type: "recovered" });
  next.event({ op: "subscribed", id: pattern?.id, subject: "/p/*", recovery: "none" });
  assert.deepEqual(next.take("unsubscribe"), []);
  next.message("/p/a", 12, { type: "recovered" });
  assert.deepEqual(
    next.take("unsubscribe").map(({ subjects }) => subjects),
    [["/p/a"]],
  );
  next.message("/p/a", 13);
  assert.deepEqual(seen, ["10", "11", "/p/* undefined>undefined not-recovered", "12", "13"]);
});

test("a pattern's subject that cannot be recovered is announced at once", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const seen: string[] = [];
  bench.client.subscribe("/p/*", collecting(seen));
  socket.confirm(7, 0);
  socket.message("/p/a", 10);
  await socket.end();
  const next = await bench.reopened();
  await next.accept();
  const [bridge] = next.take("subscribe");
  next.event({ op: "error", id: bridge?.id, subject: "/p/a", code: "too-many-subjects", reason: "" });
  assert.deepEqual(seen, ["10", "/p/a 7:10>undefined not-recovered"]);
});

test("a gap of the server is delivered in place and ends the proof before it", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const seen: string[] = [];
  bench.client.subscribe("/a", { ...collecting(seen), from: "7:5" });
  socket.confirm(7, 20, "gap");
  socket.event({ op: "gap", subject: "/a", from: "7:5", to: "7:18", reason: "history-gone" });
  socket.message("/a", 19, { type: "recovered" });
  assert.deepEqual(seen, ["/a 7:5>7:18 history-gone", "19"]);
});

test("a conflating subscription skips live messages without a gap", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const seen: string[] = [];
  bench.client.subscribe("/a", { ...collecting(seen), conflate: 100 });
  assert.equal(socket.sent.at(-1)?.op === "subscribe" && (socket.sent.at(-1) as { conflate?: number }).conflate, 100);
  socket.confirm(7, 1);
  socket.message("/a", 2);
  socket.message("/a", 9);
  assert.deepEqual(seen, ["2", "9"]);
});

test("subscriptions without options share commands of at most 256 subjects", async () => {
  const bench = new Bench();
  for (let i = 0; i < 600; i++) bench.client.subscribe(`/s/${i}`, { onMessage: () => {} });
  const socket = await bench.connected();
  assert.deepEqual(
    socket.take("subscribe").map(({ subjects }) => subjects.length),
    [256, 256, 88],
  );
});

test("a listener that throws is reported and has no other effect", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const seen: string[] = [];
  bench.client.subscribe("/a", {
    onMessage: (message) => {
      seen.push(message.data);
      throw new Error(`refuses ${message.data}`);
    },
  });
  socket.confirm(7, 1);
  socket.message("/a", 2);
  socket.message("/a", 3);
  assert.deepEqual(seen, ["2", "3"]);
  assert.deepEqual(bench.types().filter((type) => type === "listener-failed").length, 2);
});

test("a listener of statuses that throws has no effect", async () => {
  const bench = new Bench({
    onStatus: () => {
      throw new Error("refuses");
    },
  });
  const socket = await bench.connected();
  const seen: string[] = [];
  bench.client.subscribe("/a", collecting(seen));
  socket.confirm(7, 1);
  socket.message("/a", 2);
  assert.deepEqual(seen, ["2"]);
});

test("a refused subscription fails ready and its iterator", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const subscription = bench.client.subscribe("/a");
  const id = socket.take("subscribe")[0]?.id;
  socket.event({ op: "error", id, code: "subscribe-denied", reason: "not yours", subject: "/a" });
  await assert.rejects(subscription.ready(), { code: "subscribe-denied", kind: "refused" });
  await assert.rejects(subscription[Symbol.asyncIterator]().next(), { code: "subscribe-denied" });
  assert.equal(bench.last("subscribe-refused")?.subject, "/a");
  bench.client.subscribe("/a");
});

test("a new token that does not allow a subscription ends it", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  bench.client.subscribe("/a", { onMessage: () => {} });
  socket.confirm(7, 1);
  socket.event({ op: "unsubscribed", subject: "/a", reason: "subscribe-denied" });
  assert.equal(bench.last("subscribe-refused")?.error.code, "subscribe-denied");
});

test("a command refused for a rate is repeated", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  bench.client.subscribe("/a", { onMessage: () => {} });
  const id = socket.take("subscribe")[0]?.id;
  socket.event({ op: "error", id, code: "command-rate", reason: "", subject: "/a", after: 120 });
  await bench.clock.pass(999);
  assert.deepEqual(socket.take("subscribe"), []);
  await bench.clock.pass(2);
  assert.equal(socket.take("subscribe").length, 1);
});

test("the same subject cannot be subscribed twice, and bad subjects are refused at once", () => {
  const { client } = new Bench();
  client.subscribe("/a");
  assert.throws(() => client.subscribe("/a"), { code: "already-subscribed" });
  for (const bad of ["a", "/", "/a/", "/a//b", "/a/$b", "/a*", "/**/a", `/${"x".repeat(255)}`]) {
    assert.throws(() => client.subscribe(bad), { code: "bad-subject" }, bad);
  }
  assert.throws(() => client.subscribe("/p/*", { from: "7:1" }), { code: "wildcard-not-allowed" });
  assert.throws(() => client.subscribe("/b", { from: "7" }), { code: "bad-position" });
});

test("the payload is decoded by the subscription's decode", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const seen: number[] = [];
  bench.client.subscribe<number>("/a", {
    decode: (bytes) => bytes.length,
    onMessage: ({ data }) => seen.push(data),
  });
  socket.confirm(7, 1);
  socket.message("/a", 2, { data: "four" });
  assert.deepEqual(seen, [4]);
});
