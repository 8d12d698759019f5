import assert from "node:assert/strict";
import { test } from "node:test";
import { keepSession } from "../../src/keep/index.js";
import { connectPatterns } from "../../src/patterns/index.js";
import { overlap } from "../../src/patterns/overlap.js";
import type { ClientOptions, Gap, Message, Subscription } from "../../src/types.js";
import { webSocket } from "../../src/websocket.js";
import { settle } from "../support/clock.js";
import { Bench, collecting, type FakeSocket } from "../support/sockets.js";

const FIRST = "AQAAAYvP5WgABfv_";
const SECOND = "AQAAAYvP5WgABfwA";
const THIRD = "AQAAAYvP5WgABfwB";

const benchOf = (options: Partial<ClientOptions> = {}) => new Bench(options, connectPatterns);

/** Answers the latest request of a pattern. */
function confirm(socket: FakeSocket, subject: string, at?: string, recovery = "none") {
  const request = socket.sent.findLast((command) => command.op === "subscribe" && command.subjects.includes(subject));
  socket.event({ op: "subscribed", id: request?.id, subject, recovery, at });
}

const left = (socket: FakeSocket, subject: string) =>
  socket.event({ op: "unsubscribed", id: socket.sent.findLast(({ op }) => op === "unsubscribe")?.id, subject });

const recovered = (socket: FakeSocket, subject: string, ...seqs: number[]) => {
  for (const seq of seqs) socket.message(subject, seq, { type: "recovered" });
};

/** Takes the requests since the last look, as subject and position. */
const requests = (socket: FakeSocket) =>
  socket.take("subscribe").flatMap(({ subjects, from }) => subjects.map((subject) => [subject, from]));

/** Connects again after a lost connection; returns the requests. */
async function again(bench: Bench) {
  await bench.socket.end();
  await (await bench.reopened()).accept();
  return requests(bench.socket);
}

/** Subscribes a pattern, which receives two messages, and other subjects. */
async function live(...others: string[]) {
  const bench = benchOf();
  const socket = await bench.connected();
  const seen: string[] = [];
  const subscription = bench.client.subscribe("/p/*", collecting(seen));
  for (const other of others) bench.client.subscribe(other, { onMessage: () => {} });
  confirm(socket, "/p/*", FIRST);
  for (const other of others) {
    if (other.includes("*")) confirm(socket, other, FIRST);
    else
      socket.event({
        op: "subscribed",
        id: socket.sent.find((command) => command.op === "subscribe" && command.subjects.includes(other))?.id,
        subject: other,
        epoch: 7,
        seq: 0,
        recovery: "none",
      });
  }
  socket.message("/p/a", 3);
  socket.message("/p/b", 9);
  assert.deepEqual(seen.splice(0), ["3", "9"]);
  requests(socket);
  return { bench, socket, seen, subscription };
}

test("after a disconnect a pattern resumes from its position", async () => {
  const { bench, seen, subscription } = await live();
  assert.equal(subscription.position, FIRST);
  assert.deepEqual(await again(bench), [["/p/*", FIRST]]);
  const { socket } = bench;
  recovered(socket, "/p/a", 3, 4);
  recovered(socket, "/p/b", 9);
  recovered(socket, "/p/new", 1);
  confirm(socket, "/p/*", SECOND, "complete");
  socket.message("/p/a", 5);
  assert.deepEqual(seen, ["4", "1", "5"]);
  assert.deepEqual(bench.last("subscribed"), {
    type: "subscribed",
    subject: "/p/*",
    recovery: "complete",
    position: undefined,
  });
  assert.equal(bench.last("gap"), undefined);
  assert.deepEqual(await again(bench), [["/p/*", SECOND]]);
});

test("the event position replaces the position of all confirmed patterns", async () => {
  const { bench, socket } = await live();
  const other = bench.client.subscribe("/q/**", { onMessage: () => {} });
  socket.event({ op: "position", at: SECOND });
  assert.equal(other.position, undefined);
  assert.deepEqual(await again(bench), [
    ["/p/*", SECOND],
    ["/q/**", undefined],
  ]);
  confirm(bench.socket, "/p/*", SECOND, "complete");
  confirm(bench.socket, "/q/**", SECOND);
  bench.socket.event({ op: "position", at: THIRD });
  assert.equal(other.position, THIRD);
  assert.deepEqual(await again(bench), [
    ["/p/*", THIRD],
    ["/q/**", THIRD],
  ]);
});

