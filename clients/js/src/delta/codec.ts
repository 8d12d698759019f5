import { binaryCodec } from "../binary.js";
import type { Codec, Command, Encoding, ServerEvent, SubscribeCommand, WireMessage } from "../protocol.js";
import { isPattern, withoutKey } from "../subjects.js";
import { applyDelta } from "./apply.js";

/** The longest result that a delta may announce. */
const RESULT_MAX = 1 << 20;
const NAME = "fossil";

// Numbers of the binary encoding.
const MESSAGE_DELTA = 0xc0;
const SUBSCRIBE_DELTA = 32;

/** The latest message of a subject on this connection. */
interface Base {
  readonly _epoch: number;
  readonly _seq: number;
  readonly _bytes: Uint8Array;
}

/** The subjects with deltas of one connection, and the latest data of each. */
class Bases {
  readonly #subjects: Set<string>;
  readonly #wants: (subject: string) => boolean;
  readonly #bases = new Map<string, Base>();

  constructor(subjects: Set<string>, wants: (subject: string) => boolean) {
    this.#subjects = subjects;
    this.#wants = wants;
  }

  /** Records what a command begins or ends; returns whether the command asks for deltas. */
  _asks(command: Command): command is SubscribeCommand {
    if (command.op === "unsubscribe") for (const subject of command.subjects) this.#subjects.delete(subject);
    if (command.op !== "subscribe" || command.conflate) return false;
    const asking = command.subjects.map(withoutKey).filter((subject) => !isPattern(subject) && this.#wants(subject));
    for (const subject of asking) this.#subjects.add(subject);
    return asking.length > 0;
  }

  /** Makes the whole message of a delta. Throws if its base is not the message before it. */
  _whole(event: ServerEvent | undefined, isDelta: boolean): ServerEvent | undefined {
    if (event?.op === "unsubscribed" && !this.#subjects.has(event.subject)) this.#bases.delete(event.subject);
    if (event?.op !== "message") return event;
    const { subject, epoch, seq, prev } = event;
    const base = this.#bases.get(subject);
    let { bytes } = event;
    if (isDelta) {
      if (base?._epoch !== epoch || base._seq !== (prev < 0 ? seq - 1 : prev))
        throw new Error("a delta without its base");
      bytes = applyDelta(base._bytes, bytes, RESULT_MAX);
    }
    // A subscription that has ended may still be sent deltas, which belong to a pattern too.
    if (base || this.#subjects.has(subject)) this.#bases.set(subject, { _epoch: epoch, _seq: seq, _bytes: bytes });
    return isDelta ? ({ ...event, bytes } satisfies WireMessage) : event;
  }
}

const viewOf = (frame: string | ArrayBuffer | Uint8Array) =>
  ArrayBuffer.isView(frame) ? frame : new Uint8Array(frame as ArrayBuffer);

/** Adds the name of the format to a frame, directly before the subjects, which end it. */
function withName(frame: Uint8Array, subjects: readonly string[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const at = subjects.reduce((end, subject) => end - 1 - encoder.encode(subject).length, frame.length - 2);
  const longer = new Uint8Array(frame.length + 1 + NAME.length);
  longer.set(frame.subarray(0, at));
  longer[1] = (frame[1] as number) | SUBSCRIBE_DELTA;
  longer[at] = NAME.length;
  longer.set(encoder.encode(NAME), at + 1);
  longer.set(frame.subarray(at), at + 1 + NAME.length);
  return longer;
}

const inBinary = (codec: Codec, bases: Bases): Codec => ({
  _protocol: codec._protocol,
  _encode(command) {
    const frame = codec._encode(command) as Uint8Array<ArrayBuffer>;
    return bases._asks(command) ? withName(frame, command.subjects) : frame;
  },
  _decode(frame) {
    const bytes = viewOf(frame);
    return bases._whole(codec._decode(bytes), ((bytes[0] as number) & MESSAGE_DELTA) === MESSAGE_DELTA);
  },
});

const inJson = (codec: Codec, bases: Bases): Codec => ({
  _protocol: codec._protocol,
  _encode: (command) => codec._encode(bases._asks(command) ? ({ ...command, delta: NAME } as Command) : command),
  _decode(frame) {
    const text = frame as string;
    if (text.includes('"delta":')) {
      const { delta, ...event } = JSON.parse(text) as { op: string; delta?: string };
      if (event.op === "message" && delta !== undefined)
        return bases._whole(codec._decode(JSON.stringify({ ...event, data: delta })), true);
    }
    return bases._whole(codec._decode(frame), false);
  },
});

/**
 * Makes an encoding whose connections ask for deltas, and complete them. `subjects` are the subjects that ask; they outlive a
 * connection, because a kept session continues without another command.
 */
export const withDeltas =
  (encoding: Encoding, subjects: Set<string>, wants: (subject: string) => boolean): Encoding =>
  () => {
    const codec = encoding();
    const bases = new Bases(subjects, wants);
    return codec._protocol === binaryCodec()._protocol ? inBinary(codec, bases) : inJson(codec, bases);
  };
