/// <reference lib="esnext.disposable" preserve="true" />
import type { BelfryError } from "./errors.js";
import type { Transport } from "./link.js";
import type { Position } from "./positions.js";
import type { Encoding } from "./protocol.js";

/** Why a message was delivered: published now, retained, requested by count, or missed since the last position. */
export type MessageType = "live" | "snapshot" | "history" | "recovered";

/** Result of resuming: all messages follow, a gap follows, or there was no position. */
export type Recovery = "complete" | "gap" | "none";

/** A message of a subject. */
export interface Message<T = string> {
  readonly kind: "message";
  readonly subject: string;
  /** The payload as the subscription's `decode` returns it; decoded at the first access. */
  readonly data: T;
  /** The payload as it was published. It may share memory with other messages: copy what is kept for long. */
  readonly bytes: Uint8Array;
  readonly position: Position;
  readonly epoch: number;
  readonly seq: number;
  /** Time at which the server accepted the message, in ms since 1970. */
  readonly time: number;
  readonly type: MessageType;
  readonly retained: boolean;
  /** The texts that the publisher added, by name; empty if there are none. Names that begin with `$` are of the server. */
  readonly headers: Headers;
  /** The user who published the message, which the server set; undefined if the subject or the publisher has no name. */
  readonly publisher: string | undefined;
}

/** Texts beside the payload, by name. A name has 1 to 64 bytes and does not begin with `$`. */
export type Headers = { readonly [name: string]: string };

/** No message after `from` up to and including `to` will arrive. Delivered in place between the messages. */
export interface Gap {
  readonly kind: "gap";
  readonly subject: string;
  readonly from: Position | undefined;
  readonly to: Position | undefined;
  /** One of the protocol's codes, or `not-recovered` for messages of a pattern that nobody can list. */
  readonly reason: string;
}

/** Converts the payload of a message of the subject. */
export type Decoder<T> = (bytes: Uint8Array, subject: string) => T;

/** Confirmation of a subscription. A pattern has no position. */
export interface Subscribed {
  readonly recovery: Recovery;
  readonly position: Position | undefined;
}

/** The options of a subscription. */
export interface SubscribeOptions<T> {
  /** Receives each message. Without it, iterate over the subscription. */
  onMessage?: ((message: Message<T>) => unknown) | undefined;
  /** Receives each gap, in place between the messages; only with `onMessage`. */
  onGap?: ((gap: Gap) => unknown) | undefined;
  /** Converts the payload; default: `text`. */
  decode?: Decoder<T> | undefined;
  /** Resumes after this position; plain subjects only, or patterns of a client that `connectPatterns` made. */
  from?: Position | undefined;
  /** Number of latest messages to receive first; plain subjects only. */
  history?: number | undefined;
  /** Interval in ms: at most one live message per subject in this time, the latest. */
  conflate?: number | undefined;
  /**
   * Loads the state of the application and returns the position stored with it. Called before the first subscribe and
   * after every gap; plain subjects only.
   */
  state?: ((request: StateRequest) => Promise<Position | null | undefined>) | undefined;
  /** Bound of messages that wait for the iterator; default 1,000 messages and 4 MB. */
  buffer?: { count?: number | undefined; bytes?: number | undefined } | undefined;
  /** Ends the subscription when it aborts. */
  signal?: AbortSignal | undefined;
}

/** Why the state of the application is loaded. */
export interface StateRequest {
  readonly subject: string;
  /** The gap that is the reason; undefined before the first subscribe. */
  readonly gap: Gap | undefined;
}

/** A subscription to one subject or pattern. Iterate over it unless it has `onMessage`; `break` unsubscribes. */
export interface Subscription<T = string> extends AsyncIterable<Message<T> | Gap>, AsyncDisposable {
  readonly subject: string;
  /**
   * Position after which the subscription would resume. Messages that wait are before it. A pattern has one only if
   * `connectPatterns` made the client; messages that wait are after it.
   */
  readonly position: Position | undefined;
  /** Resolves at the first confirmation of the server; rejects if the server refuses. */
  ready(): Promise<Subscribed>;
  /** Stops messages at the server and remembers the position. */
  pause(): void;
  /** Continues after the position. */
  resume(): void;
  /** Ends the subscription; no message is delivered afterwards. */
  unsubscribe(): void;
}