test("a cut before the confirmation resumes from the same position", async () => {
  const { bench, seen } = await live();
  await again(bench);
  recovered(bench.socket, "/p/a", 4);
  assert.deepEqual(await again(bench), [["/p/*", FIRST]]);
  recovered(bench.socket, "/p/a", 4, 5);
  confirm(bench.socket, "/p/*", SECOND, "complete");
  assert.deepEqual(seen, ["4", "5"]);
});

test("a lost recovery continues from its progress", async () => {
  const { bench, seen } = await live();
  await again(bench);
  recovered(bench.socket, "/p/a", 4);
  bench.socket.event({ op: "position", subject: "/p/*", at: SECOND });
  recovered(bench.socket, "/p/a", 5);
  assert.deepEqual(await again(bench), [["/p/*", SECOND]]);
  recovered(bench.socket, "/p/a", 5, 6);
  confirm(bench.socket, "/p/*", SECOND, "complete");
  assert.deepEqual(seen, ["4", "5", "6"]);
  assert.equal(bench.last("gap"), undefined);
});

test("the progress of one of several overlapping patterns is ignored", async () => {
  const { bench } = await live();
  bench.client.subscribe("/*/a", { onMessage: () => {} });
  await again(bench);
  bench.socket.event({ op: "position", subject: "/p/*", at: SECOND });
  assert.deepEqual(await again(bench), [
    ["/p/*", FIRST],
    ["/*/a", undefined],
  ]);
});

test("recovered messages of an announced gap are dropped", async () => {
  const { bench, socket, seen } = await live();
  socket.event({ op: "gap", subject: "/p/a", from: "7:3", to: "7:6", reason: "slow-consumer" });
  await again(bench);
  recovered(bench.socket, "/p/a", 3, 4, 5, 6, 7);
  confirm(bench.socket, "/p/*", SECOND, "complete");
  assert.deepEqual(seen, ["/p/a 7:3>7:6 slow-consumer", "7"]);
});

test("an announced gap has the pattern and no range", async () => {
  const { bench, seen } = await live();
  await again(bench);
  const { socket } = bench;
  socket.event({ op: "gap", subject: "/p/*", to: "0:0", reason: "history-gone" });
  recovered(socket, "/p/a", 3, 8);
  recovered(socket, "/p/b", 11);
  confirm(socket, "/p/*", SECOND, "gap");
  socket.message("/p/a", 9);
  assert.deepEqual(seen, ["/p/* undefined>undefined history-gone", "8", "11", "9"]);
  assert.equal(bench.statuses.filter(({ type }) => type === "gap").length, 1);
  assert.equal(bench.last("subscribed")?.recovery, "gap");
  assert.deepEqual(await again(bench), [["/p/*", SECOND]]);
  bench.socket.event({ op: "gap", subject: "/p/*", to: "0:0", reason: "epoch-changed" });
  bench.socket.message("/p/a", 1, { epoch: 8 });
  assert.deepEqual(seen.slice(4), ["/p/* undefined>undefined epoch-changed", "1"]);
});

test("a listener of statuses that throws does not keep a gap from the application", async () => {
  const seen: string[] = [];
  const bench = benchOf({
    onStatus: ({ type }) => {
      if (type === "gap") throw new Error("no");
      seen.push(type);
    },
  });
  const socket = await bench.connected();
  bench.client.subscribe("/p/*", { ...collecting(seen), from: FIRST });
  seen.length = 0;
  socket.event({ op: "gap", subject: "/p/*", to: "0:0", reason: "history-gone" });
  assert.deepEqual(seen, ["listener-failed", "/p/* undefined>undefined history-gone"]);
});

test("a position of an earlier run is requested", async () => {
  const bench = benchOf();
  const seen: string[] = [];
  const subscription = bench.client.subscribe("/p/*", { ...collecting(seen), from: FIRST, conflate: 100 });
  const socket = await bench.connected();
  assert.deepEqual(
    socket.take("subscribe").map(({ subjects, from, conflate }) => [subjects, from, conflate]),
    [[["/p/*"], FIRST, 100]],
  );
  recovered(socket, "/p/a", 4);
  confirm(socket, "/p/*", SECOND, "complete");
  socket.message("/p/a", 5);
  assert.deepEqual(seen, ["4", "5"]);
  assert.equal(subscription.position, SECOND);
  assert.deepEqual(await subscription.ready(), { recovery: "complete", position: undefined });
});

