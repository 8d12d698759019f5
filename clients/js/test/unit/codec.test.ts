import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { binaryCodec } from "../../src/binary.js";
import { decodeJson, jsonEncoding } from "../../src/json.js";
import { withPositions } from "../../src/patterns/codec.js";
import type { Command, ServerEvent } from "../../src/protocol.js";
import { checkSubject, matcher } from "../../src/subjects.js";

type Fields = { [name: string]: unknown; op: string };

interface Vector {
  name: string;
  json?: string;
  jsonAlso?: string[];
  binary: string;
  before?: string;
  fields: Fields;
  epochs?: number[];
}

const folder = "../../protocol/src/test/resources/vectors/";
const read = <T>(file: string): T[] => JSON.parse(readFileSync(folder + file, "utf8")) as T[];
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const frame = (text: string) => new Uint8Array(Buffer.from(text, "hex")).buffer;

/** Compares only what is there: an absent member equals one that is undefined. */
const plain = (value: object) => JSON.parse(JSON.stringify(value)) as object;

function command({ fields }: Vector): Command {
  const { hex: data, subjects, ...rest } = fields as Fields & { hex?: string; subjects?: string[] };
  return {
    ...rest,
    ...(subjects && { subjects }),
    ...(data !== undefined && { data: new Uint8Array(Buffer.from(data, "hex")) }),
  } as unknown as Command;
}

/** The fields as the vectors name them. */
function fieldsOf(event: ServerEvent): object {
  if (event.op !== "message") return plain(event);
  const { bytes, prev, type, retained, headers, ...rest } = event;
  return plain({
    ...rest,
    hex: hex(bytes),
    ...(prev >= 0 && { prev }),
    ...(type !== "live" && { type }),
    ...(retained && { retained }),
    ...(Object.keys(headers).length > 0 && { headers }),
  });
}

/** JSON commands may name one subject instead of a list of one. */
function normal(json: string): object {
  const { subject, ...rest } = JSON.parse(json) as { subject?: string; op: string };
  const listed = rest.op === "subscribe" || rest.op === "unsubscribe";
  if (subject === undefined) return rest;
  return listed ? { ...rest, subjects: [subject] } : { ...rest, subject };
}

/** Whether a vector is about deltas, which only the codec of `belfry-client/delta` has. */
const isOfDelta = ({ fields: { delta } }: Vector) => delta !== undefined;

/** Whether a vector has a position of patterns, which the encoding of the core omits. */
const isOfPattern = ({ fields: { at, from, op } }: Vector) =>
  at !== undefined || op === "position" || (op === "subscribe" && from !== undefined && !`${from}`.includes(":"));

test("commands are encoded as the vectors say", () => {
  for (const vector of read<Vector>("commands.json")) {
    // This client does not continue sessions with patterns.
    if (isOfDelta(vector) || (vector.fields.op === "connect" && isOfPattern(vector))) continue;
    const made = command(vector);
    const codecs = [withPositions()(), ...(isOfPattern(vector) ? [] : [binaryCodec()])];
    for (const codec of codecs) assert.equal(hex(codec._encode(made) as Uint8Array), vector.binary, vector.name);
    if (vector.json === undefined) continue;
    assert.deepEqual(JSON.parse(jsonEncoding()._encode(made) as string), normal(vector.json), vector.name);
  }
});

test("events are decoded as the vectors say", () => {
  for (const vector of read<Vector>("events.json")) {
    const { name, json, jsonAlso = [], binary, fields, epochs = [] } = vector;
    if (fields.op === "epoch" || isOfDelta(vector)) continue;
    const codec = withPositions(() => binaryCodec([...epochs]))();
    assert.deepEqual(fieldsOf(codec._decode(frame(binary)) as ServerEvent), fields, name);
    for (const text of json === undefined ? [] : [json, ...jsonAlso]) {
      assert.deepEqual(fieldsOf(decodeJson(text)), fields, `${name}: ${text}`);
    }
    const core = binaryCodec([...epochs])._decode(frame(binary));
    if (!isOfPattern(vector)) assert.deepEqual(fieldsOf(core as ServerEvent), fields, name);
    else if (fields.op === "position") assert.equal(core, undefined);
    else assert.deepEqual({ ...fieldsOf(core as ServerEvent), at: fields.at }, fields, name);
  }
});

