import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonEncoding } from "../../src/json.js";
import { connectTabs } from "../../src/tabs/index.js";
import type { Client, WebSocketClass } from "../../src/types.js";
import { until } from "../support/server.js";
import { FakeSocket } from "../support/sockets.js";

type Grant = (lock: unknown) => unknown;

/** Web Locks of one origin. */
class FakeLocks {
  readonly #queues = new Map<string, { grant: Grant; done: (value: unknown) => void }[]>();

  request(name: string, options: { signal?: AbortSignal } | Grant, callback?: Grant): Promise<unknown> {
    const grant = (callback ?? options) as Grant;
    const { signal } = callback ? (options as { signal?: AbortSignal }) : {};
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(name) ?? [];
      this.#queues.set(name, queue);
      const entry = { grant, done: resolve };
      queue.push(entry);
      signal?.addEventListener("abort", () => {
        if (queue.indexOf(entry) > 0) {
          queue.splice(queue.indexOf(entry), 1);
          reject(signal.reason);
        }
      });
      if (queue.length === 1) void this.#run(name);
    });
  }

  async #run(name: string): Promise<void> {
    const queue = this.#queues.get(name) ?? [];
    for (let entry = queue[0]; entry; entry = queue[0]) {
      await Promise.resolve();
      const { grant, done } = entry;
      done(await grant({ name }));
      queue.shift();
    }
  }
}

function group(count: number): { tabs: Client[]; sockets: FakeSocket[] } {
  const sockets: FakeSocket[] = [];
  const webSocket = class extends FakeSocket {
    constructor(url: string) {
      super(url);
      sockets.push(this);
      setTimeout(() => void this.accept(), 1);
    }
  } as unknown as WebSocketClass;
  Object.defineProperty(globalThis, "navigator", { value: { locks: new FakeLocks() }, configurable: true });
  const name = `group ${Math.random()}`;
  const tabs = Array.from({ length: count }, () =>
    connectTabs({
      servers: "ws://a.example",
      group: name,
      encoding: jsonEncoding,
      webSocket,
      reconnect: { quickPause: 0 },
    }),
  );
  return { tabs, sockets };
}

/** The server's history, from which a tab reads what it missed. */
function history(messages: object[]): string[] {
  const asked: string[] = [];
  globalThis.fetch = (async (url: string) => {
    asked.push(url);
    return { json: async () => ({ messages }) };
  }) as unknown as typeof fetch;
  return asked;
}

const subscribes = (socket: FakeSocket | undefined) => socket?.take("subscribe") ?? [];

async function confirmed(socket: FakeSocket | undefined, seq: number, recovery = "none") {
  await until(() => !!socket?.fresh.some(({ op }) => op === "subscribe"), "a subscribe");
  const asked = socket?.fresh.filter(({ op }) => op === "subscribe");
  socket?.confirm(7, seq, recovery);
  return asked;
}

test("twenty tabs share one connection and one subscription", async () => {
  const { tabs, sockets } = group(20);
  history([]);
  await Promise.all(tabs.map((tab) => tab.ready()));
  assert.equal(sockets.length, 1);
  const seen: string[][] = tabs.map(() => []);
  const subscriptions = tabs.map((tab, i) => tab.subscribe("/a", { onMessage: (m) => seen[i]?.push(m.data) }));
  await confirmed(sockets[0], 1);
  await Promise.all(subscriptions.map((subscription) => subscription.ready()));
  assert.deepEqual(subscribes(sockets[0]), []);
  for (const seq of [2, 3]) sockets[0]?.message("/a", seq);
  await until(() => seen.every(({ length }) => length === 2), "two messages in each tab");
  assert.ok(seen.every((one) => one.join() === "2,3"));
  await Promise.all(tabs.map((tab) => tab.close()));
});

test("when the leading tab closes, another resumes and nothing is lost", async () => {
  const { tabs, sockets } = group(3);
  history([]);
  await Promise.all(tabs.map((tab) => tab.ready()));
  const seen: string[] = [];
  const subscription = tabs[1]?.subscribe("/a", {
    onMessage: (m) => seen.push(m.data),
    onGap: () => seen.push("gap"),
  });
  await confirmed(sockets[0], 1);
  await subscription?.ready();
  sockets[0]?.message("/a", 2);
  await until(() => seen.length === 1);
  await tabs[0]?.close();
  await until(() => sockets.length === 2, "another connection");
  const asked = await confirmed(sockets[1], 4, "complete");
  assert.deepEqual(
    asked?.map((command) => "from" in command && command.from),
    ["7:2"],
  );
  for (const seq of [3, 4]) sockets[1]?.message("/a", seq, { type: "recovered" });
  sockets[1]?.message("/a", 5);
  await until(() => seen.length === 4, `four messages, not ${seen}`);
  assert.deepEqual(seen, ["2", "3", "4", "5"]);
  await Promise.all(tabs.map((tab) => tab.close()));
});

