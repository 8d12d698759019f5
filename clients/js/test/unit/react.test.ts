import assert from "node:assert/strict";
import { test } from "node:test";
import { storeOf } from "../../src/react/store.js";
import { Bench } from "../support/sockets.js";

const frame = () => new Promise((resolve) => setTimeout(resolve, 40));

test("components of a subject share one subscription and see the latest messages", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const store = storeOf<string>(bench.client, "/a", { keep: 2 });
  assert.equal(storeOf(bench.client, "/a", {}), store);
  let renders = 0;
  const ends = [store.subscribe(() => renders++), store.subscribe(() => {})];
  assert.equal(socket.take("subscribe").length, 1);
  assert.equal(store.get().ready, false);
  socket.event({ op: "subscribed", subject: "/a", epoch: 7, seq: 0, recovery: "none" });
  for (const seq of [1, 2, 3, 5]) socket.message("/a", seq);
  await frame();
  assert.equal(renders, 1);
  const state = store.get();
  assert.equal(state, store.get());
  assert.deepEqual(
    state.messages.map(({ data }) => data),
    ["3", "5"],
  );
  assert.deepEqual([state.latest?.data, state.gap?.to, state.ready], ["5", "7:4", true]);
  for (const end of ends) end();
  const again = store.subscribe(() => {});
  await new Promise((resolve) => setTimeout(resolve, 1100));
  assert.deepEqual(socket.take("unsubscribe"), []);
  again();
  await new Promise((resolve) => setTimeout(resolve, 1100));
  assert.equal(socket.take("unsubscribe").length, 1);
  await bench.client.close();
});

test("a refusal is shown to the components", async () => {
  const bench = new Bench();
  const socket = await bench.connected();
  const store = storeOf<string>(bench.client, "/a", {});
  const end = store.subscribe(() => {});
  const id = socket.take("subscribe")[0]?.id;
  socket.event({ op: "error", id, code: "subscribe-denied", reason: "", subject: "/a" });
  await frame();
  assert.equal(store.get().error?.code, "subscribe-denied");
  end();
  await bench.client.close();
});