test("positions that are malformed or of the wrong kind are refused", () => {
  const { client } = benchOf();
  for (const from of ["7:42", "", "AQ==", "AR", "A", "+/+/", "Ä", " AQ", "A".repeat(1028)]) {
    assert.throws(() => client.subscribe("/p/*", { from }), { kind: "usage", code: "bad-position" }, from);
  }
  assert.throws(() => client.subscribe("/a", { from: FIRST }), { kind: "usage", code: "bad-position" });
  assert.throws(() => client.subscribe("/p/*", { history: 1 }), { code: "wildcard-not-allowed" });
  assert.throws(() => client.subscribe("/p*", { from: FIRST }), { code: "bad-subject" });
  client.subscribe("/p/*", { from: "A".repeat(1024) });
  assert.throws(() => client.subscribe("/p/*"), { code: "already-subscribed" });
  client.subscribe("/a", { from: "7:42" });
});

test("a client that is closed takes no more patterns", async () => {
  const bench = benchOf();
  await bench.client.close();
  assert.throws(() => bench.client.subscribe("/p/*"), { kind: "closed" });
});

test("the application reads the position after it took the messages before", async () => {
  const bench = benchOf();
  const socket = await bench.connected();
  const subscription = bench.client.subscribe("/p/*") as Subscription;
  const iterator = subscription[Symbol.asyncIterator]();
  const take = async () => ((await iterator.next()).value as Message<string> | Gap | undefined)?.kind;
  confirm(socket, "/p/*", FIRST);
  assert.equal(subscription.position, FIRST);
  socket.message("/p/a", 3);
  socket.event({ op: "position", at: SECOND });
  socket.message("/p/a", 4);
  socket.event({ op: "position", at: SECOND });
  socket.event({ op: "position", at: THIRD });
  assert.equal(subscription.position, FIRST);
  await take();
  assert.equal(subscription.position, FIRST);
  await take();
  assert.equal(subscription.position, SECOND);
  const waiting = take();
  assert.equal(subscription.position, THIRD);
  socket.event({ op: "position", at: FIRST });
  assert.equal(subscription.position, FIRST);
  socket.message("/p/a", 5);
  socket.event({ op: "position", at: SECOND });
  assert.equal(await waiting, "message");
  assert.equal(subscription.position, FIRST);
  assert.deepEqual(await again(bench), [["/p/*", SECOND]]);
});

test("a pattern without a position takes none", async () => {
  const { bench, socket } = await live();
  bench.client.subscribe("/q/*", { onMessage: () => {}, conflate: 100 });
  confirm(socket, "/q/*");
  socket.event({ op: "position", at: SECOND });
  assert.deepEqual(await again(bench), [
    ["/p/*", SECOND],
    ["/q/*", undefined],
  ]);
});

test("another server without positions leads to the recovery by subjects and a gap", async () => {
  const { bench, seen, subscription } = await live();
  await again(bench);
  const { socket } = bench;
  const id = socket.sent.findLast(({ op }) => op === "subscribe")?.id;
  socket.event({ op: "error", id, code: "wildcard-not-allowed", reason: "no positions", subject: "/p/*" });
  assert.deepEqual(requests(socket), [
    ["/p/a", "7:3"],
    ["/p/b", "7:9"],
    ["/p/*", undefined],
  ]);
  confirm(socket, "/p/*");
  assert.deepEqual(seen, ["/p/* undefined>undefined not-recovered"]);
  assert.equal(subscription.position, undefined);
  assert.equal(bench.last("subscribe-refused"), undefined);
});

test("a position counts only after the bridges", async () => {
  const { bench, seen, subscription } = await live();
  await again(bench);
  const id = bench.socket.sent.findLast(({ op }) => op === "subscribe")?.id;
  bench.socket.event({ op: "error", id, code: "wildcard-not-allowed", reason: "no positions", subject: "/p/*" });
  requests(bench.socket);
  const bridged = () => {
    for (const [subject, seq] of [
      ["/p/a", 5],
      ["/p/b", 9],
    ] as const) {
      bench.socket.event({ op: "subscribed", subject, epoch: 7, seq, recovery: "complete" });
    }
    confirm(bench.socket, "/p/*", FIRST);
    recovered(bench.socket, "/p/a", 4);
  };
  bridged();
  bench.socket.event({ op: "position", at: SECOND });
  assert.equal(subscription.position, undefined, "a message of a bridge is missing");
  assert.deepEqual(await again(bench), [
    ["/p/a", "7:4"],
    ["/p/b", "7:9"],
    ["/p/*", undefined],
  ]);
  bridged();
  recovered(bench.socket, "/p/a", 5);
  const gap = "/p/* undefined>undefined not-recovered";
  assert.deepEqual(seen, [gap, "4", gap, "5"]);
  assert.equal(subscription.position, FIRST);
  assert.deepEqual(await again(bench), [["/p/*", FIRST]]);
});

