import assert from "node:assert/strict";
import { test } from "node:test";
import { BelfryError } from "../../src/errors.js";
import { httpStream } from "../../src/http/index.js";
import { keepSession } from "../../src/keep/index.js";
import { named } from "../../src/name/index.js";
import { connectPatterns } from "../../src/patterns/index.js";
import { webSocket } from "../../src/websocket.js";
import { settle } from "../support/clock.js";
import { Bench, type FakeSocket } from "../support/sockets.js";

const KEEP = 60_000;

const naming = (transport = webSocket, make?: typeof connectPatterns) =>
  new Bench({ transports: [named(transport, "desk-7")] }, make);

/** Opens the latest socket, and takes the commands `connect`. */
async function opened(bench: Bench) {
  await settle();
  await bench.socket.open();
  return bench.socket.take("connect");
}

/** Answers the latest `connect` with an error. */
async function refuse(socket: FakeSocket, code: string) {
  const id = socket.sent.findLast(({ op }) => op === "connect")?.id;
  socket.event({ op: "error", id, code, reason: "no names here" });
  await settle();
}

test("each connection sends the name once", async () => {
  const bench = naming();
  for (let i = 0; i < 2; i++) {
    const commands = await opened(bench);
    assert.deepEqual(
      commands.map(({ client }) => client),
      ["desk-7"],
    );
    bench.socket.event({ op: "connected", session: "s", node: "n", ping: 25_000, maxMessage: 65_536 });
    await bench.socket.end();
    if (!i) await bench.reopened();
  }
});

test("a new token is sent without the name", async () => {
  const bench = new Bench({ transports: [named(webSocket, "desk-7")], token: async () => "t" });
  await opened(bench);
  bench.socket.event({ op: "connected", session: "s", node: "n", ping: 25_000, maxMessage: 65_536 });
  bench.socket.event({ op: "token-to-expire", after: 60_000 });
  await settle();
  assert.deepEqual(
    bench.socket.take("connect").map(({ token, client }) => [token, client]),
    [["t", undefined]],
  );
});

test("a kept session is continued with the name, in either order of the two", async () => {
  for (const transport of [named(keepSession(webSocket), "desk-7"), keepSession(named(webSocket, "desk-7"))]) {
    const bench = new Bench({ transports: [transport] });
    assert.equal((await opened(bench))[0]?.session, "");
    bench.socket.event({ op: "connected", session: "first", node: "n", ping: 25_000, maxMessage: 65_536, keep: KEEP });
    bench.client.subscribe("/a");
    bench.socket.confirm(7, 1);
    await bench.socket.end();
    await bench.reopened();
    const [{ session, positions, client } = {}] = await opened(bench);
    assert.deepEqual([session, positions, client], ["first", ["/a", "7:1"], "desk-7"]);
  }
});

test("another client that takes the name ends the client", async () => {
  const bench = naming(keepSession(webSocket));
  await bench.connected();
  await bench.socket.end(4014, "client-taken: another connection has taken the name");
  assert.equal(bench.last("refused")?.code, "client-taken");
  await bench.clock.pass(120_000);
  assert.equal(bench.sockets.length, 1);
});

test("a server without names ends the client", async () => {
  for (const make of [undefined, connectPatterns]) {
    const bench = naming(webSocket, make);
    await opened(bench);
    await refuse(bench.socket, "unsupported");
    assert.equal(bench.last("refused")?.code, "unsupported");
    await bench.clock.pass(120_000);
    assert.equal(bench.sockets.length, 1);
    await assert.rejects(bench.client.ready(), (error) => error instanceof BelfryError && error.code === "unsupported");
  }
});

test("a server without room for the name is tried again", async () => {
  const bench = naming();
  await opened(bench);
  await refuse(bench.socket, "client-names-full");
  assert.equal(bench.last("disconnected")?.code, "client-names-full");
  await bench.reopened();
  await bench.connected();
  assert.equal(bench.client.status, "connected");
});

test("an error after connected is no refusal of the name", async () => {
  const bench = naming();
  await bench.connected();
  await refuse(bench.socket, "unsupported");
  assert.equal(bench.client.status, "connected");
  assert.equal(bench.last("command-failed")?.error.code, "unsupported");
});

test("malformed names and other transports are rejected", () => {
  for (const name of ["", "a b", "a/b", "gr\u00fc\u00df", "n".repeat(65), "a\n"]) {
    assert.throws(() => named(webSocket, name), BelfryError, name);
  }
  named(webSocket, `A-z.0_9${"n".repeat(57)}`);
  assert.throws(() => named(httpStream, "desk-7"), /webSocket/);
});
