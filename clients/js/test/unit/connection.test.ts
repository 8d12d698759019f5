import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "../../src/client.js";
import type { LinkOwner, Transport } from "../../src/link.js";
import type { TransportName } from "../../src/types.js";
import { settle } from "../support/clock.js";
import { Bench } from "../support/sockets.js";

test("connect returns at once and ready resolves when the server has answered", async () => {
  const bench = new Bench();
  assert.equal(bench.client.status, "connecting");
  const ready = bench.client.ready();
  await bench.connected();
  await ready;
  assert.equal(bench.client.status, "connected");
  assert.deepEqual(bench.types(), ["connecting", "connected"]);
});

test("invalid servers are refused at once", () => {
  for (const servers of ["ftp://a", "ws://", "ws://a?x", [], [{ url: "ws://a", weight: 0 }]]) {
    assert.throws(() => new Bench({ servers }), { code: "bad-server" });
  }
});

test("pauses are drawn from the whole range and grow to the longest", async () => {
  const bench = new Bench();
  bench.clock.chance = () => 0.999999;
  const pauses: number[] = [];
  for (let i = 0; i < 10; i++) {
    if (i) await bench.reopened();
    await settle();
    await bench.socket.end();
    pauses.push(bench.last("disconnected")?.retryIn ?? -1);
  }
  assert.deepEqual(pauses, [500, 500, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000]);
});

test("a thousand clients that lost a server do not return together", async () => {
  const pauses: number[] = [];
  for (let i = 0; i < 1000; i++) {
    const bench = new Bench();
    bench.clock.chance = Math.random;
    await settle();
    await bench.socket.end();
    pauses.push(bench.last("disconnected")?.retryIn ?? -1);
    await bench.client.close();
  }
  const tenths = Array.from({ length: 10 }, (_, i) => pauses.filter((p) => p >= i * 50 && p < (i + 1) * 50).length);
  assert.ok(
    tenths.every((count) => count > 50 && count < 160),
    `${tenths}`,
  );
});

test("a stable connection resets the pauses, a short one does not", async () => {
  const bench = new Bench();
  bench.clock.chance = () => 0.999999;
  await bench.connected();
  for (let i = 0; i < 4; i++) {
    await bench.socket.end();
    await (await bench.reopened()).accept();
  }
  assert.equal(bench.last("disconnected")?.retryIn, 1000);
  await bench.clock.pass(10_000);
  await bench.socket.end();
  assert.equal(bench.last("disconnected")?.retryIn, 500);
});

test("a client waits as long as the server asks, and then a random time", async () => {
  const bench = new Bench();
  await settle();
  bench.socket.refusal = { code: "overloaded", reason: "later", number: 503, retryAfter: 5000 };
  await bench.socket.end();
  assert.equal(bench.last("disconnected")?.retryIn, 5500);
});

test("a connect that is refused for a rate ends the attempt at once, and waits as long as the server asks", async () => {
  for (const code of ["command-rate", "token-rate"]) {
    const bench = new Bench({ token: "secret" });
    bench.client.subscribe("/a");
    await settle();
    await bench.socket.open();
    const [connect] = bench.socket.take("connect");
    bench.socket.event({ op: "error", id: connect?.id, code, reason: "too many", after: 3000 });
    bench.socket.event({ op: "error", id: 2, code: "subscribe-denied", reason: "no token", subject: "/a" });
    await settle();
    assert.equal(bench.last("disconnected")?.code, code);
    assert.equal(bench.last("disconnected")?.retryIn, 3500);
    assert.equal(bench.last("subscribe-refused"), undefined);
    await bench.reopened();
    await bench.socket.accept();
    assert.equal(bench.client.status, "connected");
    await bench.client.close();
  }
});

test("a connect that is refused for a rate on an open connection leaves it open", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  socket.event({ op: "error", id: 9, code: "token-rate", reason: "too many", after: 3000 });
  await settle();
  assert.equal(bench.last("command-failed")?.error.code, "token-rate");
  assert.equal(bench.client.status, "connected");
});

test("the time of a reconnect event is used as it is", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  socket.event({ op: "reconnect", after: 777, reason: "drain" });
  await socket.end(1001, "drain: the server stops");
  assert.equal(bench.last("disconnected")?.retryIn, 777);
  assert.equal(bench.last("disconnected")?.code, "drain");
});

