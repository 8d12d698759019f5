import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { WebSocket } from "ws";
import { BelfryApi, type SessionEntry } from "../../src/api/index.js";
import { type BelfryError, connect, type Status } from "../../src/index.js";
import { freePort } from "../support/ports.mjs";
import { stopAll, TestServer, until } from "../support/server.js";

const KEY = "0123456789abcdef0123456789abcdef";
let server: TestServer;
let api: BelfryApi;
let folder: string;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "belfry-api-"));
  const keys = join(folder, "keys");
  writeFileSync(keys, `backend publish,read,act ${KEY}\nreader read ${"1".repeat(32)}\n`, { mode: 0o600 });
  const port = await freePort();
  server = await TestServer.start("CacheSize=1000", `Api.Listen=127.0.0.1:${port}`, `Api.KeyFile=${keys}`);
  api = new BelfryApi({ url: `http://127.0.0.1:${port}/`, key: KEY });
});

after(async () => {
  await stopAll();
  rmSync(folder, { recursive: true });
});

async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of list) found.push(each);
  return found;
}

const refused = (code: string) => (error: BelfryError) => error.kind === "refused" && error.code === code;

test("publishes have positions or codes", async () => {
  const first = await api.publish("/p/1", "ü", { msgId: "m" });
  assert.equal(first.seq, 1);
  assert.deepEqual(await api.publish("/p/1", "ü", { msgId: "m" }), first);
  await assert.rejects(api.publish("p", "x"), refused("bad-subject"));
  const outcomes = await api.publishAll([
    { subject: "/p/1", data: Uint8Array.of(255), retain: true },
    { subject: "/p/*", data: "?" },
    { subject: "/p/2", data: { json: 1 } },
  ]);
  assert.deepEqual(
    outcomes.map(({ seq, code }) => seq ?? code),
    [2, "wildcard-not-allowed", 1],
  );
  assert.deepEqual(await api.publishAll([]), []);
  const sent = await api.broadcast(["/p/2", "/p/3"], "all");
  assert.deepEqual(
    sent.map(({ subject, seq }) => [subject, seq]),
    [
      ["/p/2", 2],
      ["/p/3", 1],
    ],
  );
  const stored = await api.history("/p/1", { limit: 1 });
  assert.deepEqual([stored.messages[0]?.data, stored.more], ["ü", true]);
  const rest = await api.history("/p/1", { after: `${first.epoch}:1` });
  assert.equal(rest.messages[0]?.base64, "/w==");
  const subjects = await all(api.subjects("/p/*"));
  assert.deepEqual(subjects.map(({ subject }) => subject).sort(), ["/p/1", "/p/2", "/p/3"]);
  const [named, ...others] = await api.subjectsNamed(["/p/3", "/none"]);
  assert.deepEqual([named?.subject, named?.seq, others.length], ["/p/3", 1, 0]);
  await api.publish("/p/4", "brief", { ttl: 20 });
  await api.publish("/p/4", "lasting", { ttl: 60_000, headers: { lang: "de" } });
  await setTimeout(100);
  const left = await api.history("/p/4");
  assert.deepEqual(
    left.messages.map(({ data, headers }) => [data, headers?.lang]),
    [["lasting", "de"]],
  );
  await assert.rejects(api.publish("/p/4", "x", { ttl: -1 }), refused("bad-request"));
  assert.deepEqual((await api.presence("/p/1")).members, []);
  const removal = await api.removeHistory("/p/1");
  assert.equal(removal.seq, 3);
  assert.deepEqual((await api.history("/p/1")).messages, []);
});

test("sessions are listed, unsubscribed and closed", async () => {
  const statuses: Status[] = [];
  const client = connect({ servers: server.url, webSocket: WebSocket, onStatus: (status) => statuses.push(status) });
  await client.subscribe("/s", { onMessage: () => {} }).ready();
  const [found] = (await all(api.sessions({ subject: "/s" }))) as [SessionEntry];
  assert.equal(found.state, "ready");
  assert.equal((await api.session(found.session)).subjects?.[0]?.subject, "/s");
  assert.equal(await api.subscribe({ session: found.session }, ["/s", "/by-server"]), 1);
  await until(() =>
    statuses.some((status) => status.type === "subscribed-by-server" && status.subject === "/by-server"),
  );
  assert.equal(await api.unsubscribe({ session: found.session }, ["/s", "/t"]), 1);
  await until(() => statuses.some(({ type }) => type === "subscribe-refused"));
  assert.equal(await api.disconnect({ session: found.session }, { reason: "bye" }), 1);
  await until(() => statuses.some(({ type }) => type === "refused"));
  await assert.rejects(api.disconnect({ session: found.session }), refused("not-found"));
  await assert.rejects(api.revoke({ user: "ada", until: Date.now() + 1000 }), refused("unsupported"));
  await client.close();
});

test("nodes are listed, and wrong keys refused", async () => {
  const [node] = await api.nodes();
  assert.equal(node?.ready, true);
  await assert.rejects(api.drain("other"), refused("not-found"));
  assert.throws(() => new BelfryApi({ url: "127.0.0.1:4001", key: KEY }), /url must be/);
});
