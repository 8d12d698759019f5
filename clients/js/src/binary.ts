import { parsePosition, position } from "./positions.js";
import type { Codec, Command, ServerEvent, WireMessage } from "./protocol.js";
import type { MessageType } from "./types.js";

const TYPES: readonly MessageType[] = ["live", "snapshot", "history", "recovered"];
const OPS = ["", "connect", "subscribe", "unsubscribe", "publish", "", "ping", "", "", "watch", "unwatch"];
const RECOVERIES = ["complete", "gap", "none", "none"];
const WORD = 2 ** 32;
const CACHED_SUBJECTS = 4096;

const encoder = new TextEncoder();
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Subjects by a hash of their bytes: decoding the same text for each message would cost more than the rest. */
const cachedTexts: string[] = [];
const cachedBytes: Uint8Array[] = [];

function subjectText(frame: Uint8Array, from: number, to: number): string {
  let hash = 0;
  for (let i = from; i < to; i++) hash = (hash * 31 + (frame[i] as number)) | 0;
  const slot = hash & (CACHED_SUBJECTS - 1);
  const cached = cachedBytes[slot];
  if (cached?.length === to - from) {
    let i = 0;
    while (i < cached.length && cached[i] === frame[from + i]) i++;
    if (i === cached.length) return cachedTexts[slot] as string;
  }
  cachedBytes[slot] = frame.slice(from, to);
  return (cachedTexts[slot] = utf8.decode(frame.subarray(from, to)));
}

const u24 = (b: Uint8Array, at: number): number =>
  ((b[at] as number) << 16) | ((b[at + 1] as number) << 8) | (b[at + 2] as number);

const u32 = (b: Uint8Array, at: number): number => (b[at] as number) * 0x1000000 + u24(b, at + 1);

function message(b: Uint8Array, epochs: number[]): WireMessage {
  const head = b[0] as number;
  const epoch = epochs[b[1] as number];
  const seq = u24(b, 2) * WORD + u32(b, 5);
  const subjectEnd = 16 + (b[15] as number);
  let data = subjectEnd;
  let prev = -1;
  if (head & 8) {
    data += head & 16 ? 7 : 4;
    prev = seq - (head & 16 ? u24(b, subjectEnd) * WORD + u32(b, subjectEnd + 3) : u32(b, subjectEnd));
  }
  if (epoch === undefined || !(data <= b.length)) throw new Error("bad message");
  return {
    op: "message",
    subject: subjectText(b, 16, subjectEnd),
    bytes: b.subarray(data),
    epoch,
    seq,
    prev,
    time: ((b[9] as number) * 256 + (b[10] as number)) * WORD + u32(b, 11),
    type: TYPES[head & 3] as MessageType,
    retained: (head & 4) > 0,
  };
}

/**
 * The fields of each event by op. A field is a type, its name, and the flag without which it is absent. Types: u is a
 * u32, q a u64, p a position, s a text, f a flag of the frame itself, r a recovery in the flags, x the epoch of an index.
 */
const EVENTS = [
  "-",
  "connected uping umaxMessage ssession snode",
  "subscribed ssubject qepoch2 qseq2 rrecovery uconflate16",
  "unsubscribed ssubject sreason2",
  "published qepoch qseq",
  "gap ssubject pfrom2 pto sreason",
  "pong qclock2",
  "error scode ssubject2 sreason uafter4",
  "reconnect uafter sreason",
  "watched ssubject fsubscribers",
  "unwatched ssubject sreason2",
  "interest ssubject fsubscribers",
  "epoch xepoch",
  "token-to-expire uafter",
  "stale fstale",
].map((line) => line.split(" ").map((field) => /(.)([a-zA-Z]+)(\d*)/.exec(field) as RegExpExecArray));

function event(b: Uint8Array, epochs: number[]): ServerEvent | undefined {
  const view = new DataView(b.buffer, b.byteOffset, b.length);
  let at = 2;
  const number32 = () => view.getUint32((at += 4) - 4);
  const number64 = () => number32() * WORD + number32();
  const flags = view.getUint8(1);
  const read: { [type: string]: () => unknown } = {
    u: number32,
    q: number64,
    p: () => position(number64(), number64()),
    f: () => (flags & 2) > 0,
    r: () => RECOVERIES[(flags >> 2) & 3],
    s: () => {
      const from = at + 1;
      at = from + view.getUint8(at);
      if (at > b.length) throw new RangeError();
      return utf8.decode(b.subarray(from, at));
    },
    x: () => {
      epochs[view.getUint8(at++)] = number64();
    },
  };
  const [head, ...fields] = EVENTS[b[0] as number] ?? [];
  const decoded: { [member: string]: unknown } = { op: head?.input };
  if (flags & 1) decoded.id = Number(view.getBigInt64((at += 8) - 8));
  for (const [, type = "", name = "", flag] of fields) {
    if (!flag || flags & Number(flag)) decoded[name] = read[type]?.();
  }
  return head && head.input !== "epoch" ? (decoded as unknown as ServerEvent) : undefined;
}

function encode(command: Command): Uint8Array<ArrayBuffer> {
  const out: number[] = [OPS.indexOf(command.op), 0];
  let flags = 0;
  const big = (value: number, bytes: number) => {
    for (let i = bytes - 1; i >= 0; i--) out.push(Math.floor(value / 256 ** i) & 255);
  };
  const text = (value: string, lengthBytes = 1) => {
    const bytes = encoder.encode(value);
    big(bytes.length, lengthBytes);
    out.push(...bytes);
  };
  /** Writes an optional field and its flag. */
  const option = (flag: number, value: number | undefined) => {
    if (value) {
      flags |= flag;
      big(value, 4);
    }
  };
  if (command.id !== undefined) {
    flags = 1;
    big(command.id, 8);
  }
  if (command.op === "connect") {
    option(2, command.ping);
    text(command.token ?? "", 2);
  }
  if (command.op === "subscribe") {
    if (command.from) {
      flags |= 2;
      for (const part of parsePosition(command.from)) big(part, 8);
    }
    option(4, command.history);
    option(8, command.conflate);
  }
  if ("subjects" in command) {
    big(command.subjects.length, 2);
    for (const subject of command.subjects) text(subject);
  }
  if ("subject" in command) text(command.subject);
  let data = new Uint8Array();
  if (command.op === "publish") {
    if (command.retain) flags |= 2;
    if (command.msgId) {
      flags |= 4;
      text(command.msgId);
    }
    data = command.data as Uint8Array<ArrayBuffer>;
  }
  out[1] = flags;
  const frame = new Uint8Array(out.length + data.length);
  frame.set(out);
  frame.set(data, out.length);
  return frame;
}

/** The encoding `belfry.binary.v1`. A codec belongs to one connection, because its epoch table does. */
export const binaryCodec = (epochs: number[] = []): Codec => ({
  _protocol: "belfry.binary.v1",
  _encode: encode,
  _decode(frame) {
    const bytes = ArrayBuffer.isView(frame)
      ? new Uint8Array(frame.buffer, frame.byteOffset, frame.byteLength)
      : new Uint8Array(frame as ArrayBuffer);
    return (bytes[0] as number) & 128 ? message(bytes, epochs) : event(bytes, epochs);
  },
});
