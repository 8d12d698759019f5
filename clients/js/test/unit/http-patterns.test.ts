import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { longPoll } from "../../src/http/index.js";
import { streamTarget } from "../../src/http/stream.js";
import type { LinkOwner, Transport } from "../../src/link.js";
import { connectPatterns } from "../../src/patterns/index.js";
import { settle } from "../support/clock.js";
import { Bench, collecting } from "../support/sockets.js";

/** A client over a stream, whose requests and events are those of the test. */
async function streaming(...subjects: string[]) {
  const owners: LinkOwner[] = [];
  const stream: Transport = {
    name: "httpStream",
    _connect: (owner) => {
      owners.push(owner);
      return {
        _send: () => {},
        _isFull: () => false,
        _expectsReads: () => false,
        _oneStream: true,
        _close: async () => {},
      };
    },
  };
  const bench = new Bench({ transports: [stream] }, connectPatterns);
  const seen: string[] = [];
  const subscriptions = subjects.map((subject) => bench.client.subscribe(subject, collecting(seen)));
  await settle();
  const owner = () => owners.at(-1) as LinkOwner;
  /** Returns the target of the next stream. */
  const opened = () => decodeURIComponent(streamTarget(owner()._wanted()));
  /** Confirms the subjects; the last one has the position of all patterns. */
  const confirm = (recovery: "none" | "complete" | "gap", at: string | undefined, ...subjects: string[]) => {
    for (const subject of subjects) {
      const last = subject === subjects.at(-1);
      const position = subject.includes("*") ? { at: last ? at : undefined } : { epoch: 7, seq: 3 };
      owner()._onEvent({ op: "subscribed", subject, recovery, ...position });
    }
  };
  const message = (subject: string, seq: number) =>
    owner()._onEvent({
      op: "message",
      subject,
      bytes: new TextEncoder().encode(`${subject} ${seq}`),
      epoch: 7,
      seq,
      prev: -1,
      time: 0,
      type: "recovered",
      retained: false,
      headers: {},
    });
  return { bench, seen, subscriptions, opened, confirm, message, owner };
}

test("a stream resumes all patterns from their position", async () => {
  const { seen, subscriptions, opened, confirm, message, owner } = await streaming("/n", "/a/*", "/b/*");
  assert.equal(opened(), "/subscribe?subject=/n&subject=/a/*&subject=/b/*");
  confirm("none", "AQAA", "/n", "/a/*", "/b/*");
  message("/a/x", 4);
  assert.deepEqual(
    subscriptions.slice(1).map(({ position }) => position),
    ["AQAA", "AQAA"],
  );
  owner()._onEvent({ op: "position", at: "AQAB" });
  assert.equal(opened(), "/subscribe?subject=/n&subject=/a/*&subject=/b/*&from=7:3,AQAB");
  message("/a/x", 4);
  message("/a/new", 1);
  confirm("complete", undefined, "/n", "/a/*");
  assert.equal(opened(), "/subscribe?subject=/n&subject=/a/*&subject=/b/*&from=7:3,AQAB", "cut during the recovery");
  confirm("complete", "AQAC", "/n", "/a/*", "/b/*");
  assert.deepEqual(seen, ["/a/x 4", "/a/new 1"]);
  assert.equal(opened(), "/subscribe?subject=/n&subject=/a/*&subject=/b/*&from=7:3,AQAC");
});

test("a subject without a position is nothing between commas", async () => {
  const { bench, opened, confirm } = await streaming("/a/*");
  opened();
  confirm("none", "AQAA", "/a/*");
  bench.client.subscribe("/n", { history: 2 });
  bench.client.subscribe("/m", { history: 2 });
  assert.equal(opened(), "/subscribe?subject=/n&subject=/m&subject=/a/*&from=,,AQAA&history=2");
});

test("patterns of different positions are recovered by their subjects", async () => {
  const { bench, seen, opened, confirm, message } = await streaming("/a/*");
  opened();
  confirm("none", "AQAA", "/a/*");
  message("/a/x", 4);
  bench.client.subscribe("/b/*", collecting(seen));
  assert.equal(opened(), "/subscribe?subject=/a/x&subject=/a/*&subject=/b/*&from=7:4");
  confirm("none", "AQAB", "/a/x", "/a/*", "/b/*");
  assert.deepEqual(seen, ["/a/x 4", "/a/* undefined>undefined not-recovered"]);
  assert.equal(opened(), "/subscribe?subject=/a/*&subject=/b/*&from=AQAB");
});

