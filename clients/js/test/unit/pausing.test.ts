import assert from "node:assert/strict";
import { test } from "node:test";
import { settle } from "../support/clock.js";
import { Bench, collecting } from "../support/sockets.js";

const ended = (subject: string, id: number | undefined) => ({ op: "unsubscribed", id, subject });

test("a paused subscription is unsubscribed and resumes after its position", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const seen: string[] = [];
  const subscription = bench.client.subscribe("/a", collecting(seen));
  socket.confirm(7, 1);
  socket.message("/a", 2);
  subscription.pause();
  socket.message("/a", 3);
  assert.equal(subscription.position, "7:2");
  const id = socket.take("unsubscribe")[0]?.id;
  socket.event(ended("/a", id));
  subscription.resume();
  assert.equal(socket.fresh.at(-1)?.op === "subscribe" && (socket.fresh.at(-1) as { from?: string }).from, "7:2");
  socket.confirm(7, 4, "complete");
  for (const seq of [3, 4]) socket.message("/a", seq, { type: "recovered" });
  assert.deepEqual(seen, ["2", "3", "4"]);
});

test("a resume waits for the end of the subscription before", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const seen: string[] = [];
  const subscription = bench.client.subscribe("/p/*", collecting(seen));
  socket.confirm(7, 0);
  socket.message("/p/a", 2);
  subscription.pause();
  subscription.resume();
  assert.deepEqual(socket.take("subscribe"), []);
  socket.message("/p/a", 3);
  assert.deepEqual(seen, ["2"]);
  socket.event(ended("/p/*", socket.take("unsubscribe")[0]?.id));
  assert.deepEqual(
    socket.take("subscribe").map(({ subjects, from }) => [subjects[0], from]),
    [
      ["/p/a", "7:2"],
      ["/p/*", undefined],
    ],
  );
});

test("a paused subscription is not requested by a new connection", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const subscription = bench.client.subscribe("/a", { onMessage: () => {} });
  socket.confirm(7, 1);
  subscription.pause();
  await socket.end();
  const next = await bench.reopened();
  await next.accept();
  assert.deepEqual(next.take("subscribe"), []);
  subscription.resume();
  assert.equal(next.take("subscribe")[0]?.from, "7:1");
});

test("an iterator yields messages and gaps in order, and break unsubscribes", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const subscription = bench.client.subscribe("/a");
  socket.confirm(7, 1);
  for (const seq of [2, 4]) socket.message("/a", seq);
  const seen: string[] = [];
  for await (const item of subscription) {
    seen.push(item.kind === "gap" ? `gap to ${item.to}` : `${item.data} at ${item.position}`);
    if (seen.length === 3) break;
  }
  assert.deepEqual(seen, ["2 at 7:2", "gap to 7:3", "4 at 7:4"]);
  assert.equal(socket.take("unsubscribe").length, 1);
});

test("an iterator that waits gets the next message, and ends with the client", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const iterator = bench.client.subscribe("/a")[Symbol.asyncIterator]();
  socket.confirm(7, 1);
  const both = [iterator.next(), iterator.next()];
  socket.message("/a", 2);
  socket.message("/a", 3);
  const values = (await Promise.all(both)).map(({ value }) => (value?.kind === "message" ? value.data : ""));
  assert.deepEqual(values.sort(), ["2", "3"]);
  const last = iterator.next();
  await bench.client.close();
  assert.deepEqual(await last, { done: true, value: undefined });
});

test("a full iterator pauses its subscription, and continues when half is taken", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const subscription = bench.client.subscribe("/a", { buffer: { count: 10 } });
  socket.confirm(7, 0);
  for (let seq = 1; seq <= 11; seq++) socket.message("/a", seq);
  assert.deepEqual(socket.take("unsubscribe"), []);
  await bench.clock.pass(0);
  const leave = socket.take("unsubscribe");
  assert.equal(leave.length, 1);
  socket.message("/a", 12);
  socket.event(ended("/a", leave[0]?.id));
  const seen: string[] = [];
  for await (const item of subscription) {
    if (item.kind === "message") seen.push(item.data);
    const [request] = socket.take("subscribe");
    if (request) {
      assert.equal(request.from, "7:11");
      assert.equal(seen.length, 6);
      socket.event({ op: "subscribed", id: request.id, subject: "/a", epoch: 7, seq: 12, recovery: "complete" });
      socket.message("/a", 12, { type: "recovered" });
    }
    if (seen.length === 12) break;
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 12 }, (_, i) => `${i + 1}`),
  );
});