/** The options of a publish. */
export interface PublishOptions {
  /** Stores the message as the subject's retained message; empty data clears it. */
  retain?: boolean | undefined;
  /** 1 to 64 bytes. A repeat with the same id is not delivered again; default: a random one. */
  msgId?: string | undefined;
  /** Up to 16 texts beside the payload. */
  headers?: Headers | undefined;
  /** Time in ms after which the server does not deliver the message any more, at most 365 days; 0 is no end. */
  ttl?: number | undefined;
  /** Sends without a msgId and never repeats after a disconnect; the outcome may then be `unknown`. */
  once?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** Text and bytes are published as they are, everything else as JSON. */
export type Payload = string | Uint8Array | ArrayBuffer | object | number | boolean | null;

/** The name of a transport in a status. */
export type TransportName = "webSocket" | "httpStream" | "longPoll";

/** An event of the client other than a message. */
export type Status =
  | {
      readonly type: "connecting";
      readonly server: string;
      readonly transport: TransportName;
      readonly attempt: number;
    }
  | {
      readonly type: "connected";
      readonly server: string;
      readonly transport: TransportName;
      /** Name of the session and of the node; empty over HTTP. */
      readonly session: string;
      readonly node: string;
    }
  /** The connection ended or an attempt failed; `retryIn` is the pause in ms, undefined while the page is hidden. */
  | {
      readonly type: "disconnected";
      readonly server: string;
      readonly code: string;
      readonly reason: string;
      readonly retryIn: number | undefined;
    }
  /** Refused permanently: the client makes no further attempt until `reconnect()`. */
  | { readonly type: "refused"; readonly server: string; readonly code: string; readonly reason: string }
  | { readonly type: "reconnect-asked"; readonly after: number; readonly reason: string }
  | { readonly type: "token-to-expire"; readonly after: number }
  | { readonly type: "token-failed"; readonly error: unknown }
  /** The server is behind its cluster, so messages may be late; or it is current again. */
  | { readonly type: "stale"; readonly stale: boolean }
  /**
   * The application's backend began this subscription by the server API. Its messages are dropped until the application
   * subscribes to the subject; with `from: position` it also gets the messages since then. A pattern has no position.
   */
  | { readonly type: "subscribed-by-server"; readonly subject: string; readonly position?: string | undefined }
  | ({ readonly type: "subscribed"; readonly subject: string } & Subscribed)
  /** The server refused or ended the subscription; it is removed. */
  | { readonly type: "subscribe-refused"; readonly subject: string; readonly error: BelfryError }
  | { readonly type: "unsubscribed"; readonly subject: string }
  | { readonly type: "gap"; readonly gap: Gap }
  | { readonly type: "command-failed"; readonly error: BelfryError }
  /** A callback of the application threw. */
  | { readonly type: "listener-failed"; readonly error: unknown }
  | { readonly type: "closed" };

/** Why a token is needed: for a connection, because the old one expires, or because the server refused it. */
export interface TokenRequest {
  readonly reason: "connect" | "expiring" | "refused";
  /** Aborts when the client is closed. */
  readonly signal: AbortSignal;
}

/** Returns a token; null or undefined for none. */
export type TokenSource = (request: TokenRequest) => Promise<string | null | undefined> | string | null | undefined;

/** Pauses between attempts, in ms. Each pause is drawn from the whole range up to its bound. */
export interface ReconnectPolicy {
  /** Number of quick attempts, each after 0 to `quickPause`. */
  quickAttempts: number;
  quickPause: number;
  /** Bound of the first pause after the quick ones; it doubles up to `longestPause`. */
  firstPause: number;
  longestPause: number;
  /** Time after which a connection resets the count of attempts. */
  stableAfter: number;
  /** Time for which a failed server is avoided while others are available. */
  avoidFailedFor: number;
}

/** The part of a WebSocket class that the client uses; browsers, Deno, Bun, Node 22 and the package ws have one. */
export type WebSocketClass = new (
  url: string,
  protocols?: string[],
) => { binaryType: string; readonly bufferedAmount: number; close(code?: number, reason?: string): void };

/** Clock, timers and chance; replaced by tests. */
export interface Environment {
  /** Time in ms since 1970; jumps when a device wakes up. */
  now(): number;
  random(): number;
  setTimeout(call: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
  /** Where events of the page are heard; default `globalThis`. */
  readonly page?: object | undefined;
}

/** The options of a client; only `servers` is required. */
export interface ClientOptions {
  /** One or more servers, `ws://host:port` or `wss://host`; a client chooses by weight, default 1. */
  servers: string | readonly (string | { url: string; weight?: number | undefined })[];
  token?: string | TokenSource | undefined;
  /** By preference; default: WebSocket only. `belfry-client/http` has more, and `belfry-client/keep` keeps sessions. */
  transports?: readonly Transport[] | undefined;
  /** Default: binary. `jsonEncoding` of `belfry-client/http` is readable in the tools of a browser. */
  encoding?: Encoding | undefined;
  /** For runtimes without a WebSocket class, such as Node 20: `import { WebSocket } from "ws"`. */
  webSocket?: WebSocketClass | undefined;
  reconnect?: Partial<ReconnectPolicy> | undefined;
  /** Time limit in ms for token and handshake together; default 10,000. */
  connectTimeout?: number | undefined;
  /**
   * Ping interval in whole ms to request from the server, which applies the nearest one within its bounds. A server that
   * sends nothing for two intervals is considered dead. Default: the interval of the server, 25,000 ms over HTTP.
   */
  pingInterval?: number | undefined;
  /** Time limit in ms for the answer to a publish, across all connections; default 30,000. */
  publishTimeout?: number | undefined;
  /** Bound of unanswered publishes; default 10,000 and 16 MB. */
  pending?: { count?: number | undefined; bytes?: number | undefined } | undefined;
  /** Number of subjects per pattern whose order is tracked; default 100,000. */
  followedSubjects?: number | undefined;
  /** Number of subjects of all patterns together that are recovered after a disconnect; default 500. */
  recoveredSubjects?: number | undefined;
  /**
   * Behaviour of a hidden page: it stays connected (default), pauses its subscriptions, or closes the connection after a
   * time in ms. When the page is visible again, everything continues from its position.
   */
  hidden?: "stay" | "pause" | { closeAfter: number } | undefined;
  /** Receives every status. Without it, problems are written to the console. */
  onStatus?: ((status: Status) => void) | undefined;
  /** Closes the client when it aborts. */
  signal?: AbortSignal | undefined;
  environment?: Partial<Environment> | undefined;
}

/** Receives whether the watched subject has subscribers, at first and after each change. */
export type InterestListener = (subscribers: boolean) => unknown;

/** A client of one or more servers. */
export interface Client extends AsyncDisposable {
  /** The latest status of the connection. */
  readonly status: Extract<Status["type"], "connecting" | "connected" | "disconnected" | "refused" | "closed">;
  /** Whether one more publish is within the bounds. */
  readonly writable: boolean;
  /** Resolves when connected; rejects when the client is refused permanently or closed. */
  ready(): Promise<void>;
  /** Subscribes a subject or pattern; each can be subscribed once per client. */
  subscribe<T = string>(subject: string, options?: SubscribeOptions<T>): Subscription<T>;
  /** Resolves with the position after the server's history has the message. */
  publish(subject: string, data: Payload, options?: PublishOptions): Promise<Position>;
  /** Tries at once, also after a permanent refusal. */
  reconnect(): void;
  /** Resolves when the connection is closed. */
  close(): Promise<void>;
}
