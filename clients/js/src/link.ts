import type { Command, ServerEvent, SubscribeCommand } from "./protocol.js";
import type { ClientOptions, Environment, TransportName } from "./types.js";

/** Why a connection ended or could not be made. */
export interface Ending {
  /** The server's code, or the kind of ending if the server gave none. */
  readonly code: string;
  readonly reason: string;
  /** HTTP status of a refusal, or close code; absent if there is none. */
  readonly number?: number | undefined;
  /** Time in ms that the server asks the client to wait. */
  readonly retryAfter?: number | undefined;
}

/** The settings of a link and the receiver of its events. A closed link reports nothing more. */
export interface LinkOwner {
  readonly _url: string;
  readonly _token: string | undefined;
  readonly _options: ClientOptions;
  readonly _env: Environment;
  readonly _pingInterval: number;
  /** Returns what a new connection must subscribe, in this order. */
  _wanted(): SubscribeCommand[];
  /** The link can be used. `ping` is the interval in ms that the server named for it; undefined if `connected` follows. */
  _onOpen(ping?: number): void;
  /** An event arrived; undefined for bytes that are none. */
  _onEvent(event?: ServerEvent): void;
  _onEnd(ending: Ending): void;
}

/** One connection. */
export interface Link {
  _send(command: Command): void;
  /** Whether publishes should wait. */
  _isFull(): boolean;
  /** Whether the server sends something within its ping interval, if asked. */
  _expectsReads(): boolean;
  /** Stops or continues reading; absent where a transport cannot. */
  readonly _pauseReading?: ((pause: boolean) => void) | undefined;
  /** Whether a change of one subscription opens a new stream for all. */
  readonly _oneStream?: boolean | undefined;
  /** Ends the connection without a close frame, which would end a kept session; absent where a transport cannot. */
  _abandon?(): void;
  /** Closes the connection; resolves when it is closed. */
  _close(): Promise<void>;
}

/** A way to connect: `webSocket`, or `httpStream` and `longPoll` of `belfry-client/http`. */
export interface Transport {
  readonly name: TransportName;
  _connect(owner: LinkOwner): Link;
}