test("a burst cannot exceed four times the bound", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const subscription = bench.client.subscribe("/a", { buffer: { count: 10 } });
  socket.confirm(7, 0);
  for (let seq = 1; seq <= 1000; seq++) socket.message("/a", seq);
  assert.equal(socket.take("unsubscribe").length, 1);
  assert.equal(subscription.position, "7:41");
});

test("a full pattern stops reading where the socket can", async () => {
  const bench = new Bench();
  await settle();
  const reading: boolean[] = [];
  const socket = bench.socket as unknown as { pause(): void; resume(): void };
  assert.equal(typeof socket.pause, "undefined");
  Object.assign(bench.socket, { pause: () => reading.push(false), resume: () => reading.push(true) });
  await bench.socket.end();
  // The link looks for the ability when it is made.
  const { FakeSocket } = await import("../support/sockets.js");
  Object.assign(FakeSocket.prototype, { pause: () => reading.push(false), resume: () => reading.push(true) });
  try {
    const next = await bench.reopened();
    await next.accept();
    const subscription = bench.client.subscribe("/p/*", { buffer: { count: 4 } });
    next.confirm(7, 0);
    for (let seq = 1; seq <= 6; seq++) next.message("/p/a", seq);
    await bench.clock.pass(0);
    assert.deepEqual(reading, [false]);
    const iterator = subscription[Symbol.asyncIterator]();
    for (let i = 0; i < 4; i++) await iterator.next();
    assert.deepEqual(reading, [false, true]);
    assert.deepEqual(next.take("unsubscribe"), []);
  } finally {
    Object.assign(FakeSocket.prototype, { pause: undefined, resume: undefined });
  }
});

test("the state is loaded before the first subscribe and after every gap", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const seen: string[] = [];
  const positions = ["7:10", "7:30"];
  const gaps: (string | undefined)[] = [];
  bench.client.subscribe("/a", {
    ...collecting(seen),
    state: async ({ gap }) => {
      gaps.push(gap?.to);
      return positions.shift();
    },
  });
  assert.deepEqual(socket.take("subscribe"), []);
  await bench.clock.pass(0);
  assert.equal(socket.fresh.at(-1)?.op === "subscribe" && (socket.fresh.at(-1) as { from?: string }).from, "7:10");
  socket.confirm(7, 10, "complete");
  socket.message("/a", 11);
  socket.message("/a", 20);
  socket.message("/a", 21);
  socket.event(ended("/a", socket.take("unsubscribe")[0]?.id));
  await bench.clock.pass(1000);
  assert.equal(socket.take("subscribe")[0]?.from, "7:30");
  assert.deepEqual(gaps, [undefined, "7:19"]);
  assert.deepEqual(seen, ["11", "/a 7:11>7:19 not-recovered"]);
});

test("a state that cannot be loaded is reported and loaded again", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  let loads = 0;
  bench.client.subscribe("/a", {
    onMessage: () => {},
    state: async () => {
      if (++loads < 3) throw new Error("the database is down");
      return "7:1";
    },
  });
  await bench.clock.pass(2000);
  assert.equal(loads, 3);
  assert.equal(socket.take("subscribe")[0]?.from, "7:1");
  assert.equal(bench.types().filter((type) => type === "listener-failed").length, 2);
});

test("a subscription ends when its signal aborts", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const abort = new AbortController();
  const subscription = bench.client.subscribe("/a", { signal: abort.signal });
  socket.confirm(7, 1);
  abort.abort();
  assert.equal(socket.take("unsubscribe").length, 1);
  assert.deepEqual(await subscription[Symbol.asyncIterator]().next(), { done: true, value: undefined });
});