test("a refused position ends the subscription", async () => {
  const bench = benchOf();
  const socket = await bench.connected();
  const subscription = bench.client.subscribe("/p/*", { from: FIRST });
  const [request] = socket.take("subscribe");
  socket.event({ op: "error", id: request?.id, code: "bad-position", reason: "malformed", subject: "/p/*" });
  await assert.rejects(subscription.ready(), { code: "bad-position" });
});

test("a pause keeps the position", async () => {
  const { bench, socket, seen, subscription } = await live();
  subscription.pause();
  left(socket, "/p/*");
  socket.event({ op: "position", at: SECOND });
  subscription.resume();
  assert.deepEqual(requests(socket), [["/p/*", FIRST]]);
  recovered(socket, "/p/a", 3, 4);
  confirm(socket, "/p/*", SECOND, "complete");
  assert.deepEqual(seen, ["4"]);
  assert.equal(bench.last("gap"), undefined);
});

test("a new subscription begins after the end of the one before was answered", async () => {
  const { bench, socket, subscription } = await live();
  subscription.unsubscribe();
  const seen: string[] = [];
  const next = bench.client.subscribe("/p/*", { ...collecting(seen), from: subscription.position });
  socket.message("/p/a", 5);
  assert.deepEqual(requests(socket), []);
  left(socket, "/p/*");
  assert.deepEqual(requests(socket), [["/p/*", FIRST]]);
  recovered(socket, "/p/a", 4, 5);
  confirm(socket, "/p/*", SECOND, "complete");
  assert.deepEqual(seen, ["4", "5"]);
  next.unsubscribe();
  bench.client.subscribe("/p/*", { onMessage: () => {} });
  assert.deepEqual(await again(bench), [["/p/*", undefined]]);
});

test("messages that a subject, or a pattern without a position, took are announced as a gap", async () => {
  for (const other of ["/p/a", "/**"]) {
    const { bench, socket, seen, subscription } = await live(...(other === "/p/a" ? [other] : []));
    if (other === "/**") bench.client.subscribe(other, { onMessage: () => {}, conflate: 100 });
    if (other === "/**") confirm(socket, other);
    subscription.pause();
    left(socket, "/p/*");
    subscription.resume();
    confirm(socket, "/p/*", SECOND, "complete");
    assert.deepEqual(seen, ["/p/* undefined>undefined not-recovered"], other);
  }
});

/** A pattern that overlaps `/p/*`, which is paused and misses a message. */
async function overtaken() {
  const { bench, socket, seen, subscription } = await live();
  const others: string[] = [];
  const other = bench.client.subscribe("/**", collecting(others));
  confirm(socket, "/**", FIRST);
  bench.client.subscribe("/q/*", { onMessage: () => {} });
  confirm(socket, "/q/*", FIRST);
  subscription.pause();
  left(socket, "/p/*");
  socket.message("/p/a", 4);
  socket.event({ op: "position", at: SECOND });
  requests(socket);
  socket.take("unsubscribe");
  subscription.resume();
  assert.deepEqual(
    socket.take("unsubscribe").map(({ subjects }) => subjects),
    [["/**"]],
  );
  assert.deepEqual(requests(socket), []);
  return { bench, socket, seen, subscription, others, other };
}

test("patterns that overlap are requested again after one that is behind", async () => {
  const { bench, socket, seen, others } = await overtaken();
  socket.message("/p/a", 5);
  socket.message("/q/x", 1);
  left(socket, "/**");
  assert.deepEqual(requests(socket), [
    ["/p/*", FIRST],
    ["/**", SECOND],
  ]);
  recovered(socket, "/p/a", 3, 4, 5, 6);
  confirm(socket, "/p/*", THIRD, "complete");
  recovered(socket, "/q/x", 2);
  confirm(socket, "/**", THIRD, "complete");
  socket.message("/p/a", 7);
  assert.deepEqual(seen, ["4", "5", "6", "7"]);
  assert.deepEqual(others, ["4", "5", "1", "6", "2", "7"]);
  assert.equal(bench.last("gap"), undefined);
});

