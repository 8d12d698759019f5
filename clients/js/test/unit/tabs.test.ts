import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonEncoding } from "../../src/json.js";
import { connectPatterns } from "../../src/patterns/index.js";
import { connectTabs, type TabsOptions } from "../../src/tabs/index.js";
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

function group(count: number, options: Partial<TabsOptions> = {}): { tabs: Client[]; sockets: FakeSocket[] } {
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
      ...options,
    }),
  );
  return { tabs, sockets };
}

/** The server's history, from which a tab reads what it missed. */
function history(messages: object[]): string[] {
  const asked: string[] = [];
  globalThis.fetch = (async (url: string) => {
    asked.push(url);
    return Response.json({ messages });
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
    return Response.json({ messages: [] });
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

/** Answers polls of a pattern in this order, and later ones with the last position. */
function polls(...answers: object[]): string[] {
  const asked: string[] = [];
  globalThis.fetch = (async (url: string) => {
    asked.push(decodeURIComponent(url));
    return Response.json(answers.length > 1 ? answers.shift() : answers[0]);
  }) as unknown as typeof fetch;
  return asked;
}

const recovered = (subject: string, seq: number, data = `${seq}`) => ({
  op: "message",
  subject,
  data,
  epoch: 7,
  seq,
  time: 0,
  type: "recovered",
});

/** Confirms a pattern on the shared connection. */
async function confirmedAt(socket: FakeSocket | undefined, at: string | undefined, recovery = "none") {
  await until(() => !!socket?.fresh.some(({ op }) => op === "subscribe"), "a subscribe");
  const commands = socket?.take("subscribe") ?? [];
  for (const { id, subjects } of commands) {
    for (const subject of subjects) socket?.event({ op: "subscribed", id, subject, recovery, at });
  }
  return commands;
}

function following(tab: Client | undefined, pattern: string, from?: string) {
  const seen: string[] = [];
  const subscription = tab?.subscribe(pattern, {
    from,
    onMessage: (m) => seen.push(`${m.subject} ${m.data}`),
    onGap: (gap) => seen.push(`gap ${gap.reason}`),
  });
  return { seen, subscription };
}

const close = (tabs: Client[]) => Promise.all(tabs.map((tab) => tab.close()));

test("a pattern continues from its position when another tab leads, new subjects included", async () => {
  const { tabs, sockets } = group(2, { connect: connectPatterns });
  await Promise.all(tabs.map((tab) => tab.ready()));
  const { seen, subscription } = following(tabs[1], "/p/*");
  await confirmedAt(sockets[0], "AAAA");
  await subscription?.ready();
  assert.equal(subscription?.position, "AAAA");
  sockets[0]?.message("/p/a", 1);
  // The first position after the answer may precede it.
  for (const at of ["AAAB", "AAAC"]) sockets[0]?.event({ op: "position", at });
  await until(() => subscription?.position === "AAAC", "the later position");
  const asked = polls({ at: "AAAD", messages: [recovered("/p/a", 2), recovered("/p/new", 1)] });
  await tabs[0]?.close();
  await until(() => sockets.length === 2, "another connection");
  const commands = await confirmedAt(sockets[1], "AAAF");
  assert.deepEqual(
    commands.map(({ from }) => from),
    [undefined],
  );
  sockets[1]?.message("/p/a", 3);
  await until(() => seen.length === 4, `four messages, not ${seen}`);
  assert.deepEqual(seen, ["/p/a 1", "/p/a 2", "/p/new 1", "/p/a 3"]);
  assert.deepEqual(
    asked.map((url) => new URL(url).search),
    ["?subject=/p/*&from=AAAC&wait=0ms"],
  );
  assert.equal(subscription?.position, "AAAD");
  await close(tabs);
});

test("a pattern continues from its position when the shared connection is lost", async () => {
  const { tabs, sockets } = group(2, { connect: connectPatterns });
  await Promise.all(tabs.map((tab) => tab.ready()));
  const { seen, subscription } = following(tabs[1], "/p/*");
  await confirmedAt(sockets[0], "AAAA");
  await subscription?.ready();
  await sockets[0]?.end();
  await until(() => sockets.length === 2, "another connection");
  await until(() => !!sockets[1]?.fresh.some(({ op }) => op === "subscribe"), "a subscribe");
  sockets[1]?.message("/p/new", 1, { type: "recovered" });
  const commands = await confirmedAt(sockets[1], "AAAB", "complete");
  assert.deepEqual(
    commands.map(({ from }) => from),
    ["AAAA"],
  );
  sockets[1]?.event({ op: "position", at: "AAAC" });
  await until(() => subscription?.position === "AAAC", "a later position");
  assert.deepEqual(seen, ["/p/new 1"]);
  await close(tabs);
});

test("a gap of the shared pattern reaches every tab, and keeps their positions", async () => {
  const { tabs, sockets } = group(2, { connect: connectPatterns });
  polls({ at: "AAAA", messages: [] });
  await Promise.all(tabs.map((tab) => tab.ready()));
  const all = tabs.map((tab) => following(tab, "/p/*"));
  await confirmedAt(sockets[0], "AAAA");
  await Promise.all(all.map(({ subscription }) => subscription?.ready()));
  await sockets[0]?.end();
  await until(() => sockets.length === 2, "another connection");
  await until(() => !!sockets[1]?.fresh.some(({ op }) => op === "subscribe"), "a subscribe");
  sockets[1]?.event({ op: "gap", subject: "/p/*", to: "0:0", reason: "history-gone" });
  await confirmedAt(sockets[1], "AAAB", "gap");
  await until(() => all.every(({ seen }) => seen.length > 0), "a gap in each tab");
  for (const { seen, subscription } of all) {
    assert.deepEqual(seen, ["gap history-gone"]);
    assert.ok(subscription?.position);
  }
  await close(tabs);
});

test("a tab with an older position reads what it missed, in pieces, before live messages", async () => {
  const { tabs, sockets } = group(2, { connect: connectPatterns });
  await Promise.all(tabs.map((tab) => tab.ready()));
  const first = following(tabs[0], "/p/*");
  await confirmedAt(sockets[0], "AAAC");
  await first.subscription?.ready();
  const long = "x".repeat(70_000);
  const asked = polls(
    { at: "AAAA", messages: [recovered("/p/a", 1), recovered("/p/a", 2, long)] },
    { at: "AAAB", messages: [recovered("/p/b", 1)] },
  );
  const answered = globalThis.fetch;
  globalThis.fetch = (async (url: string) => {
    // A live message arrives during the first poll.
    if (asked.length === 0) sockets[0]?.message("/p/a", 3);
    await new Promise((resolve) => setTimeout(resolve, 20));
    return answered(url);
  }) as typeof fetch;
  const late = following(tabs[1], "/p/*", "AAA0");
  await late.subscription?.ready();
  await until(() => late.seen.length === 4, `four messages, not ${late.seen.length}`);
  assert.deepEqual(late.seen, ["/p/a 1", `/p/a ${long}`, "/p/b 1", "/p/a 3"]);
  assert.deepEqual(
    asked.map((url) => new URL(url).searchParams.get("from")),
    ["AAA0", "AAAA"],
  );
  assert.equal(late.subscription?.position, "AAAB");
  assert.deepEqual(first.seen, ["/p/a 3"]);
  assert.deepEqual(subscribes(sockets[0]), []);
  await close(tabs);
});

test("what a tab reads for one pattern is not delivered to its other patterns", async () => {
  const { tabs, sockets } = group(1, { connect: connectPatterns });
  await Promise.all(tabs.map((tab) => tab.ready()));
  const other = following(tabs[0], "/**");
  await confirmedAt(sockets[0], "AAAC");
  await other.subscription?.ready();
  polls({ at: "AAAB", messages: [recovered("/p/a", 1)] });
  const resumed = following(tabs[0], "/p/*", "AAA0");
  await confirmedAt(sockets[0], "AAAC");
  await resumed.subscription?.ready();
  sockets[0]?.message("/p/a", 2);
  await until(() => resumed.seen.length === 2, `two messages, not ${resumed.seen}`);
  assert.deepEqual(resumed.seen, ["/p/a 1", "/p/a 2"]);
  assert.deepEqual(other.seen, ["/p/a 2"]);
  await close(tabs);
});

test("a tab whose missed messages are gone gets a gap", async () => {
  const { tabs, sockets } = group(1, { connect: connectPatterns });
  await Promise.all(tabs.map((tab) => tab.ready()));
  polls({ at: "AAAB", messages: [{ op: "gap", subject: "/p/*", to: "0:0", reason: "log-cut" }, recovered("/p/a", 9)] });
  const { seen, subscription } = following(tabs[0], "/p/*", "AAA0");
  await confirmedAt(sockets[0], "AAAB");
  assert.deepEqual(await subscription?.ready(), { recovery: "gap", position: undefined });
  assert.deepEqual(seen, ["gap log-cut", "/p/a 9"]);
  await close(tabs);
});

test("a server without positions of patterns is used as before", async () => {
  const { tabs, sockets } = group(2, { connect: connectPatterns });
  const asked = polls({ messages: [] });
  await Promise.all(tabs.map((tab) => tab.ready()));
  const { seen, subscription } = following(tabs[0], "/p/*", "AAA0");
  await confirmedAt(sockets[0], undefined);
  await subscription?.ready();
  sockets[0]?.message("/p/a", 1);
  await until(() => seen.includes("/p/a 1"), `a message, not ${seen}`);
  assert.equal(subscription?.position, undefined);
  assert.deepEqual(asked, []);
  await close(tabs);
});

test("a tab that gets too much while it waits begins again from where it was", async () => {
  const { tabs, sockets } = group(2, { connect: connectPatterns });
  await Promise.all(tabs.map((tab) => tab.ready()));
  const first = following(tabs[0], "/p/*");
  await confirmedAt(sockets[0], "AAAC");
  await first.subscription?.ready();
  const asked: string[] = [];
  globalThis.fetch = (async (url: string) => {
    asked.push(decodeURIComponent(url));
    if (asked.length === 1) {
      const data = "x".repeat(1 << 20);
      for (let seq = 10; seq < 30; seq++) sockets[0]?.message("/p/a", seq, { data });
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    return Response.json({ at: "AAAB", messages: [recovered("/p/a", 30, "end")] });
  }) as unknown as typeof fetch;
  const late = following(tabs[1], "/p/*", "AAA0");
  await late.subscription?.ready();
  assert.ok(late.seen.includes("/p/a end"), `${late.seen}`);
  assert.ok(asked.length >= 2);
  assert.equal(late.subscription?.position, "AAAB");
  await close(tabs);
});

test("a subscription that ends before its answer holds nothing back", async () => {
  const { tabs, sockets } = group(2);
  history([]);
  await Promise.all(tabs.map((tab) => tab.ready()));
  const first = tabs[0]?.subscribe("/a", { onMessage: () => {} });
  await confirmed(sockets[0], 1);
  await first?.ready();
  const { seen, subscription } = following(tabs[1], "/*");
  await confirmed(sockets[0], 1);
  await subscription?.ready();
  let respond: (response: Response) => void = () => {};
  globalThis.fetch = () => new Promise((resolve) => (respond = resolve));
  tabs[1]?.subscribe("/a").unsubscribe();
  await new Promise((resolve) => setTimeout(resolve, 50));
  respond(Response.json({ messages: [] }));
  sockets[0]?.message("/a", 2);
  await until(() => seen.length === 1, "a message of the pattern");
  await close(tabs);
});

test("a history that the server cannot read now is requested again", async () => {
  const { tabs, sockets } = group(2);
  await Promise.all(tabs.map((tab) => tab.ready()));
  tabs[0]?.subscribe("/a", { onMessage: () => {} });
  await confirmed(sockets[0], 2);
  let asked = 0;
  globalThis.fetch = (async () =>
    ++asked === 1
      ? Response.json({ code: "overloaded", reason: "later" }, { status: 503 })
      : Response.json({ messages: [] })) as unknown as typeof fetch;
  await tabs[1]?.subscribe("/a", { onMessage: () => {} }).ready();
  assert.equal(asked, 2);
  await close(tabs);
});
