import assert from "node:assert/strict";
import { test } from "node:test";
import { keepSession } from "../../src/keep/index.js";
import type { LinkOwner, Transport } from "../../src/link.js";
import type { Command } from "../../src/protocol.js";
import type { ClientOptions } from "../../src/types.js";
import { webSocket } from "../../src/websocket.js";
import { settle } from "../support/clock.js";
import { Bench, collecting, type FakeSocket } from "../support/sockets.js";

const KEEP = 60_000;

const kept = (options: Partial<ClientOptions> = {}) => new Bench({ transports: [keepSession(webSocket)], ...options });

/** The server answers `connect`. */
async function answer(socket: FakeSocket, more: object): Promise<void> {
  socket.event({ op: "connected", session: "s", node: "n", ping: 25_000, maxMessage: 65_536, ...more });
  await settle();
}

/** Connects, subscribes to the subjects, confirms them at 7:1, and delivers 7:2 of the first. */
async function serving(bench: Bench, subjects = ["/a", "/b"], seen: string[] = []): Promise<FakeSocket> {
  await settle();
  const { socket } = bench;
  await socket.open();
  await answer(socket, { session: "first", keep: KEEP });
  for (const subject of subjects) bench.client.subscribe(subject, collecting(seen));
  socket.confirm(7, 1);
  socket.message(subjects[0] as string, 2);
  return socket;
}

/** Opens the next connection, or the one that the client has opened. */
async function opened(bench: Bench): Promise<FakeSocket> {
  const socket = bench.client.status === "connecting" ? bench.socket : await bench.reopened();
  await socket.open();
  return socket;
}

/** Loses the connection and opens the next one. */
async function returning(bench: Bench): Promise<FakeSocket> {
  await bench.socket.end();
  return opened(bench);
}

const connectOf = (socket: FakeSocket) => socket.take("connect")[0];
const ops = (socket: FakeSocket) => socket.sent.map(({ op }) => op);

async function continues(bench: Bench): Promise<boolean> {
  const socket = await returning(bench);
  const { session, positions } = connectOf(socket) ?? {};
  assert.equal(positions !== undefined, session !== "");
  assert.equal(positions === undefined, ops(socket).includes("subscribe"));
  return positions !== undefined;
}

test("without the import nothing is asked for", async () => {
  const bench = new Bench();
  const { sent } = await bench.connected();
  assert.ok(sent.length === 1 && !("session" in (sent[0] as Command)));
});

test("the first connection asks the server to keep its session, before the subscriptions", async () => {
  const bench = kept();
  bench.client.subscribe("/a");
  await settle();
  await bench.socket.open();
  assert.deepEqual(ops(bench.socket), ["connect", "subscribe"]);
  assert.equal(connectOf(bench.socket)?.session, "");
});

test("a session continues with one command", async () => {
  const bench = kept();
  const seen: string[] = [];
  await serving(bench, ["/a", "/b"], seen);
  const socket = await returning(bench);
  assert.deepEqual(connectOf(socket)?.positions, ["/a", "7:2", "/b", "7:1"]);
  assert.equal((socket.sent[0] as { session?: string }).session, "first");
  await answer(socket, { session: "second", keep: KEEP, resumed: true });
  assert.deepEqual(ops(socket), ["connect"]);
  assert.equal(bench.client.status, "connected");
  assert.deepEqual(bench.types().slice(-3), ["connected", "subscribed", "subscribed"]);
  socket.message("/a", 3, { type: "recovered" });
  socket.event({ op: "gap", subject: "/b", from: "7:1", to: "7:4", reason: "history-gone" });
  socket.message("/a", 4);
  socket.message("/b", 5);
  assert.deepEqual(seen, ["2", "3", "/b 7:1>7:4 history-gone", "4", "5"]);

  const next = await returning(bench);
  assert.equal((next.sent[0] as { session?: string }).session, "second");
  assert.deepEqual(connectOf(next)?.positions, ["/a", "7:4", "/b", "7:5"]);
});

test("everything is subscribed again if the session does not continue", async () => {
  const bench = kept();
  await serving(bench);
  const socket = await returning(bench);
  assert.deepEqual(ops(socket), ["connect"]);
  await answer(socket, { session: "other", keep: KEEP });
  assert.deepEqual(
    socket.take("subscribe").map(({ subjects, from }) => `${subjects} ${from}`),
    ["/a 7:2", "/b 7:1"],
  );
  assert.equal(bench.types().at(-1), "connected");
});

test("a subscribe or unsubscribe during the disconnect prevents that the session continues", async () => {
  const subscribed = kept();
  await serving(subscribed);
  await subscribed.socket.end();
  subscribed.client.subscribe("/c", { from: "7:1" });
  assert.equal(await continues(subscribed), false);

  const unsubscribed = kept();
  await serving(unsubscribed, ["/a"]);
  const subscription = unsubscribed.client.subscribe("/b");
  unsubscribed.socket.confirm(7, 1);
  await unsubscribed.socket.end();
  subscription.unsubscribe();
  assert.equal(await continues(unsubscribed), false);
});