test("a tab that subscribes later gets what it asks for from the history", async () => {
  const { tabs, sockets } = group(2);
  const asked = history([
    { op: "message", subject: "/a", data: "1", epoch: 7, seq: 1, time: 0, type: "history" },
    { op: "message", subject: "/a", data: "2", epoch: 7, seq: 2, time: 0, type: "history" },
  ]);
  await Promise.all(tabs.map((tab) => tab.ready()));
  tabs[0]?.subscribe("/a", { onMessage: () => {} });
  await confirmed(sockets[0], 2);
  const seen: string[] = [];
  const late = tabs[1]?.subscribe("/a", { history: 2, onMessage: (m) => seen.push(`${m.type} ${m.data}`) });
  await late?.ready();
  sockets[0]?.message("/a", 3);
  await until(() => seen.length === 3, `three messages, not ${seen}`);
  assert.deepEqual(seen, ["history 1", "history 2", "live 3"]);
  assert.match(asked[0] ?? "", /\/history\?subject=%2Fa&count=2$/);
  await Promise.all(tabs.map((tab) => tab.close()));
});

test("a history that cannot be read is asked for again", async () => {
  const { tabs, sockets } = group(2);
  await Promise.all(tabs.map((tab) => tab.ready()));
  tabs[0]?.subscribe("/a", { onMessage: () => {} });
  await confirmed(sockets[0], 2);
  let asked = 0;
  globalThis.fetch = (async () => {
    if (++asked === 1) throw new TypeError("fetch failed");
    return { json: async () => ({ messages: [] }) };
  }) as unknown as typeof fetch;
  await tabs[1]?.subscribe("/a", { onMessage: () => {} }).ready();
  assert.equal(asked, 2);
  await Promise.all(tabs.map((tab) => tab.close()));
});

test("a tab publishes through the leading tab", async () => {
  const { tabs, sockets } = group(2);
  await Promise.all(tabs.map((tab) => tab.ready()));
  const publish = tabs[1]?.publish("/a", "x", { msgId: "m-1" });
  await until(() => !!sockets[0]?.fresh.some(({ op }) => op === "publish"), "a publish");
  const [command] = sockets[0]?.take("publish") ?? [];
  assert.equal(command?.msgId, "m-1");
  sockets[0]?.event({ op: "published", id: command?.id, epoch: 7, seq: 9 });
  assert.equal(await publish, "7:9");
  await Promise.all(tabs.map((tab) => tab.close()));
});

test("a subject is unsubscribed when no tab wants it any more", async () => {
  const { tabs, sockets } = group(2);
  history([]);
  await Promise.all(tabs.map((tab) => tab.ready()));
  const subscriptions = tabs.map((tab) => tab.subscribe("/a", { onMessage: () => {} }));
  await confirmed(sockets[0], 1);
  await Promise.all(subscriptions.map((subscription) => subscription.ready()));
  subscriptions[0]?.unsubscribe();
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(sockets[0]?.take("unsubscribe"), []);
  subscriptions[1]?.unsubscribe();
  await until(() => !!sockets[0]?.fresh.some(({ op }) => op === "unsubscribe"), "an unsubscribe");
  await Promise.all(tabs.map((tab) => tab.close()));
});

test("a subscription that the server ends is ended in every tab", async () => {
  const { tabs, sockets } = group(2);
  history([]);
  await Promise.all(tabs.map((tab) => tab.ready()));
  const ended: string[] = [];
  const subscriptions = tabs.map((tab) => tab.subscribe("/a"));
  await confirmed(sockets[0], 1);
  await Promise.all(subscriptions.map((subscription) => subscription.ready()));
  const iterations = subscriptions.map(async (subscription) => {
    try {
      for await (const _ of subscription);
    } catch (error) {
      ended.push((error as { code: string }).code);
    }
  });
  sockets[0]?.event({ op: "unsubscribed", subject: "/a", reason: "subscribe-denied" });
  await Promise.all(iterations);
  assert.deepEqual(ended, ["subscribe-denied", "subscribe-denied"]);
  await Promise.all(tabs.map((tab) => tab.close()));
});

test("a permanent refusal reaches every tab", async () => {
  const { tabs, sockets } = group(2);
  await Promise.all(tabs.map((tab) => tab.ready()));
  await sockets[0]?.end(1008, "unauthorized: revoked");
  await until(() => tabs.every((tab) => tab.status === "refused"), "the refusal in every tab");
  await Promise.all(tabs.map((tab) => tab.close()));
});
