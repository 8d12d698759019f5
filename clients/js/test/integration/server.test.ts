import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { WebSocket } from "ws";
import { httpStream, jsonEncoding, longPoll, withRefusals } from "../../src/http/index.js";
import type { Client, ClientOptions, Gap, Message, Status, Transport } from "../../src/index.js";
import { connect, json, watch, webSocket } from "../../src/index.js";
import { keepSession } from "../../src/keep/index.js";
import { connectPatterns } from "../../src/patterns/index.js";
import { CuttingProxy, stopAll, TestServer, until } from "../support/server.js";

let server: TestServer;
const clients: Client[] = [];

before(async () => {
  server = await TestServer.start("PubSubTightlyCoupled=true", "CacheSize=1000");
});

after(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await stopAll();
});

function client(options: Partial<ClientOptions> = {}): Client {
  const made = connect({ servers: server.url, webSocket: WebSocket, onStatus: () => {}, ...options });
  clients.push(made);
  return made;
}

const variants: [string, Partial<ClientOptions>][] = [
  ["WebSocket, binary", {}],
  ["WebSocket, JSON", { encoding: jsonEncoding }],
  ["HTTP stream", { transports: [httpStream] }],
  ["long polling", { transports: [longPoll] }],
];

let subjects = 0;
const subject = () => `/test/${++subjects}`;

for (const [name, options] of variants.slice(0, 2)) {
  test(`${name}: a pattern with positions loses nothing of old and new subjects`, async () => {
    const proxy = await CuttingProxy.start(server.port);
    const at = subject();
    const reconnect = { quickPause: 20, firstPause: 20, longestPause: 50, avoidFailedFor: 50 };
    const one = connectPatterns({
      servers: proxy.url,
      webSocket: WebSocket,
      onStatus: () => {},
      reconnect,
      ...options,
    });
    clients.push(one);
    const seen = new Map<string, string[]>();
    const gaps: Gap[] = [];
    const add = (to: Map<string, string[]>, name: string, data: string) =>
      to.set(name, [...(to.get(name) ?? []), data]);
    const subscription = one.subscribe(`${at}/**`, {
      onMessage: (m) => add(seen, m.subject, m.data),
      onGap: (gap) => gaps.push(gap),
    });
    await subscription.ready();
    const first = subscription.position;
    const expected = new Map<string, string[]>();
    for (let n = 0; n < 200; n++) {
      if (n % 20 === 10) proxy.cut();
      const name = `${at}/${n % (1 + Math.floor(n / 20))}`;
      await server.publish(name, `${n}`);
      add(expected, name, `${n}`);
      if (n % 20 === 15) await until(() => proxy.open === 1);
    }
    const count = () => [...seen.values()].flat().length;
    await until(() => count() >= 200, `200 messages, not ${count()}`, 20_000);
    assert.deepEqual(Object.fromEntries(seen), Object.fromEntries(expected));
    assert.deepEqual(gaps, []);
    assert.ok(proxy.upgrades > 5);
    await one.close();
    await proxy.stop();

    const next = connectPatterns({ servers: server.url, webSocket: WebSocket, onStatus: () => {}, ...options });
    clients.push(next);
    seen.clear();
    const again = next.subscribe(`${at}/**`, { from: first, onMessage: (m) => add(seen, m.subject, m.data) });
    assert.deepEqual(await again.ready(), { recovery: "complete", position: undefined });
    assert.deepEqual(Object.fromEntries(seen), Object.fromEntries(expected));
    await next.close();
  });

  test(`${name}: the position of another history is a gap of the pattern`, async () => {
    const at = subject();
    const one = connectPatterns({ servers: server.url, webSocket: WebSocket, onStatus: () => {}, ...options });
    clients.push(one);
    const gaps: Gap[] = [];
    const pattern = one.subscribe(`${at}/*`, {
      from: "AQAAAYvP5WgABfv_",
      onMessage: () => {},
      onGap: (gap) => gaps.push(gap),
    });
    assert.equal((await pattern.ready()).recovery, "gap");
    assert.deepEqual(gaps, [
      { kind: "gap", subject: `${at}/*`, from: undefined, to: undefined, reason: "epoch-changed" },
    ]);
    await one.close();
  });
}