test("a command without an answer prevents that the session continues", async () => {
  for (const change of ["subscribe", "unsubscribe", "replace", "pause and resume", "none"]) {
    const bench = kept();
    const socket = await serving(bench, ["/a"]);
    const subscription = bench.client.subscribe("/b", { conflate: 100 });
    socket.confirm(7, 1);
    if (change === "subscribe") bench.client.subscribe("/c", { from: "7:1" });
    if (change === "unsubscribe" || change === "replace") subscription.unsubscribe();
    if (change === "replace") bench.client.subscribe("/b", { from: "7:1", conflate: 100 });
    if (change === "pause and resume") {
      subscription.pause();
      subscription.resume();
    }
    assert.equal(await continues(bench), change === "none", change);
  }
});

test("the answer to an earlier request does not count for a later one", async () => {
  const bench = kept();
  const socket = await serving(bench, ["/a"]);
  const subscription = bench.client.subscribe("/b");
  subscription.unsubscribe();
  socket.confirm(7, 1);
  await socket.end();
  bench.client.subscribe("/b", { from: "7:1" });
  assert.equal(await continues(bench), false);
});

test("answered changes are part of the session", async () => {
  const bench = kept();
  const socket = await serving(bench);
  const subscription = bench.client.subscribe("/c");
  socket.confirm(7, 1);
  subscription.pause();
  socket.event({ op: "unsubscribed", id: socket.take("unsubscribe")[0]?.id, subject: "/c" });
  bench.client.subscribe("/secret", { onMessage: () => {} });
  socket.event({ op: "error", id: socket.take("subscribe")[0]?.id, subject: "/secret", code: "forbidden", reason: "" });
  socket.event({ op: "unsubscribed", subject: "/b", reason: "forbidden" });
  const next = await returning(bench);
  assert.deepEqual(connectOf(next)?.positions, ["/a", "7:2"]);
});

test("an unsubscribe that is refused for a rate leaves the subscription in doubt", async () => {
  const bench = kept();
  const socket = await serving(bench, ["/a"]);
  const subscription = bench.client.subscribe("/b");
  socket.confirm(7, 1);
  subscription.unsubscribe();
  const id = socket.take("unsubscribe")[0]?.id;
  socket.event({ op: "error", id, subject: "/b", code: "command-rate", reason: "", after: 1000 });
  assert.equal(await continues(bench), false);
});

test("patterns without a position, other options and more than 1,000 subjects prevent that the session continues", async () => {
  const withPattern = kept();
  await serving(withPattern, ["/a", "/p/*"]);
  assert.equal(await continues(withPattern), false);

  for (const conflate of [100, undefined]) {
    const bench = kept();
    const socket = await serving(bench, ["/a"]);
    const subscription = bench.client.subscribe("/b", { conflate: 100 });
    socket.confirm(7, 1);
    await socket.end();
    subscription.unsubscribe();
    const again = bench.client.subscribe("/b", { from: "7:1", conflate });
    assert.equal(await continues(bench), conflate === 100);
    if (!conflate) continue;
    await answer(bench.socket, { session: "second", keep: KEEP, resumed: true });
    assert.equal((await again.ready()).position, "7:1");
  }

  for (const count of [1000, 1001]) {
    const bench = kept();
    await serving(
      bench,
      Array.from({ length: count }, (_, n) => `/n/${n}`),
    );
    assert.equal(await continues(bench), count === 1000);
  }
});

test("positions that would be too large for one command prevent that the session continues", async () => {
  for (const [maxMessage, expected] of [
    [1000, false],
    [1100, true],
  ] as const) {
    const bench = kept();
    const subjects = Array.from({ length: 40 }, (_, n) => `/${"x".repeat(93)}${n + 10}`);
    const socket = await serving(bench, subjects);
    await answer(socket, { session: "first", keep: KEEP, maxMessage });
    assert.equal(await continues(bench), expected);
  }
});

test("a session is forgotten after the time for which the server keeps it", async () => {
  for (const [late, expected] of [
    [0, true],
    [1, false],
  ] as const) {
    const bench = kept({ reconnect: { quickAttempts: 0, firstPause: 2 * KEEP, longestPause: 2 * KEEP } });
    await serving(bench);
    await bench.socket.end();
    assert.equal(bench.last("disconnected")?.retryIn, KEEP);
    // The pause ends with the time of the session; the handshake takes the rest.
    await bench.clock.pass(KEEP);
    await bench.clock.pass(late);
    await bench.socket.open();
    assert.equal(connectOf(bench.socket)?.session, expected ? "first" : "");
  }
});

test("attempts that fail do not lose the session", async () => {
  const bench = kept();
  await serving(bench);
  await bench.socket.end();
  await (await bench.reopened()).end();
  assert.equal(await continues(bench), true);
  assert.equal(await continues(bench), true);
  assert.equal((bench.socket.sent[0] as { session?: string }).session, "first");
});

