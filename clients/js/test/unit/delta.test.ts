import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { binaryCodec } from "../../src/binary.js";
import { applyDelta } from "../../src/delta/apply.js";
import { withDeltas } from "../../src/delta/codec.js";
import { deltas } from "../../src/delta/index.js";
import { httpStream } from "../../src/http/index.js";
import { jsonEncoding } from "../../src/json.js";
import { keepSession } from "../../src/keep/index.js";
import type { Command, WireMessage } from "../../src/protocol.js";
import { webSocket } from "../../src/websocket.js";
import { settle } from "../support/clock.js";
import { Bench } from "../support/sockets.js";

const folder = "../../protocol/src/test/resources/vectors/";
const read = <T>(file: string): T[] => JSON.parse(readFileSync(folder + file, "utf8")) as T[];
const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, "hex"));
const text = (data: Uint8Array) => Buffer.from(data).toString();

interface DeltaVector {
  name: string;
  base: string;
  delta: string;
  result: string | null;
  max?: number;
}

interface FrameVector {
  name: string;
  json: string;
  binary: string;
  fields: { op: string; delta?: string; seq?: number; prev?: number; subjects?: string[]; from?: string };
}

test("deltas become what the vectors say", () => {
  for (const { name, base, delta, result, max = 1 << 20 } of read<DeltaVector>("deltas.json")) {
    const apply = () => Buffer.from(applyDelta(bytes(base), bytes(delta), max)).toString("hex");
    if (result === null) assert.throws(apply, /bad delta/, name);
    else assert.equal(apply(), result, name);
  }
});

test("no delta does anything but become bytes within the limit or throw", () => {
  const vectors = read<DeltaVector>("deltas.json");
  fc.assert(
    fc.property(
      fc.nat(vectors.length - 1),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }),
      (at, changes) => {
        const { base, delta } = vectors[at] as DeltaVector;
        const damaged = bytes(delta);
        for (const [place, value] of changes) if (damaged.length) damaged[place % damaged.length] = value;
        try {
          assert.ok(applyDelta(bytes(base), damaged, 4000).length <= 4000);
        } catch (error) {
          assert.match(`${error}`, /bad delta/);
        }
      },
    ),
  );
});

test("subscriptions ask for deltas as the vectors say", () => {
  for (const { name, json, binary, fields } of read<FrameVector>("commands.json")) {
    if (fields.delta === undefined) continue;
    const { delta: _, ...command } = fields;
    const all = () => true;
    const inBinary = withDeltas(binaryCodec, new Set(), all)();
    assert.equal(Buffer.from(inBinary._encode(command as Command) as Uint8Array).toString("hex"), binary, name);
    const { subject, ...rest } = JSON.parse(json) as { subject: string };
    const inJson = withDeltas(jsonEncoding, new Set(), all)();
    assert.deepEqual(JSON.parse(inJson._encode(command as Command) as string), { ...rest, subjects: [subject] }, name);
  }
});

test("a delta of the vectors completes the message before it, and needs it", () => {
  for (const { name, json, binary, fields } of read<FrameVector>("events.json")) {
    const { op, seq = 0, prev = seq - 1 } = fields;
    if (op !== "message" || fields.delta === undefined) continue;
    const base = { op: "message", subject: "/a", data: "text", epoch: 7, time: 0 };
    for (const encoding of [() => binaryCodec([7]), jsonEncoding]) {
      for (const [at, fits] of [
        [prev, true],
        [prev - 1, false],
      ] as const) {
        const codec = withDeltas(encoding, new Set(["/a"]), () => true)();
        const isBinary = encoding !== jsonEncoding;
        const first = isBinary
          ? bytes(`8000${at.toString(16).padStart(14, "0")}000000000000022f6174657874`)
          : JSON.stringify({ ...base, seq: at });
        assert.equal(text((codec._decode(first) as WireMessage).bytes), "text");
        const decode = () => codec._decode(isBinary ? bytes(binary) : json) as WireMessage;
        if (fits) assert.deepEqual([text(decode().bytes), decode], ["hitext", decode], name);
        else assert.throws(decode, /without its base/, name);
      }
    }
  }
});

const DELTA = "6\n2:hi4@0,3WsNHa;";

test("the application gets whole messages; patterns, conflation and other subjects do not ask", async () => {
  const bench = new Bench({ transports: [deltas(webSocket, (subject) => subject !== "/c")] });
  await settle();
  await bench.socket.accept();
  const got: string[] = [];
  for (const [subject, conflate] of [["/a"], ["/*"], ["/b", 100], ["/c"]] as const) {
    bench.client.subscribe(subject, { conflate, onMessage: ({ data }) => got.push(`${subject} ${data}`) });
  }
  const asked = bench.socket.take("subscribe") as (Command & { subjects: string[]; delta?: string })[];
  assert.deepEqual(
    asked.map(({ subjects, delta }) => [...subjects, delta]),
    [
      ["/a", "fossil"],
      ["/*", undefined],
      ["/b", undefined],
      ["/c", undefined],
    ],
  );
  for (const { id, subjects } of asked) {
    for (const subject of subjects)
      bench.socket.event({ op: "subscribed", id, subject, epoch: 7, seq: 1, recovery: "none" });
  }
  bench.socket.message("/a", 2, { data: "text" });
  bench.socket.message("/a", 3, { data: undefined, delta: DELTA });
  assert.deepEqual(
    got.filter((line) => line.startsWith("/a")),
    ["/a text", "/a hitext"],
  );
  await bench.client.close();
});

test("a delta without its base ends the connection, and the next one resumes with a whole message", async () => {
  const bench = new Bench({ transports: [keepSession(deltas(webSocket))] });
  await settle();
  await bench.socket.open();
  bench.socket.event({ op: "connected", session: "s", node: "n", ping: 25_000, maxMessage: 65_536, keep: 60_000 });
  await settle();
  const got: string[] = [];
  bench.client.subscribe("/a", { onMessage: ({ data }) => got.push(data) });
  bench.socket.confirm(7, 1);
  bench.socket.message("/a", 2, { data: "text" });
  bench.socket.message("/a", 4, { data: undefined, delta: DELTA });
  await settle();
  assert.equal(bench.statuses.at(-1)?.type, "disconnected");
  await bench.reopened();
  await bench.socket.open();
  bench.socket.event({
    op: "connected",
    session: "t",
    node: "n",
    ping: 25_000,
    maxMessage: 65_536,
    keep: 60_000,
    resumed: true,
  });
  await settle();
  bench.socket.message("/a", 3, { data: "text", type: "recovered" });
  bench.socket.message("/a", 4, { data: undefined, delta: DELTA });
  assert.deepEqual(got, ["text", "text", "hitext"]);
  await bench.client.close();
});

test("deltas need a WebSocket", () => {
  assert.throws(() => deltas(httpStream), /webSocket/);
});
