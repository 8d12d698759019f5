import type { Position } from "./positions.js";
import type { Headers, MessageType, Recovery } from "./types.js";

/** A message as it arrives, in either encoding. `prev` is -1 if it is seq - 1. */
export interface WireMessage {
  readonly op: "message";
  readonly subject: string;
  readonly bytes: Uint8Array;
  readonly epoch: number;
  readonly seq: number;
  readonly prev: number;
  readonly time: number;
  readonly type: MessageType;
  readonly retained: boolean;
  readonly headers: Headers;
  /** The subscription that the session of the message serves; absent if it serves all. */
  readonly only?: string | undefined;
}

type Answer<Op extends string, Fields> = { op: Op; id?: number | undefined } & Fields;

/** An event of the server; the members are those of the JSON form. */
export type ServerEvent =
  | WireMessage
  | Answer<
      "connected",
      {
        session: string;
        node: string;
        ping: number;
        maxMessage: number;
        keep?: number | undefined;
        resumed?: boolean | undefined;
      }
    >
  | Answer<
      "subscribed",
      {
        subject: string;
        epoch?: number | undefined;
        seq?: number | undefined;
        recovery: Recovery;
        conflate?: number | undefined;
        /** Position of a pattern. */
        at?: Position | undefined;
      }
    >
  | Answer<"unsubscribed", { subject: string; reason?: string | undefined }>
  | Answer<"unwatched", { subject: string; reason?: string | undefined }>
  | Answer<"published", { epoch: number; seq: number }>
  | Answer<"gap", { subject: string; from?: Position | undefined; to: Position; reason: string; only?: string }>
  | Answer<"pong", { clock?: number | undefined }>
  | Answer<"error", { code: string; reason: string; subject?: string | undefined; after?: number | undefined }>
  | Answer<"reconnect", { after: number; reason: string }>
  | Answer<"watched", { subject: string; subscribers: boolean }>
  | Answer<"interest", { subject: string; subscribers: boolean }>
  | Answer<"token-to-expire", { after: number }>
  | Answer<"stale", { stale: boolean }>
  /** The position that a pattern has reached, or, without a subject, all confirmed patterns. */
  | Answer<"position", { subject?: string | undefined; at: Position }>;

export interface SubscribeCommand {
  op: "subscribe";
  id?: number | undefined;
  subjects: string[];
  from?: Position | undefined;
  history?: number | undefined;
  conflate?: number | undefined;
}

export interface PublishCommand {
  op: "publish";
  id?: number | undefined;
  subject: string;
  data: Uint8Array;
  retain?: boolean | undefined;
  msgId?: string | undefined;
  headers?: Headers | undefined;
  /** In ms. */
  ttl?: number | undefined;
  /** The key of the client's origin; undefined for a message that its own subscriptions receive too. */
  origin?: string | undefined;
}

/** A command of the client; the members are those of the JSON form, but data is always bytes. */
export type Command =
  | SubscribeCommand
  | PublishCommand
  | {
      op: "connect";
      id?: number | undefined;
      token?: string | undefined;
      ping?: number | undefined;
      session?: string | undefined;
      /** Subjects, each followed by its position. */
      positions?: string[] | undefined;
      /** The name of the client. */
      client?: string | undefined;
    }
  | { op: "unsubscribe"; id?: number | undefined; subjects: string[] }
  | { op: "ping"; id?: number | undefined }
  | { op: "watch" | "unwatch"; id?: number | undefined; subject: string };

/** One encoding of the protocol. */
export interface Codec {
  readonly _protocol: string;
  _encode(command: Command): string | Uint8Array<ArrayBuffer>;
  /** Returns undefined for an event that this client does not know. Throws if the frame is invalid. */
  _decode(frame: string | ArrayBuffer | Uint8Array): ServerEvent | undefined;
}

/** Makes the codec of a connection. Opaque to applications. */
export type Encoding = () => Codec;
