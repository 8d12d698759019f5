import { encodeText, headersLength, text } from "./payload.js";
import { parsePosition, position } from "./positions.js";
import type { Codec, Command, PublishCommand, ServerEvent, WireMessage } from "./protocol.js";
import type { Headers, MessageType } from "./types.js";

const TYPES: readonly MessageType[] = ["live", "snapshot", "history", "recovered"];
const RECOVERIES = ["complete", "gap", "none", "none"];

/** Subjects by a hash of their bytes: decoding the same text for each message would cost more than the rest. */
const cachedTexts: string[] = [];
const cachedBytes: Uint8Array[] = [];

function subjectText(frame: Uint8Array, from: number, to: number): string {
  const CACHED_SUBJECTS = 4096;
  let hash = 0;
  for (let i = from; i < to; i++) hash = (hash * 31 + (frame[i] as number)) | 0;
  const slot = hash & (CACHED_SUBJECTS - 1);
  const cached = cachedBytes[slot];
  let i = cached?.length === to - from ? to : -1;
  while (i > from && cached?.[i - from - 1] === frame[i - 1]) i--;
  if (i !== from) {
    // Bytes are compared, because reading the characters of a text takes longer.
    cachedTexts[slot] = text((cachedBytes[slot] = new Uint8Array(frame.subarray(from, to))));
  }
  return cachedTexts[slot] as string;
}

const u24 = (b: Uint8Array, at: number): number =>
  ((b[at] as number) << 16) | ((b[at + 1] as number) << 8) | (b[at + 2] as number);

const u32 = (b: Uint8Array, at: number): number => (b[at] as number) * 0x1000000 + u24(b, at + 1);

/** A number of 56 bits. */
const u56 = (b: Uint8Array, at: number): number => u24(b, at) * 2 ** 32 + u32(b, at + 3);

/** The message that was decoded last, which is valid until the next one: subscriptions copy it. */
const message = {} as { -readonly [Member in keyof WireMessage]: WireMessage[Member] };

const NO_HEADERS: Headers = {};

/** The headers of the next message of a connection. */
interface Next {
  headers: Headers;
}

function decodeMessage(b: Uint8Array, epochs: number[], next: Next): WireMessage {
  const head = b[0] as number;
  const epoch = epochs[b[1] as number];
  const seq = u56(b, 2);
  const subjectEnd = 16 + (b[15] as number);
  let data = subjectEnd;
  let prev = -1;
  if (head & 8) {
    data += head & 16 ? 7 : 4;
    prev = seq - (head & 16 ? u56(b, subjectEnd) : u32(b, subjectEnd));
  }
  if (epoch === undefined || !(data <= b.length)) throw new Error("bad event");
  message.op = "message";
  message.subject = subjectText(b, 16, subjectEnd);
  // Not b.subarray: b may be of a subclass, and creating another of these takes longer.
  message.bytes = new Uint8Array(b.buffer, b.byteOffset + data, b.length - data);
  message.epoch = epoch;
  message.seq = seq;
  message.prev = prev;
  message.time = u24(b, 9) * 2 ** 24 + u24(b, 12);
  message.type = TYPES[head & 3] as MessageType;
  message.retained = (head & 4) > 0;
  message.headers = head & 32 ? next.headers : NO_HEADERS;
  next.headers = NO_HEADERS;
  return message;
}

/**
 * The fields of commands and events in their order; the first line is number 1. A field is a type, the bit of the flags
 * without which it is absent (8: always present), and its name. Types: u is a u32, q a u64, p a position, s a text,
 * t a long text, l a list of texts, m a list of subjects and positions in turn, f a flag of the frame itself, y a flag
 * that is true if present, r a recovery in the flags, x the epoch of an index, h headers.
 */
const fieldsOf = (table: string) => table.split("|").map((line) => line.split(" "));
const COMMANDS = fieldsOf(
  "connect u1ping t8token s2session m3positions s4client|subscribe p1from u2history u3conflate l8subjects|unsubscribe l8subjects|" +
    "publish s8subject f1retain s2msgId h3headers q4ttl s5origin||ping|||watch s8subject|unwatch s8subject",
);
// The events without a name change only the codec; one is of the codec with positions.
const EVENTS = fieldsOf(
  "connected u8ping u8maxMessage s8session s8node u1keep y2resumed|subscribed s8subject q1epoch q1seq r8recovery u4conflate|" +
    "unsubscribed s8subject s1reason|published q8epoch q8seq|gap s8subject p1from p8to s8reason|pong q1clock|" +
    "error s8code s1subject s8reason u2after|reconnect u8after s8reason|watched s8subject f8subscribers|" +
    "unwatched s8subject s1reason|interest s8subject f8subscribers| x8|token-to-expire u8after|stale f8stale|| h8",
);