test("headers are encoded and decoded as the vectors say", () => {
  for (const vector of read<Vector>("headers.json")) {
    const { name, json, jsonAlso = [], binary, before, fields, epochs = [] } = vector;
    if (before === undefined) {
      assert.equal(hex(binaryCodec()._encode(command(vector)) as Uint8Array), binary, name);
      assert.deepEqual(JSON.parse(jsonEncoding()._encode(command(vector)) as string), normal(json as string), name);
      continue;
    }
    for (const codec of [binaryCodec([...epochs]), withPositions(() => binaryCodec([...epochs]))()]) {
      assert.equal(codec._decode(frame(before)), undefined, name);
      const decoded = fieldsOf(codec._decode(frame(binary)) as ServerEvent);
      assert.deepEqual(decoded, fields, name);
      const { headers: _, ...without } = fields;
      assert.deepEqual(fieldsOf(codec._decode(frame(binary)) as ServerEvent), without, "without the frame before");
    }
    for (const text of [json as string, ...jsonAlso]) assert.deepEqual(fieldsOf(decodeJson(text)), fields, name);
  }
});

test("headers that are cut off or too long are refused, and a name is never a prototype", () => {
  const vectors = read<Vector>("headers.json").filter(({ before }) => before);
  for (const { before = "" } of vectors) {
    for (let length = 2; length < before.length / 2; length++) {
      assert.throws(() => binaryCodec()._decode(frame(before.slice(0, 2 * length))), `${length} bytes of ${before}`);
    }
  }
  const codec = binaryCodec([7]);
  const pair = "095f5f70726f746f5f5f00026869";
  codec._decode(frame(`1000000e${pair}`));
  const { headers } = codec._decode(frame("a0000000000000002a018bcfe56800022f616869")) as { headers: object };
  assert.deepEqual(Object.entries(headers), [["__proto__", "hi"]]);
});

test("a position of patterns that is cut off, empty or too long is refused", () => {
  const codec = withPositions()();
  const vectors = read<Vector>("events.json").filter((vector) => isOfPattern(vector) && vector.fields.op !== "connect");
  assert.equal(vectors.length, 4);
  for (const { binary } of vectors) {
    for (let length = 1; length < binary.length / 2; length++) {
      assert.throws(() => codec._decode(frame(binary.slice(0, 2 * length))), `${length} bytes of ${binary}`);
    }
  }
  for (const length of ["0000", "0301"]) {
    assert.throws(() => codec._decode(frame(`0f00${length}${"00".repeat(1000)}`)));
  }
  const largest = codec._decode(frame(`0f000300${"00".repeat(768)}`)) as { at: string };
  assert.equal(largest.at.length, 1024);
});

test("JSON needs nothing for positions of patterns", () => {
  assert.equal(withPositions(jsonEncoding)()._protocol, "belfry.json.v1");
});

test("an epoch event fills the table of its connection", () => {
  const epochs: number[] = [];
  const vector = read<Vector>("events.json").find(({ fields }) => fields.op === "epoch") as Vector;
  assert.equal(binaryCodec(epochs)._decode(frame(vector.binary)), undefined);
  assert.equal(epochs[vector.fields.index as number], vector.fields.epoch);
});

test("subjects are checked as the vectors say", () => {
  for (const { text, plain: asPlain, pattern } of read<{
    text?: string;
    plain: string | null;
    pattern: string | null;
  }>("subjects.json")) {
    if (text === undefined) continue;
    for (const [patterns, code] of [
      [false, asPlain],
      [true, pattern],
    ] as const) {
      // The server checks them: clients publish to inboxes.
      if (!patterns && text.startsWith("/$")) continue;
      if (code === null) checkSubject(text, patterns);
      else assert.throws(() => checkSubject(text, patterns), { code }, text);
    }
  }
});