test("a stream begins at the position of the application", async () => {
  const { bench, opened } = await streaming();
  bench.client.subscribe("/a/*", { from: "AQAA" });
  assert.equal(opened(), "/subscribe?subject=/a/*&from=AQAA");
});

interface Poll {
  readonly target: string;
  readonly response: ServerResponse;
}

/** A server whose polls the test answers; returns them by subject. */
async function polling() {
  const polls: Poll[] = [];
  const server = createServer(({ url = "" }, response) => {
    if (url.startsWith("/poll")) polls.push({ target: decodeURIComponent(url), response });
    else response.end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const seen: string[] = [];
  const recoveries: string[] = [];
  const client = connectPatterns({
    servers: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    transports: [longPoll],
    reconnect: { quickPause: 0 },
    onStatus: (status) => {
      if (status.type === "subscribed") recoveries.push(status.recovery);
    },
  });
  const take = async (subject: string) => {
    for (;;) {
      const index = polls.findIndex(({ target }) => target.includes(`subject=${subject}&`));
      const [poll] = index < 0 ? [] : polls.splice(index, 1);
      if (poll) return poll;
      await setTimeout(5);
    }
  };
  /** Answers the next poll of a subject; returns its target. */
  const answer = async (subject: string, at: string | undefined, ...messages: object[]) => {
    const { target, response } = await take(subject);
    response.end(JSON.stringify({ subject, at, messages }));
    return target;
  };
  const end = async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  };
  return { client, seen, recoveries, answer, take, end };
}

const recovered = (subject: string, seq: number) => ({
  op: "message",
  subject,
  data: `${subject} ${seq}`,
  epoch: 7,
  seq,
  time: 0,
  type: "recovered",
});

test("polls of a pattern continue from its position", { timeout: 20_000 }, async (context) => {
  const { client, seen, recoveries, answer, take, end } = await polling();
  context.after(end);
  const subscription = client.subscribe("/a/*", collecting(seen));
  assert.equal(await answer("/a/*", "AQAA", recovered("/a/x", 1)), "/poll?subject=/a/*&wait=0ms");
  const again = [recovered("/a/x", 1), recovered("/a/new", 1)];
  assert.equal(await answer("/a/*", "AQAB", ...again), "/poll?subject=/a/*&from=AQAA&wait=25000ms");
  // A request that fails is repeated once on the same link.
  for (let i = 0; i < 2; i++) {
    const { target, response } = await take("/a/*");
    assert.equal(target, "/poll?subject=/a/*&from=AQAB&wait=25000ms");
    assert.equal(subscription.position, "AQAB");
    response.destroy();
  }
  assert.equal(await answer("/a/*", "AQAC", recovered("/a/new", 2)), "/poll?subject=/a/*&from=AQAB&wait=0ms");
  await take("/a/*");
  assert.deepEqual(seen, ["/a/x 1", "/a/new 1", "/a/new 2"]);
  assert.deepEqual(recoveries, ["none", "complete"]);
});

test("messages of a poll belong to its pattern", { timeout: 20_000 }, async (context) => {
  const { client, seen, answer, take, end } = await polling();
  context.after(end);
  const wide: string[] = [];
  client.subscribe("/a/*", { ...collecting(seen), from: "AQAA" });
  client.subscribe("/**", { ...collecting(wide), from: "AQAB" });
  await answer("/**", "AQAC", recovered("/a/x", 5));
  await answer("/a/*", "AQAC", recovered("/a/x", 4), recovered("/a/x", 5));
  await Promise.all([take("/**"), take("/a/*")]);
  assert.deepEqual([seen, wide], [["/a/x 4", "/a/x 5"], ["/a/x 5"]]);
});

test("a gap that a poll begins with is the result of the recovery", { timeout: 20_000 }, async (context) => {
  const { client, seen, recoveries, answer, take, end } = await polling();
  context.after(end);
  client.subscribe("/a/*", { ...collecting(seen), from: "AQAA" });
  await answer("/a/*", "AQAB", { op: "gap", subject: "/a/*", to: "0:0", reason: "epoch-changed" });
  await take("/a/*");
  assert.deepEqual(seen, ["/a/* undefined>undefined epoch-changed"]);
  assert.deepEqual(recoveries, ["gap"]);
});

test("without positions each poll of a pattern is followed by a gap", { timeout: 20_000 }, async (context) => {
  const { client, seen, answer, take, end } = await polling();
  context.after(end);
  client.subscribe("/a/*", collecting(seen));
  await answer("/a/*", undefined);
  assert.equal(await answer("/a/*", undefined), "/poll?subject=/a/*&wait=25000ms");
  await take("/a/*");
  assert.deepEqual(seen, ["/a/* undefined>undefined not-recovered"]);
});