for (const [name, options] of variants) {
  test(`${name}: messages arrive with their data, position and type`, async () => {
    const at = subject();
    const one = client(options);
    const seen: Message<{ n: number }>[] = [];
    const subscription = one.subscribe<{ n: number }>(at, { decode: json, onMessage: (m) => seen.push(m) });
    const { position } = await subscription.ready();
    assert.match(position ?? "", /^\d+:\d+$/);
    const positions: string[] = [];
    for (let n = 0; n < 20; n++) positions.push(await one.publish(at, { n }));
    await until(() => seen.length === 20, `20 messages, not ${seen.length}`);
    assert.deepEqual(
      seen.map((m) => [m.data.n, m.position, m.subject]),
      positions.map((p, n) => [n, p, at]),
    );
    await one.close();
  });

  test(`${name}: after a cut everything is recovered, once and in order`, async () => {
    const proxy = await CuttingProxy.start(server.port);
    const at = subject();
    const one = client({ servers: proxy.url, ...options });
    const seen: string[] = [];
    const subscription = one.subscribe(at, {
      onMessage: (m) => seen.push(m.data),
      onGap: (gap) => seen.push(`gap ${gap.reason}`),
    });
    await subscription.ready();
    const expected: string[] = [];
    for (let n = 0; n < 60; n++) {
      if (n % 20 === 10) proxy.cut();
      await server.publish(at, `${n}`);
      expected.push(`${n}`);
    }
    await until(() => seen.length >= 60, `60 messages, not ${seen.length}`, 20_000);
    assert.deepEqual(seen, expected);
    await one.close();
    await proxy.stop();
  });

  test(`${name}: history and positions are resumed`, async () => {
    const at = subject();
    const positions: string[] = [];
    for (let n = 0; n < 5; n++) positions.push(await server.publish(at, `${n}`));
    const read = async (more: object, count: number) => {
      const one = client(options);
      const seen: string[] = [];
      one.subscribe(at, { ...more, onMessage: (m) => seen.push(`${m.type} ${m.data}`) });
      await until(() => seen.length === count, `${count} messages, not ${seen}`);
      await one.close();
      return seen;
    };
    assert.deepEqual(await read({ history: 2 }, 2), ["history 3", "history 4"]);
    assert.deepEqual(await read({ from: positions[2] }, 2), ["recovered 3", "recovered 4"]);
  });

  test(`${name}: an unknown position is a gap`, async () => {
    const at = subject();
    await server.publish(at, "x");
    const one = client(options);
    const gaps: Gap[] = [];
    one.subscribe(at, { from: "1:1", onMessage: () => {}, onGap: (gap) => gaps.push(gap) });
    await until(() => gaps.length > 0);
    assert.equal(gaps[0]?.reason, "epoch-changed");
    await one.close();
  });

  test(`${name}: a refused publish has its code`, async () => {
    const one = client(options);
    await assert.rejects(one.publish(subject(), "x".repeat(70_000)), { code: "message-too-large" });
    await one.close();
  });
}