test("a pattern that ended for another one is requested again although that one is paused or has ended", async () => {
  for (const end of ["pause", "unsubscribe"] as const) {
    const { socket, subscription } = await overtaken();
    subscription[end]();
    left(socket, "/**");
    assert.deepEqual(requests(socket), [["/**", SECOND]], end);
    if (end === "unsubscribe") continue;
    confirm(socket, "/**", SECOND, "complete");
    subscription.resume();
    left(socket, "/**");
    assert.deepEqual(requests(socket), [
      ["/p/*", FIRST],
      ["/**", SECOND],
    ]);
  }
});

test("a pattern that ended for another one may be paused meanwhile", async () => {
  const { socket, other } = await overtaken();
  const first = socket.sent.findLast(({ op }) => op === "unsubscribe");
  other.pause();
  const [second] = socket.take("unsubscribe");
  socket.event({ op: "unsubscribed", id: first?.id, subject: "/**" });
  socket.event({ op: "error", id: second?.id, code: "not-subscribed", reason: "no", subject: "/**" });
  assert.deepEqual(requests(socket), [["/p/*", FIRST]]);
  confirm(socket, "/p/*", SECOND, "complete");
  other.resume();
  left(socket, "/p/*");
  assert.deepEqual(requests(socket), []);
  left(socket, "/q/*");
  assert.deepEqual(requests(socket), [
    ["/**", SECOND],
    ["/q/*", SECOND],
    ["/p/*", SECOND],
  ]);
});

test("a cut while a pattern waits for another one requests both", async () => {
  const { bench } = await overtaken();
  assert.deepEqual(
    (await again(bench)).filter(([subject]) => subject !== "/q/*"),
    [
      ["/p/*", FIRST],
      ["/**", SECOND],
    ],
  );
});

test("after a disconnect the pattern that lacks most is requested first", async () => {
  const { bench, socket } = await live();
  const other = bench.client.subscribe("/p/**", { onMessage: () => {} });
  confirm(socket, "/p/**", FIRST);
  other.pause();
  socket.event({ op: "position", at: SECOND });
  await socket.end();
  other.resume();
  await (await bench.reopened()).accept();
  assert.deepEqual(requests(bench.socket), [
    ["/p/**", FIRST],
    ["/p/*", SECOND],
  ]);
  for (const subject of ["/p/**", "/p/*"]) confirm(bench.socket, subject, THIRD, "complete");
  assert.equal(bench.last("gap"), undefined);
});

test("subscriptions of other subjects, and those that recover together, do not matter", async () => {
  const apart = await live("/q", "/q/*", "/p/*/c", "/q/**");
  apart.subscription.pause();
  left(apart.socket, "/p/*");
  apart.subscription.resume();
  confirm(apart.socket, "/p/*", SECOND, "complete");
  assert.deepEqual(apart.seen, []);
  const { bench, seen } = await live("/p/a", "/*/a", "/**");
  await again(bench);
  confirm(bench.socket, "/p/*", SECOND, "complete");
  assert.deepEqual(seen, []);
});

test("messages of bridges are announced to a pattern that was paused", async () => {
  const { bench, socket, seen, subscription } = await live();
  bench.client.subscribe("/**", { onMessage: () => {}, conflate: 100 });
  confirm(socket, "/**");
  subscription.pause();
  socket.message("/p/c", 1);
  await socket.end();
  subscription.resume();
  await (await bench.reopened()).accept();
  assert.deepEqual(requests(bench.socket), [
    ["/p/c", "7:1"],
    ["/p/*", FIRST],
    ["/**", undefined],
  ]);
  confirm(bench.socket, "/p/*", SECOND, "complete");
  assert.deepEqual(seen, ["/p/* undefined>undefined not-recovered"]);
});

test("patterns that resume are requested before new ones", async () => {
  const { bench, subscription } = await live();
  await bench.socket.end();
  subscription.unsubscribe();
  bench.client.subscribe("/**", { onMessage: () => {} });
  bench.client.subscribe("/q", { onMessage: () => {} });
  bench.client.subscribe("/p/*", { onMessage: () => {}, from: FIRST });
  await (await bench.reopened()).accept();
  assert.deepEqual(
    requests(bench.socket).filter(([subject]) => subject?.includes("*")),
    [
      ["/p/*", FIRST],
      ["/**", undefined],
    ],
  );
});

test("patterns that begin at different positions are announced where they overlap", async () => {
  for (const [other, from, expected] of [
    ["/**", FIRST, 0],
    ["/**", SECOND, 2],
    ["/q/*", SECOND, 0],
  ] as const) {
    const bench = benchOf();
    bench.client.subscribe("/p/*", { onMessage: () => {}, from: FIRST });
    bench.client.subscribe(other, { onMessage: () => {}, from });
    const socket = await bench.connected();
    for (const subject of ["/p/*", other]) confirm(socket, subject, THIRD, "complete");
    assert.equal(bench.statuses.filter(({ type }) => type === "gap").length, expected, `${other} ${from}`);
  }
});