test("a final refusal ends the attempts and fails ready and publishes", async () => {
  const bench = new Bench();
  const ready = bench.client.ready();
  const publish = bench.client.publish("/a", "x");
  await settle();
  await bench.socket.end(1008, "unauthorized: no token");
  await assert.rejects(ready, { code: "unauthorized" });
  await assert.rejects(publish, { kind: "closed", code: "unauthorized" });
  await bench.clock.pass(100_000);
  assert.equal(bench.sockets.length, 1);
  assert.equal(bench.client.status, "refused");
  bench.client.reconnect();
  await bench.connected();
  assert.equal(bench.client.status, "connected");
});

test("a failed server is avoided while others are available", async () => {
  const bench = new Bench({ servers: ["ws://a.example", "ws://b.example"] });
  await settle();
  await bench.socket.end();
  const [first, second] = [bench.socket.url, (await bench.reopened()).url];
  assert.deepEqual([first, second].sort(), ["ws://a.example", "ws://b.example"]);
});

test("servers are chosen by weight", async () => {
  const chosen = { "ws://a.example": 0, "ws://b.example": 0 };
  for (let i = 0; i < 400; i++) {
    const bench = new Bench({ servers: ["ws://a.example", { url: "wss://b.example", weight: 3 }] });
    bench.clock.chance = () => i / 400;
    await bench.client.close();
    const again = new Bench({
      servers: ["ws://a.example", { url: "ws://b.example", weight: 3 }],
      environment: bench.clock,
    });
    await settle();
    chosen[again.socket.url as keyof typeof chosen]++;
    await again.client.close();
  }
  assert.deepEqual(chosen, { "ws://a.example": 100, "ws://b.example": 300 });
});

test("an attempt without an answer ends after the time limit", async () => {
  const bench = new Bench({ connectTimeout: 3000 });
  await settle();
  await bench.socket.open();
  await bench.clock.pass(3000);
  assert.equal(bench.last("disconnected")?.code, "timed-out");
});

test("a silent server is asked after one interval and given up after two", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  await bench.clock.pass(24_000);
  assert.deepEqual(socket.take("ping"), []);
  await bench.clock.pass(3000);
  assert.equal(socket.take("ping").length, 1);
  socket.event({ op: "pong" });
  await bench.clock.pass(45_000);
  assert.equal(bench.client.status, "connected");
  assert.equal(socket.take("ping").length, 1);
  await bench.clock.pass(10_000);
  assert.equal(bench.last("disconnected")?.code, "timed-out");
});

test("a requested ping interval is sent and the server's answer counts", async () => {
  const bench = new Bench({ pingInterval: 300_000 });
  await settle();
  const { socket } = bench;
  await socket.accept(600_000);
  assert.equal(socket.take("connect")[0]?.ping, 300_000);
  await bench.clock.pass(598_000);
  assert.deepEqual(socket.take("ping"), []);
  await bench.clock.pass(4000);
  assert.equal(socket.take("ping").length, 1);
  assert.equal(bench.client.status, "connected");
});

test("a quiet server that answers pings is kept with an interval as short as the periodic check", async () => {
  const bench = new Bench();
  await settle();
  const { socket } = bench;
  await socket.accept(1000);
  for (let i = 0; i < 60; i++) {
    await bench.clock.pass(1000);
    if (socket.take("ping").length) socket.event({ op: "pong" });
  }
  assert.equal(bench.client.status, "connected");
  await bench.clock.pass(4000);
  assert.equal(bench.last("disconnected")?.code, "timed-out");
});

test("a device that slept probes its connection before it judges", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  await bench.clock.sleep(24 * 3600_000);
  assert.equal(bench.client.status, "connected");
  assert.equal(socket.take("ping").length, 1);
  socket.event({ op: "pong" });
  await bench.clock.pass(10_000);
  assert.equal(bench.client.status, "connected");
  await bench.clock.sleep(3600_000);
  await bench.clock.pass(2000);
  assert.equal(bench.last("disconnected")?.code, "timed-out");
  await bench.reopened(1000);
});