for (const [name, options] of variants.slice(0, 3)) {
  test(`${name}: a pattern receives its subjects, retained messages first`, async () => {
    const at = subject();
    await server.publish(`${at}/r`, "kept", "&retain");
    const one = client(options);
    const seen: string[] = [];
    const subscription = one.subscribe(`${at}/*`, {
      onMessage: (m) => seen.push(`${m.type} ${m.subject.slice(-1)} ${m.data}`),
    });
    await subscription.ready();
    await one.publish(`${at}/a`, "1");
    await one.publish(`${at}/b`, "2");
    await until(() => seen.length === 3, `3 messages, not ${seen}`);
    assert.deepEqual(seen, ["snapshot r kept", "live a 1", "live b 2"]);
    await one.close();
  });

  test(`${name}: known subjects of a pattern are recovered after a cut`, async () => {
    const proxy = await CuttingProxy.start(server.port);
    const at = subject();
    const one = client({ servers: proxy.url, ...options });
    const seen: string[] = [];
    const subscription = one.subscribe(`${at}/**`, {
      onMessage: (m) => seen.push(m.data),
      onGap: (gap) => seen.push(`gap ${gap.subject === `${at}/**` ? "of the pattern" : gap.subject}`),
    });
    await subscription.ready();
    await server.publish(`${at}/a`, "1");
    await until(() => seen.length === 1);
    proxy.refuses = true;
    proxy.cut();
    for (const n of [2, 3]) await server.publish(`${at}/a`, `${n}`);
    proxy.refuses = false;
    await until(() => seen.length >= 4, `4 items, not ${seen}`);
    await server.publish(`${at}/a`, "4");
    await until(() => seen.includes("4"));
    assert.deepEqual(
      seen.filter((item) => !item.startsWith("gap")),
      ["1", "2", "3", "4"],
    );
    assert.equal(seen.filter((item) => item === "gap of the pattern").length, 1);
    await one.close();
    await proxy.stop();
  });
}

for (const [name, options] of variants.slice(0, 2)) {
  test(`${name}: a kept session continues after a cut without a subscribe, and nothing is lost`, async () => {
    const proxy = await CuttingProxy.start(server.port);
    const frames: string[] = [];
    const recording = class extends WebSocket {
      override send(data: string | Uint8Array): void {
        // A binary command begins with its number.
        frames.push(typeof data === "string" ? (JSON.parse(data) as { op: string }).op : `${data[0]}`);
        super.send(data);
      }
    };
    const isSubscribe = (frame: string) => frame === "subscribe" || frame === "2";
    const one = client({
      servers: proxy.url,
      webSocket: recording,
      transports: [keepSession(webSocket)],
      ...options,
    });
    const subjects = Array.from({ length: 5 }, subject);
    const seen = new Map(subjects.map((at) => [at, [] as string[]]));
    for (const at of subjects) {
      const items = seen.get(at);
      const onGap = (gap: Gap) => items?.push(`gap ${gap.reason}`);
      await one.subscribe(at, { onMessage: (m) => items?.push(m.data), onGap }).ready();
    }
    assert.equal(frames.filter(isSubscribe).length, 5);
    for (let n = 0; n < 60; n++) {
      if (n % 20 === 10) {
        const upgrades = proxy.upgrades;
        proxy.cut();
        // The client may be connected again before its status is looked at.
        await until(() => one.status !== "connected" || proxy.upgrades > upgrades, "the end of the connection");
      }
      await server.publish(subjects[n % 5] as string, `${n}`);
      if (n % 20 === 15) await one.ready();
    }
    await until(() => [...seen.values()].every((items) => items.length >= 12), "all messages", 20_000);
    subjects.forEach((at, i) => {
      assert.deepEqual(
        seen.get(at),
        Array.from({ length: 12 }, (_, n) => `${n * 5 + i}`),
      );
    });
    assert.equal(proxy.upgrades, 4);
    assert.equal(frames.filter(isSubscribe).length, 5);
    await one.close();
    await proxy.stop();
  });
}

test("a stopped server is resumed after its restart, with the gap of its epoch", async () => {
  const own = await TestServer.start();
  const one = client({ servers: own.url });
  const seen: string[] = [];
  const subscription = one.subscribe("/a", {
    onMessage: (m) => seen.push(m.data),
    onGap: (gap) => seen.push(gap.reason),
  });
  await subscription.ready();
  await one.publish("/a", "1");
  await until(() => seen.length === 1);
  await own.kill();
  const publish = one.publish("/a", "2");
  await own.start();
  await publish;
  await until(() => seen.includes("2"), "the message after the restart", 20_000);
  assert.deepEqual(seen, ["1", "epoch-changed", "2"]);
  await one.close();
  await own.stop();
});

test("a publish repeated after a cut is stored once", async () => {
  const proxy = await CuttingProxy.start(server.port);
  const at = subject();
  const one = client({ servers: proxy.url });
  await one.ready();
  proxy.holds = true;
  const publishes = [1, 2, 3].map((n) => one.publish(at, `${n}`));
  await new Promise((resolve) => setTimeout(resolve, 200));
  proxy.holds = false;
  proxy.cut();
  const positions = await Promise.all(publishes);
  assert.equal(new Set(positions).size, 3);
  const { messages } = (await (await fetch(`${server.http}/history?subject=${at}`)).json()) as { messages: unknown[] };
  assert.equal(messages.length, 3);
  await one.close();
  await proxy.stop();
});

test("a slow iterator bounds its memory and gets everything or a gap", async () => {
  const at = subject();
  const one = client();
  const subscription = one.subscribe(at, { buffer: { count: 50 } });
  await subscription.ready();
  const publisher = client();
  for (let i = 0; i < 20; i++) {
    await Promise.all(Array.from({ length: 100 }, (_, n) => publisher.publish(at, `${i * 100 + n}`)));
  }
  let seen = 0;
  let missing = 0;
  for await (const item of subscription) {
    if (item.kind === "message") {
      assert.equal(item.data, `${seen + missing}`);
      seen++;
    } else {
      missing += Number(item.to?.split(":")[1]) - Number(item.from?.split(":")[1]);
    }
    if (seen + missing === 2000) break;
  }
  assert.ok(missing > 0 && seen >= 1000, `${seen} seen, ${missing} missing`);
  await one.close();
  await publisher.close();
});

test("a publisher is notified of the first and the last subscriber", async () => {
  const at = subject();
  const one = client();
  const seen: boolean[] = [];
  await one.ready();
  const end = watch(one, at, (subscribers) => seen.push(subscribers));
  await until(() => seen.length === 1);
  const other = client();
  const subscription = other.subscribe(at, { onMessage: () => {} });
  await until(() => seen.length === 2);
  subscription.unsubscribe();
  await until(() => seen.length === 3);
  assert.deepEqual(seen, [false, true, false]);
  end();
  await one.close();
  await other.close();
});

test("behind a proxy that swallows upgrades the client falls back to the stream", async () => {
  const proxy = await CuttingProxy.start(server.port);
  proxy.swallowsUpgrades = true;
  const at = subject();
  const statuses: Status[] = [];
  const transports: Transport[] = [webSocket, httpStream, longPoll];
  const one = client({ servers: proxy.url, transports, onStatus: (s) => statuses.push(s), connectTimeout: 2000 });
  const seen: string[] = [];
  one.subscribe(at, { onMessage: (m) => seen.push(m.data) });
  await one.ready();
  await one.publish(at, "x");
  await until(() => seen.length === 1);
  const connected = statuses.find((s) => s.type === "connected");
  assert.equal(connected?.type === "connected" && connected.transport, "httpStream");
  await one.close();
  await proxy.stop();
});

test("a refused handshake has the server's code in Node.js", async () => {
  const own = await TestServer.start("Limit.Connections=1");
  const first = client({ servers: own.url });
  await first.ready();
  const statuses: Status[] = [];
  const second = client({ servers: own.url, webSocket: withRefusals(WebSocket), onStatus: (s) => statuses.push(s) });
  await until(() => statuses.some((s) => s.type === "disconnected"));
  const status = statuses.find((s) => s.type === "disconnected");
  assert.equal(status?.type === "disconnected" && status.code, "too-many-connections");
  await second.close();
  await first.close();
  await own.stop();
});

test("a silent connection is given up after two intervals", async () => {
  const own = await TestServer.start("PingInterval=1s");
  const proxy = await CuttingProxy.start(own.port);
  const statuses: Status[] = [];
  const one = client({ servers: proxy.url, onStatus: (s) => statuses.push(s) });
  await one.ready();
  proxy.holds = true;
  await until(() => statuses.some((s) => s.type === "disconnected"), "a disconnect", 8000);
  const status = statuses.find((s) => s.type === "disconnected");
  assert.equal(status?.type === "disconnected" && status.code, "timed-out");
  await one.close();
  await proxy.stop();
  await own.stop();
});
