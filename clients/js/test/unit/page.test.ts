import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClientOptions } from "../../src/types.js";
import { FakeClock } from "../support/clock.js";
import { Bench } from "../support/sockets.js";

class FakePage extends EventTarget {
  readonly document = Object.assign(new EventTarget(), { visibilityState: "visible" });

  show(state: "visible" | "hidden"): void {
    this.document.visibilityState = state;
    this.document.dispatchEvent(new Event("visibilitychange"));
  }

  fire(type: string, persisted = true): void {
    this.dispatchEvent(Object.assign(new Event(type), { persisted }));
  }
}

function inPage(options: Partial<ClientOptions> = {}): { bench: Bench; page: FakePage; clock: FakeClock } {
  const page = new FakePage();
  const clock = new FakeClock();
  clock.page = page;
  const bench = new Bench({ environment: clock, ...options });
  return { bench, page, clock };
}

const SLOW = { quickAttempts: 0, firstPause: 30_000 };

for (const [name, fire] of [
  ["a visible page", (page: FakePage) => page.show("visible")],
  ["a page from the back/forward cache", (page: FakePage) => page.fire("pageshow")],
  ["a network that is back", (page: FakePage) => page.fire("online")],
  ["a page that is no longer frozen", (page: FakePage) => page.document.dispatchEvent(new Event("resume"))],
] as const) {
  test(`${name} cuts the pause to at most 200 ms`, async () => {
    const { bench, page, clock } = inPage({ reconnect: SLOW });
    await bench.connected();
    await bench.socket.end();
    await clock.pass(1000);
    fire(page);
    await clock.pass(99);
    assert.equal(bench.sockets.length, 1);
    await clock.pass(1);
    assert.equal(bench.sockets.length, 2);
    await bench.client.close();
  });

  test(`${name} probes a connection that looks alive`, async () => {
    const { bench, page, clock } = inPage();
    const socket = await bench.connected();
    fire(page);
    assert.equal(socket.take("ping").length, 1);
    await clock.pass(1999);
    assert.equal(bench.client.status, "connected");
    await clock.pass(1);
    assert.equal(bench.last("disconnected")?.code, "timed-out");
    await bench.client.close();
  });
}

test("a server that asked clients to wait is not asked sooner because the page is visible", async () => {
  const { bench, page, clock } = inPage();
  await clock.pass(0);
  bench.socket.refusal = { code: "overloaded", reason: "", number: 503, retryAfter: 5000 };
  await bench.socket.end();
  page.show("visible");
  await clock.pass(5000);
  assert.equal(bench.sockets.length, 1);
  await clock.pass(100);
  assert.equal(bench.sockets.length, 2);
  await bench.client.close();
});

test("a page that goes to the back/forward cache closes its connection and keeps its positions", async () => {
  const { bench, page, clock } = inPage();
  const socket = await bench.connected();
  bench.client.subscribe("/a", { onMessage: () => {} });
  socket.confirm(7, 41);
  page.fire("pagehide");
  assert.equal(socket.readyState, 3);
  assert.equal(bench.last("disconnected")?.code, "page-hidden");
  await clock.pass(3600_000);
  assert.equal(bench.sockets.length, 1);
  page.fire("pageshow");
  await clock.pass(200);
  await bench.socket.accept();
  assert.equal(bench.socket.take("subscribe")[0]?.from, "7:41");
  await bench.client.close();
});

test("a hidden page stays connected by default", async () => {
  const { bench, page, clock } = inPage();
  const socket = await bench.connected();
  page.show("hidden");
  await clock.pass(1000);
  assert.equal(socket.readyState, 1);
  await bench.client.close();
});

test("with hidden pause a hidden page unsubscribes and later resumes", async () => {
  const { bench, page } = inPage({ hidden: "pause" });
  const socket = await bench.connected();
  bench.client.subscribe("/a", { onMessage: () => {} });
  socket.confirm(7, 41);
  page.show("hidden");
  const id = socket.take("unsubscribe")[0]?.id;
  socket.event({ op: "unsubscribed", id, subject: "/a" });
  page.show("visible");
  assert.equal(socket.take("subscribe")[0]?.from, "7:41");
  await bench.client.close();
});

test("with closeAfter a hidden page closes its connection after a time", async () => {
  const { bench, page, clock } = inPage({ hidden: { closeAfter: 5000 } });
  const socket = await bench.connected();
  page.show("hidden");
  await clock.pass(4000);
  page.show("visible");
  socket.event({ op: "pong" });
  await clock.pass(5000);
  assert.equal(socket.readyState, 1);
  page.show("hidden");
  await clock.pass(5000);
  assert.equal(socket.readyState, 3);
  page.fire("online");
  await clock.pass(1000);
  assert.equal(bench.sockets.length, 1);
  page.show("visible");
  await clock.pass(200);
  assert.equal(bench.sockets.length, 2);
  await bench.client.close();
});

test("a closed client does not listen to the page", async () => {
  const { bench, page, clock } = inPage();
  await bench.connected();
  await bench.client.close();
  page.show("visible");
  page.fire("online");
  await clock.pass(1000);
  assert.equal(bench.sockets.length, 1);
});