test("attempts that fail do not extend the time of the session", async () => {
  const longestPause = 1.2 * KEEP;
  const bench = kept({ reconnect: { quickAttempts: 0, firstPause: longestPause, longestPause } });
  await serving(bench);
  assert.equal(connectOf(await returning(bench))?.session, "first");
  assert.equal(connectOf(await returning(bench))?.session, "");
});

test("a renewed token keeps the session, and the id of the latest answer counts", async () => {
  const bench = kept({ token: async () => "token" });
  const socket = await serving(bench);
  socket.take("connect");
  socket.event({ op: "token-to-expire", after: 60_000 });
  await settle();
  assert.deepEqual(Object.keys(connectOf(socket) ?? {}).sort(), ["id", "op", "token"]);
  await answer(socket, { session: "renewed", keep: KEEP });
  const next = await returning(bench);
  assert.equal(connectOf(next)?.session, "renewed");
  await answer(next, { session: "second", keep: KEEP, resumed: true });
  next.event({ op: "token-to-expire", after: 60_000 });
  await settle();
  await answer(next, { session: "second" });
  assert.equal(await continues(bench), false);
});

test("a session that another connection has taken is forgotten", async () => {
  const bench = kept();
  const socket = await serving(bench);
  await socket.end(4013, "session-taken: another connection continues the session");
  const next = await bench.reopened();
  await next.open();
  assert.equal(connectOf(next)?.session, "");
  assert.deepEqual(ops(next), ["connect", "subscribe", "subscribe"]);
});

test("changes wait until the server has answered whether the session continues", async () => {
  for (const resumed of [true, false]) {
    const bench = kept();
    const seen: string[] = [];
    await serving(bench, ["/a"], seen);
    const subscription = bench.client.subscribe("/b", collecting(seen));
    bench.socket.confirm(7, 1);
    const socket = await returning(bench);
    subscription.unsubscribe();
    bench.client.subscribe("/c", collecting(seen));
    assert.deepEqual(ops(socket), ["connect"]);
    await answer(socket, { session: "second", keep: KEEP, ...(resumed && { resumed }) });
    const requests = resumed ? [] : ["subscribe", "subscribe"];
    assert.deepEqual(ops(socket), ["connect", ...requests, "unsubscribe", "subscribe"]);
    socket.event({ op: "unsubscribed", id: socket.take("unsubscribe")[0]?.id, subject: "/b" });
    socket.confirm(7, 1, "complete");
    for (const at of ["/a", "/b", "/c"]) socket.message(at, 3);
    assert.deepEqual(seen, ["2", "3", "3"]);
    assert.deepEqual(connectOf(await returning(bench))?.positions, ["/a", "7:3", "/c", "7:3"]);
  }
});

test("publishes wait for the answer and are repeated as on any connection", async () => {
  const bench = kept();
  const first = await serving(bench);
  const publish = bench.client.publish("/x", "1");
  const [sent] = first.take("publish");
  const socket = await returning(bench);
  assert.deepEqual(ops(socket), ["connect"]);
  await answer(socket, { session: "second", keep: KEEP, resumed: true });
  const [repeated] = socket.take("publish");
  assert.equal(repeated?.msgId, sent?.msgId);
  socket.event({ op: "published", id: repeated?.id, epoch: 7, seq: 9 });
  assert.equal(await publish, "7:9");
});

test("clients with the same transports have sessions of their own", async () => {
  const transports = [keepSession(webSocket)];
  const first = new Bench({ transports });
  await serving(first);
  await first.socket.end();
  const second = new Bench({ transports, environment: first.clock });
  second.client.subscribe("/a", { from: "7:2" });
  second.client.subscribe("/b", { from: "7:1" });
  await settle();
  await second.socket.open();
  assert.equal(connectOf(second.socket)?.session, "");
  assert.equal(await continues(first), true);
});

test("a transport over HTTP is used as it is", async () => {
  const owners: LinkOwner[] = [];
  const sent: string[] = [];
  const http: Transport = {
    name: "httpStream",
    _connect: (owner) => {
      owners.push(owner);
      return {
        _send: ({ op }) => void sent.push(op),
        _isFull: () => false,
        _expectsReads: () => false,
        _oneStream: true,
        _close: async () => {},
      };
    },
  };
  const bench = new Bench({ transports: [keepSession(http)] });
  await settle();
  owners[0]?._onOpen(10_000);
  assert.equal(bench.client.status, "connected");
  assert.equal(bench.last("connected")?.transport, "httpStream");
  bench.client.subscribe("/a");
  assert.deepEqual(sent, []);
  owners[0]?._wanted();
  bench.client.subscribe("/b");
  assert.deepEqual(sent, ["subscribe"]);
  await bench.client.close();
});

test("a silent connection ends without a close frame, so that the session continues", async () => {
  const bench = kept();
  const socket = await serving(bench);
  const ends: string[] = [];
  Object.assign(socket, { terminate: () => ends.push("terminate"), close: () => ends.push("close") });
  await bench.clock.pass(60_000);
  assert.equal(bench.last("disconnected")?.code, "timed-out");
  assert.equal(ends[0], "terminate");
  assert.deepEqual(connectOf(await opened(bench))?.positions, ["/a", "7:2", "/b", "7:1"]);
});
