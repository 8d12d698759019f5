import { binaryCodec } from "../binary.js";
import { invalid } from "../errors.js";
import type { Position } from "../positions.js";
import type { Codec, Encoding } from "../protocol.js";

const POSITION_BYTES_MAX = 768;

// Numbers of the binary encoding.
const POSITION = 15;
const MESSAGE = 128;
const HAS_ID = 1;
const HISTORY = 4;
const CONFLATE = 8;
const PATTERN_FROM = 16;
const POSITION_SUBJECT = 2;
const SUBSCRIBED_POSITION = 2;
const SUBSCRIBED_CONFLATE = 16;
const SUBSCRIBED_AT = 32;

const utf8 = new TextDecoder();

const positionText = (bytes: Uint8Array): Position =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");

/** Returns the bytes of a position of patterns. Throws unless the text is their only form in base64url. */
export function patternPositionBytes(text: Position): Uint8Array {
  let bytes = new Uint8Array();
  try {
    bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  } catch {
    // Not base64; there are no bytes.
  }
  if (!bytes.length || bytes.length > POSITION_BYTES_MAX || positionText(bytes) !== text) {
    throw invalid("bad-position", `${text.slice(0, 40)} is not a position of patterns`);
  }
  return bytes;
}

const viewOf = (frame: string | ArrayBuffer | Uint8Array) =>
  ArrayBuffer.isView(frame) ? frame : new Uint8Array(frame as ArrayBuffer);

/** Returns the position whose length is at an index. */
function positionAt(bytes: Uint8Array, at: number): Position {
  const length = (bytes[at] as number) * 256 + (bytes[at + 1] as number);
  const end = at + 2 + length;
  if (!(length > 0 && length <= POSITION_BYTES_MAX && end <= bytes.length)) throw new Error("bad event");
  return positionText(bytes.subarray(at + 2, end));
}

function binaryWithPositions(codec: Codec): Codec {
  return {
    _protocol: codec._protocol,
    _encode(command) {
      if (command.op !== "subscribe" || !command.from || command.from.includes(":")) return codec._encode(command);
      const position = patternPositionBytes(command.from);
      const frame = codec._encode({ ...command, from: undefined }) as Uint8Array<ArrayBuffer>;
      const flags = frame[1] as number;
      // The position follows the options and precedes the subjects.
      const at = 2 + (flags & HAS_ID && 8) + (flags & HISTORY && 4) + (flags & CONFLATE && 4);
      const longer = new Uint8Array(frame.length + 2 + position.length);
      longer.set(frame.subarray(0, at));
      longer[1] = flags | PATTERN_FROM;
      longer.set([position.length >> 8, position.length & 255], at);
      longer.set(position, at + 2);
      longer.set(frame.subarray(at), at + 2 + position.length);
      return longer;
    },
    _decode(frame) {
      const bytes = viewOf(frame);
      const event = codec._decode(bytes);
      const op = bytes[0] as number;
      if (op & MESSAGE) return event;
      const flags = bytes[1] as number;
      const start = 2 + (flags & HAS_ID && 8);
      if (op === POSITION) {
        if (!(flags & POSITION_SUBJECT)) return { op: "position", at: positionAt(bytes, start) };
        const end = start + 1 + (bytes[start] as number);
        return { op: "position", subject: utf8.decode(bytes.subarray(start + 1, end)), at: positionAt(bytes, end) };
      }
      if (event?.op !== "subscribed" || !(flags & SUBSCRIBED_AT)) return event;
      const options = (flags & SUBSCRIBED_POSITION && 16) + (flags & SUBSCRIBED_CONFLATE && 4);
      return { ...event, at: positionAt(bytes, start + 1 + (bytes[start] as number) + options) };
    },
  };
}

/** Makes an encoding with the positions of patterns, which the binary one of the core omits. JSON has them. */
export const withPositions =
  (encoding: Encoding = binaryCodec): Encoding =>
  () => {
    const codec = encoding();
    return codec._protocol === binaryCodec()._protocol ? binaryWithPositions(codec) : codec;
  };
