import { type Position, position } from "./positions.js";
import type { WireMessage } from "./protocol.js";
import type { Decoder, Headers, Message, MessageType } from "./types.js";

/** A message as one subscription receives it. The fields are declared, so that the constructor alone defines them. */
export class DeliveredMessage<T> implements Message<T> {
  declare readonly subject: string;
  declare readonly bytes: Uint8Array;
  declare readonly epoch: number;
  declare readonly seq: number;
  declare readonly time: number;
  declare readonly type: MessageType;
  declare readonly retained: boolean;
  declare readonly headers: Headers;
  /** As in the wire form; -1 if it is seq - 1. */
  declare readonly _prev: number;
  declare readonly _decode: Decoder<T>;
  declare _data: T | undefined;

  constructor(wire: WireMessage, decode: Decoder<T>) {
    this.subject = wire.subject;
    this.bytes = wire.bytes;
    this.epoch = wire.epoch;
    this.seq = wire.seq;
    this.time = wire.time;
    this.type = wire.type;
    this.retained = wire.retained;
    this.headers = wire.headers;
    this._prev = wire.prev;
    this._decode = decode;
    this._data = undefined;
  }

  get kind(): "message" {
    return "message";
  }

  get data(): T {
    return (this._data ??= this._decode(this.bytes, this.subject));
  }

  get publisher(): string | undefined {
    return this.headers.$publisher;
  }

  get position(): Position {
    return position(this.epoch, this.seq);
  }
}