test("a device that slept during a pause does not wait for its rest", async () => {
  const bench = new Bench({ reconnect: { quickAttempts: 0, firstPause: 60_000, longestPause: 60_000 } });
  await bench.connected();
  await bench.socket.end();
  await bench.clock.sleep(10_000);
  await bench.reopened(200);
});

test("a token is sent with connect before the subscriptions", async () => {
  const bench = new Bench({ token: "secret" });
  bench.client.subscribe("/a");
  const socket = await bench.connected();
  assert.deepEqual(
    socket.sent.map(({ op }) => op),
    ["connect", "subscribe"],
  );
  assert.equal((socket.sent[0] as { token?: string }).token, "secret");
});

test("a fixed token that is refused ends the attempts; a supplied one is replaced", async () => {
  const fixed = new Bench({ token: "old" });
  await settle();
  await fixed.socket.end(1008, "unauthorized: revoked");
  assert.equal(fixed.client.status, "refused");
  const reasons: string[] = [];
  const supplied = new Bench({
    token: async ({ reason }) => {
      reasons.push(reason);
      return `token-${reasons.length}`;
    },
  });
  await settle();
  await supplied.socket.open();
  await supplied.socket.end(1008, "unauthorized: revoked");
  assert.equal(supplied.last("disconnected")?.retryIn, 1000);

  await supplied.reopened();
  await supplied.connected();
  assert.deepEqual(reasons, ["connect", "refused"]);
  assert.equal((supplied.socket.sent[0] as { token?: string }).token, "token-2");
});

test("a token that expired is replaced by a quick attempt", async () => {
  const bench = new Bench({ token: async () => "fresh" });
  await bench.connected();
  await bench.socket.end(4012, "token-expired: at 7");
  assert.equal(bench.last("disconnected")?.retryIn, 250);
});

test("a token that expires is replaced without a disconnect, after a failure again", async () => {
  const reasons: string[] = [];
  const bench = new Bench({
    token: async ({ reason }) => {
      reasons.push(reason);
      if (reasons.length === 2) throw new Error("the login service is down");
      return `token-${reasons.length}`;
    },
  });
  const socket = await bench.connected();
  socket.take("connect");
  socket.event({ op: "token-to-expire", after: 60_000 });
  await settle();
  assert.equal(bench.last("token-failed")?.type, "token-failed");
  assert.deepEqual(socket.take("connect"), []);
  await bench.clock.pass(31_000);
  assert.equal(socket.take("connect")[0]?.token, "token-3");
  assert.deepEqual(reasons, ["connect", "expiring", "expiring"]);
});

test("a token source that fails is asked again with growing pauses, and never twice at once", async () => {
  let asked = 0;
  let answer: (token: string) => void = () => {};
  const bench = new Bench({
    connectTimeout: 1000,
    token: () => {
      asked++;
      return new Promise<string>((resolve) => {
        answer = resolve;
      });
    },
  });
  await bench.clock.pass(20_000);
  assert.equal(asked, 1);
  assert.equal(bench.sockets.length, 0);
  answer("late");
  await bench.reopened();
  assert.equal(bench.sockets.length, 1);
});

test("a client that is closed when its token fails stays closed", async () => {
  let asked = 0;
  const types: string[] = [];
  const bench: Bench = new Bench({
    token: async () => {
      asked++;
      throw new Error("the login has expired");
    },
    onStatus: ({ type }) => {
      types.push(type);
      if (type === "token-failed") bench.client.close();
    },
  });
  await bench.clock.pass(60_000);
  assert.equal(asked, 1);
  assert.deepEqual(types, ["connecting", "token-failed", "closed"]);
  assert.equal(bench.clock.timers, 0);
});

test("a closed client holds no timer and reports nothing more", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  bench.client.subscribe("/a", { onMessage: () => assert.fail("a message after close") });
  socket.confirm(7, 1);
  const publish = bench.client.publish("/a", "x");
  const closed = bench.client.close();
  await assert.rejects(publish, { kind: "closed" });
  await closed;
  socket.message("/a", 2);
  assert.equal(bench.clock.timers, 0);
  assert.equal(bench.types().at(-1), "closed");
  assert.throws(() => bench.client.subscribe("/b"), { code: "client-closed" });
  await assert.rejects(bench.client.ready(), { code: "client-closed" });
});