test("patterns match as the vectors say", () => {
  for (const { pattern, subject, matches } of read<{ pattern: string; subject: string; matches: boolean }>(
    "matches.json",
  )) {
    assert.equal(matcher(pattern).test(subject), matches, `${pattern} ${subject}`);
  }
});

const seqs = fc.oneof(fc.nat(), fc.integer({ min: 0, max: 2 ** 53 }));
const subjects = fc.stringMatching(/^\/[a-zäß€😀]{1,20}(\/[a-z0-9]{1,9}){0,3}$/u);

/** The frame of a message as a server writes it. */
function messageFrame(m: {
  subject: string;
  bytes: Uint8Array;
  seq: number;
  back: number | null;
  time: number;
  type: number;
  retained: boolean;
}): ArrayBuffer {
  const subject = Buffer.from(m.subject);
  const big = m.back !== null && m.back >= 2 ** 32;
  const backLength = m.back === null ? 0 : big ? 7 : 4;
  const out = Buffer.alloc(16 + subject.length + backLength + m.bytes.length);
  const number = (value: number, at: number, bytes: number) => {
    let left = BigInt(value);
    for (let i = bytes - 1; i >= 0; i--) {
      out[at + i] = Number(left & 255n);
      left >>= 8n;
    }
  };
  out[0] = 0x80 | m.type | (m.retained ? 4 : 0) | (m.back === null ? 0 : 8) | (big ? 16 : 0);
  number(m.seq, 2, 7);
  number(m.time, 9, 6);
  out[15] = subject.length;
  subject.copy(out, 16);
  if (m.back !== null) number(m.back, 16 + subject.length, backLength);
  out.set(m.bytes, 16 + subject.length + backLength);
  return new Uint8Array(out).buffer;
}

test("every message survives the binary encoding", () => {
  fc.assert(
    fc.property(
      fc.record({
        subject: subjects,
        bytes: fc.uint8Array({ maxLength: 200 }),
        seq: seqs,
        back: fc.option(seqs),
        time: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
        type: fc.integer({ min: 0, max: 3 }),
        retained: fc.boolean(),
      }),
      (m) => {
        fc.pre(m.back === null || m.back <= m.seq);
        const { prev, ...event } = binaryCodec([9])._decode(messageFrame(m)) as Extract<ServerEvent, { op: "message" }>;
        assert.deepEqual(event, {
          op: "message",
          subject: m.subject,
          bytes: m.bytes,
          epoch: 9,
          seq: m.seq,
          time: m.time,
          type: ["live", "snapshot", "history", "recovered"][m.type],
          retained: m.retained,
          headers: {},
        });
        assert.equal(prev, m.back === null ? -1 : m.seq - m.back);
      },
    ),
  );
});

test("every truncated event is refused or shorter, never read beyond its end", () => {
  for (const { binary, epochs = [], fields } of read<Vector>("events.json")) {
    for (let length = 0; length < binary.length; length += 2) {
      try {
        const event = binaryCodec([...epochs])._decode(frame(binary.slice(0, length)));
        if (event) assert.ok(["message", "pong", "stale"].includes(event.op), `${fields.op} of ${length / 2} bytes`);
      } catch (error) {
        assert.ok(error instanceof Error);
      }
    }
  }
});

test("bytes that are no text are published in JSON as base64", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (data) => {
      const sent = JSON.parse(jsonEncoding()._encode({ op: "publish", subject: "/a", data }) as string) as {
        data?: string;
        base64?: string;
      };
      const back = sent.data === undefined ? Buffer.from(sent.base64 as string, "base64") : Buffer.from(sent.data);
      assert.equal(back.toString("hex"), hex(data));
    }),
  );
});

test("frames of random bytes never end the program otherwise than by an error", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 60 }), (bytes) => {
      try {
        binaryCodec([1, 2, 3])._decode(new Uint8Array(bytes).buffer);
      } catch (error) {
        assert.ok(error instanceof Error);
      }
    }),
  );
});
