import { type Position, position } from "./positions.js";
import type { WireMessage } from "./protocol.js";
import type { Decoder, Message, MessageType } from "./types.js";

/** A message as one subscription receives it. */
export class DeliveredMessage<T> implements Message<T> {
  declare readonly kind: "message";
  readonly subject: string;
  readonly bytes: Uint8Array;
  readonly epoch: number;
  readonly seq: number;
  readonly time: number;
  readonly type: MessageType;
  readonly retained: boolean;
  /** As in the wire form; -1 if it is seq - 1. */
  readonly _prev: number;
  readonly _decode: Decoder<T>;
  _data: T | undefined;

  constructor(wire: WireMessage, decode: Decoder<T>) {
    this.subject = wire.subject;
    this.bytes = wire.bytes;
    this.epoch = wire.epoch;
    this.seq = wire.seq;
    this.time = wire.time;
    this.type = wire.type;
    this.retained = wire.retained;
    this._prev = wire.prev;
    this._decode = decode;
  }

  get data(): T {
    return (this._data ??= this._decode(this.bytes, this.subject));
  }

  get position(): Position {
    return position(this.epoch, this.seq);
  }

  static {
    Object.defineProperty(DeliveredMessage.prototype, "kind", { value: "message" });
  }
}