test("a subject that is subscribed while a pattern recovers is announced as a gap", async () => {
  const { bench, seen } = await live();
  await again(bench);
  bench.client.subscribe("/p/b", { onMessage: () => {} });
  confirm(bench.socket, "/p/*", SECOND, "complete");
  assert.deepEqual(seen.splice(0), ["/p/* undefined>undefined not-recovered"]);
  await again(bench);
  confirm(bench.socket, "/p/*", SECOND, "complete");
  assert.deepEqual(seen, ["/p/* undefined>undefined not-recovered"], "/p/b had no position yet");
});

test("a kept session subscribes its patterns again", async () => {
  const bench = benchOf({ transports: [keepSession(webSocket)] });
  bench.client.subscribe("/p/*", { onMessage: () => {} });
  await settle();
  await bench.socket.open();
  const answer = { op: "connected", session: "s", node: "n", ping: 25_000, maxMessage: 65_536, keep: 60_000 };
  bench.socket.event(answer);
  confirm(bench.socket, "/p/*", FIRST);
  await bench.socket.end();
  await (await bench.reopened()).open();
  assert.equal(bench.socket.take("connect")[0]?.session, "");
  assert.deepEqual(requests(bench.socket), [["/p/*", FIRST]]);
});

test("a kept session continues with its subjects, and its patterns resume from their positions", async () => {
  for (const resumed of [true, false]) {
    const bench = benchOf({ transports: [keepSession(webSocket)] });
    const byName: string[] = [];
    const byPattern: string[] = [];
    bench.client.subscribe("/p/a", { ...collecting(byName), from: "7:2" });
    await settle();
    await bench.socket.open();
    const answer = { op: "connected", session: "s", node: "n", ping: 25_000, maxMessage: 65_536, keep: 60_000 };
    bench.socket.event(answer);
    bench.socket.confirm(7, 2, "complete");
    bench.client.subscribe("/p/*", collecting(byPattern));
    confirm(bench.socket, "/p/*", FIRST);
    bench.socket.message("/p/a", 3);
    bench.socket.message("/p/b", 8);
    await bench.socket.end();
    await (await bench.reopened()).open();
    assert.deepEqual(bench.socket.take("connect")[0]?.positions, ["/p/a", "7:3"]);
    assert.deepEqual(requests(bench.socket), []);
    bench.socket.event({ ...answer, session: "t", ...(resumed && { resumed }) });
    await settle();
    assert.deepEqual(requests(bench.socket), [...(resumed ? [] : [["/p/a", "7:3"]]), ["/p/*", FIRST]]);
    if (!resumed) continue;
    recovered(bench.socket, "/p/a", 4, 5);
    recovered(bench.socket, "/p/b", 8, 9);
    recovered(bench.socket, "/p/new", 1);
    confirm(bench.socket, "/p/*", SECOND, "complete");
    bench.socket.message("/p/a", 6);
    assert.deepEqual(byName, ["3", "4", "5", "6"]);
    assert.deepEqual(byPattern, ["3", "8", "4", "5", "9", "1", "6"]);
    // The next connection is lost before the pattern is confirmed.
    for (const session of ["t", "u"]) {
      await bench.socket.end();
      await (await bench.reopened()).open();
      const [connect] = bench.socket.take("connect");
      assert.deepEqual([connect?.session, connect?.positions], [session, ["/p/a", "7:6"]]);
      bench.socket.event({ ...answer, session: "u", resumed });
      await settle();
      assert.deepEqual(requests(bench.socket), [["/p/*", SECOND]]);
    }
  }
});

test("patterns and subjects overlap", () => {
  for (const [one, other, expected] of [
    ["/a/*", "/a/b", true],
    ["/a/*", "/a/b/c", false],
    ["/a/**", "/a/b/c", true],
    ["/a/**", "/a", false],
    ["/*/b", "/a/*", true],
    ["/*/b", "/a/c", false],
    ["/a/**", "/*/b/c", true],
    ["/a/**", "/b/**", false],
    ["/**", "/a", true],
  ] as const) {
    assert.equal(overlap(one, other), expected, `${one} ${other}`);
    assert.equal(overlap(other, one), expected, `${other} ${one}`);
  }
});
