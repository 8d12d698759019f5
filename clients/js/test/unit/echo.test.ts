import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { originTag, publishWithoutEcho } from "../../src/echo/index.js";
import type { Message } from "../../src/types.js";
import { settle } from "../support/clock.js";
import { Bench } from "../support/sockets.js";

test("tags of keys are as the vectors say", () => {
  const vectors = JSON.parse(readFileSync("../../protocol/src/test/resources/vectors/origins.json", "utf8")) as {
    key: string;
    tag: string;
  }[];
  // The keys of this client have 32 characters.
  for (const { key, tag } of vectors.filter(({ key }) => key.length < 56)) assert.equal(originTag(key), tag);
});

test("a client omits its own messages after their positions, on all its connections", async () => {
  const bench = new Bench();
  const plain: string[] = [];
  const pattern: string[] = [];
  const one = bench.client.subscribe("/a", { onMessage: ({ data }: Message) => plain.push(data) });
  bench.client.subscribe("/*", { onMessage: ({ data }: Message) => pattern.push(data) });
  const socket = await bench.connected();
  for (const { id, subjects = [] } of socket.take("subscribe")) {
    for (const subject of subjects) {
      const at = subject === "/a" ? { epoch: 7, seq: 0 } : {};
      socket.event({ op: "subscribed", id, subject, ...at, recovery: "none" });
    }
  }
  await settle();
  void publishWithoutEcho(bench.client, "/a", "x").catch(() => {});
  await settle();
  const [first] = socket.take("publish");
  const $origin = originTag(`${first?.origin}`);
  const message = (seq: number, headers: object, more: object = {}) => ({
    ...{ op: "message", subject: "/a", data: `${seq}`, epoch: 7, seq, time: 0, headers },
    ...more,
  });
  socket.event(message(1, { $origin }));
  socket.event(message(2, { $origin: "AAAAAAAAAAAAAAAA" }));
  socket.event(message(3, { $origin }));
  await settle();
  assert.deepEqual(plain, ["2"]);
  assert.deepEqual(pattern, ["2"]);
  assert.equal(one.position, "7:3");
  void publishWithoutEcho(bench.client, "/a", "y").catch(() => {});
  void bench.client.publish("/a", "z").catch(() => {});
  await settle();
  const [second, plainly] = socket.take("publish");
  assert.equal(second?.origin, first?.origin);
  assert.equal(plainly?.origin, undefined);
  socket.event(message(4, { $origin }, { type: "recovered" }));
  socket.event(message(5, { $origin }, { type: "history" }));
  socket.event(message(6, { $origin }, { type: "snapshot", retained: true }));
  await settle();
  assert.deepEqual(plain, ["2", "5", "6"]);
  // A subscription that begins later omits them too.
  const later: string[] = [];
  bench.client.subscribe("/b", { onMessage: ({ data }: Message) => later.push(data) });
  await settle();
  const [command] = socket.take("subscribe");
  socket.event({ op: "subscribed", id: command?.id, subject: "/b", epoch: 7, seq: 0, recovery: "none" });
  socket.event(message(1, { $origin }, { subject: "/b" }));
  socket.event(message(2, {}, { subject: "/b" }));
  await settle();
  assert.deepEqual(later, ["2"]);
});
