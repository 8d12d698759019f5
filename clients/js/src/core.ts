import type { Command, ServerEvent } from "./protocol.js";
import type { Publishes } from "./publishes.js";
import type { Registry } from "./registry.js";
import type { SubscriptionOwner } from "./subscription.js";
import type { Client } from "./types.js";

// Reasons for which a subscription is not subscribed at the server although the application has it, as bits. Constants
// of a module without imports are inserted where they are used.
export const PAUSED = 1;
export const FULL = 2;
export const HIDDEN = 4;
export const LOADING = 8;
export const LEAVING = 16;

/** A part of the client that only some applications need; it sends its own commands and sees all events. */
export interface Extension {
  /** A new connection accepts commands. */
  _onOpen(): void;
  /** Returns true if the event was its own. */
  _onEvent(event: ServerEvent): boolean;
}

export interface Engine extends SubscriptionOwner {
  readonly _registry: Registry;
  readonly _publishes: Publishes;
  readonly _extensions: Set<Extension>;
  _state(): Client["status"];
  /** Resolves when connected; rejects when the client is refused permanently or closed. */
  _ready(): Promise<void>;
  _connect(): void;
  /** Sends a command with a new id, if there is a connection that knows the subscriptions. Returns the id. */
  _command(command: Command): number;
  /**
   * The page is visible again, or network or device are back: probes what looks alive, and cuts pauses short. With
   * `stay`, a connection that is closed because the page is hidden stays closed.
   */
  _wake(stay?: boolean): void;
  /** The network changed: another transport may work now. */
  _networkChanged(): void;
  /** Closes the connection and keeps all positions, until `_wake`. */
  _suspend(): void;
  _reconnect(): void;
  _close(): Promise<void>;
}

/** A client that owns a connection. */
export interface EngineClient extends Client {
  readonly _engine: Engine;
}