type Fields = { [name: string]: unknown };

function event(b: Uint8Array, epochs: number[], next: Next): ServerEvent | undefined {
  const flags = (b[1] as number) | 256;
  let at = 2;
  const number32 = () => u32(b, (at += 4) - 4);
  const u16 = (from: number) => u24(b, from - 1) & 65535;
  const number64 = () => number32() * 2 ** 32 + number32();
  const read: { [type: string]: () => unknown } = {
    u: number32,
    q: number64,
    p: () => position(number64(), number64()),
    f: () => (flags & 2) > 0,
    y: () => true,
    r: () => RECOVERIES[(flags >> 2) & 3],
    s: () => text(b.subarray(at + 1, (at += 1 + (b[at] as number)))),
    h: () => {
      const end = (at += 2) + u16(at - 2);
      const pairs: unknown[][] = [];
      while (at < end) pairs.push([read.s?.(), text(b.subarray(at + 2, (at += 2 + u16(at))))]);
      next.headers = Object.fromEntries(pairs);
    },
    x: () => {
      epochs[b[at++] as number] = number64();
    },
  };
  const [op, ...fields] = EVENTS[(b[0] as number) - 1] ?? [];
  const decoded: Fields = { op };
  // An id has a sign.
  if (flags & 1) decoded.id = (number32() | 0) * 2 ** 32 + number32();
  for (const field of fields) {
    if ((flags >> Number(field[1])) & 1) decoded[field.slice(2)] = read[field[0] as string]?.();
  }
  // A length that is missing makes at NaN.
  if (!(at <= b.length)) throw new Error("bad event");
  return op ? (decoded as unknown as ServerEvent) : undefined;
}

function encode(command: Command): Uint8Array<ArrayBuffer> {
  const fields = COMMANDS.find(([op]) => op === command.op) as string[];
  const out = [COMMANDS.indexOf(fields) + 1, 0];
  const put = (value: number, bytes: number) => {
    while (bytes--) out.push(Math.floor(value / 256 ** bytes) & 255);
  };
  const putText = (value: string, lengthBytes = 1) => {
    const bytes = encodeText(value);
    put(bytes.length, lengthBytes);
    out.push(...bytes);
  };
  const putPosition = (value: string) => {
    for (const part of parsePosition(value)) put(part, 8);
  };
  const write: { [type: string]: (value: never) => void } = {
    u: (value: number) => put(value, 4),
    q: (value: number) => put(value, 8),
    p: putPosition,
    s: putText,
    t: (value = "") => putText(value, 2),
    l: (value: string[]) => {
      put(value.length, 2);
      for (const one of value) putText(one);
    },
    m: (value: string[]) => {
      put(value.length / 2, 2);
      for (const [i, one] of value.entries()) (i % 2 ? putPosition : putText)(one);
    },
    h: (value: Headers) => {
      put(headersLength(value), 2);
      for (const [name, one] of Object.entries(value)) {
        putText(name);
        putText(one, 2);
      }
    },
  };
  let flags = 0;
  if (command.id !== undefined) {
    flags = 1;
    put(command.id, 8);
  }
  for (const field of fields.slice(1)) {
    const value = (command as unknown as Fields)[field.slice(2)];
    const flag = 1 << Number(field[1]);
    if (value || value === "" || flag > 255) {
      flags |= flag;
      write[field[0] as string]?.(value as never);
    }
  }
  out[1] = flags & 255;
  const { data = [] } = command as Partial<PublishCommand>;
  const frame = new Uint8Array(out.length + data.length);
  frame.set(out);
  frame.set(data, out.length);
  return frame;
}

/** The encoding `belfry.binary.v1`. A codec belongs to one connection: its epoch table and the headers of the next message do. */
export const binaryCodec = (epochs: number[] = []): Codec => {
  const next: Next = { headers: NO_HEADERS };
  return {
    _protocol: "belfry.binary.v1",
    _encode: encode,
    _decode(frame) {
      const bytes = ArrayBuffer.isView(frame) ? frame : new Uint8Array(frame as ArrayBuffer);
      return (bytes[0] as number) & 128 ? decodeMessage(bytes, epochs, next) : event(bytes, epochs, next);
    },
  };
};