test("a client closes when its signal aborts", async () => {
  const abort = new AbortController();
  const bench = new Bench({ signal: abort.signal });
  await bench.connected();
  abort.abort();
  assert.equal(bench.client.status, "closed");
});

test("an invalid event ends the connection, and the client reconnects", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  socket.onmessage({ data: "{" });
  assert.equal(bench.last("disconnected")?.code, "bad-frame");
  await bench.reopened();
});

test("events with unknown names are ignored, also with those of methods of all objects", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  for (const op of ["later", "toString", "constructor"]) socket.event({ op });
  socket.onmessage({ data: '{"op":"__proto__"}' });
  assert.deepEqual(bench.types(), ["connecting", "connected"]);
});

test("statuses of the server are reported", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  socket.event({ op: "stale", stale: true });
  socket.event({ op: "error", code: "internal", reason: "x" });
  assert.equal(bench.last("stale")?.stale, true);
  assert.equal(bench.last("command-failed")?.error.code, "internal");
});

test("without a WebSocket class connect throws at once", { skip: "WebSocket" in globalThis }, () => {
  assert.throws(() => connect({ servers: "ws://a.example" }), { code: "unsupported" });
});

test("a client whose name another connection has taken does not return", async () => {
  const bench = new Bench();
  await bench.connected();
  await bench.socket.end(4014, "client-taken: another connection has taken the name of the client");
  assert.equal(bench.client.status, "refused");
  assert.equal(bench.last("refused")?.code, "client-taken");
  await bench.clock.pass(100_000);
  assert.equal(bench.sockets.length, 1);
});

test("after a refusal reconnect lets publishes and ready wait again", async () => {
  const bench = new Bench();
  await settle();
  await bench.socket.end(1008, "unauthorized: no token");
  bench.client.reconnect();
  const ready = bench.client.ready();
  const publish = bench.client.publish("/a", "x");
  const socket = await bench.connected();
  await ready;
  socket.event({ op: "published", id: socket.take("publish")[0]?.id, epoch: 7, seq: 1 });
  assert.equal(await publish, "7:1");
});

test("an error that ends the session does not remove a subscription", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  bench.client.subscribe("/a", { onMessage: () => {} });
  const id = socket.take("subscribe")[0]?.id;
  socket.event({ op: "error", id, code: "decide-timeout", reason: "", subject: "/a" });
  await socket.end(1013, "decide-timeout: no decision");
  const next = await bench.reopened();
  await next.accept();
  assert.deepEqual(next.take("subscribe")[0]?.subjects, ["/a"]);
});

test("a transport that never worked is replaced, and one that worked is kept until it fails twice", async () => {
  const tried: string[] = [];
  const owners: LinkOwner[] = [];
  const transport = (name: TransportName): Transport => ({
    name,
    _connect: (owner) => {
      tried.push(name);
      owners.push(owner);
      return { _send: () => {}, _isFull: () => false, _expectsReads: () => false, _close: async () => {} };
    },
  });
  const bench = new Bench({ transports: [transport("webSocket"), transport("httpStream"), transport("longPoll")] });
  const attempt = async (number: number) => {
    while (owners.length < number) await bench.clock.pass(50);
    return owners[number - 1];
  };
  let number = 0;
  const fail = async (works: boolean) => {
    const owner = await attempt(++number);
    if (works) {
      owner?._onOpen(0);
      owner?._onEvent({ op: "stale", stale: false });
    }
    owner?._onEnd({ code: "unreachable", reason: "" });
  };
  for (const works of [false, true, false, false, false]) await fail(works);
  await attempt(6);
  assert.deepEqual(tried, ["webSocket", "httpStream", "httpStream", "httpStream", "longPoll", "webSocket"]);
  await bench.client.close();
});

test("a token source that fails does not change the transport", async () => {
  const bench = new Bench({
    transports: ["webSocket", "longPoll"].map(
      (name) => ({ name, _connect: () => assert.fail() }) as unknown as Transport,
    ),
    token: async () => {
      throw new Error("the login service is down");
    },
  });
  await bench.clock.pass(20_000);
  const transports = bench.statuses.map((status) => status.type === "connecting" && status.transport).filter(Boolean);
  assert.ok(transports.length > 3 && transports.every((name) => name === "webSocket"), `${transports}`);
  await bench.client.close();
});
