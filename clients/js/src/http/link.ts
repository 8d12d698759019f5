import type { Link, LinkOwner } from "../link.js";
import type { Command, SubscribeCommand } from "../protocol.js";
import { type Calls, createCalls, createGate, type Gate } from "./calls.js";

/** A way to receive over HTTP. */
export interface Receiving {
  /** Whether the link can be used once the server is ready; otherwise with the first event. */
  readonly _opensEarly?: boolean;
  /** Receives for subscriptions until the signal aborts; `open` reports that the link can be used, and its ping interval. */
  _follow(wanted: SubscribeCommand[], signal: AbortSignal, open: (ping: number) => void): Promise<void>;
  /** Whether the subscriptions must be followed again after the server answered a ping, or with a new token; absent: never. */
  readonly _isStale?: (newToken: boolean) => boolean;
}

/** Makes a link that receives in one of the ways and publishes by POST. */
export function createHttpLink(owner: LinkOwner, receive: (calls: Calls, gate: Gate) => Receiving): Link {
  /** Time in ms within which changes of subscriptions lead to one new round. */
  const CHANGES = 10;
  const calls = createCalls(owner);
  const gate = createGate();
  const { _opensEarly, _follow, _isStale } = receive(calls, gate);
  let wanted: SubscribeCommand[] = [];
  let opened = false;
  let changing = false;

  const open = (ping: number) => {
    if (!opened) {
      opened = true;
      owner._onOpen(ping);
    }
  };

  /** Follows the wanted subscriptions from their current positions, in place of the round before. */
  const start = async () => {
    if (calls._end.aborted) return;
    changing = false;
    const signal = calls._nextRound();
    try {
      wanted = owner._wanted();
      if (!opened && (_opensEarly || !wanted.length)) {
        await calls._get("/health/ready");
        open(0);
      }
      if (wanted.length) await _follow(wanted, signal, open);
    } catch (error) {
      if (!signal.aborted) calls._fail(error);
    }
  };

  const change = () => {
    if (!changing) owner._env.setTimeout(start, CHANGES);
    changing = true;
  };

  const probe = async () => {
    await calls._get("/health/ready");
    owner._onEvent();
    if (wanted.length && _isStale?.(false)) change();
  };

  void start();
  return {
    _send(command: Command) {
      const { op } = command;
      if (op === "publish") calls._publish(command);
      else if (op === "ping") probe().catch(calls._fail);
      else if (op === "connect") {
        calls._token = command.token;
        if (_isStale?.(true)) change();
      } else if (op === "watch") {
        owner._onEvent({ ...command, op: "error", code: "unsupported", reason: "needs a WebSocket" });
      } else if (op !== "unwatch") change();
    },
    _isFull: () => false,
    _expectsReads: () => wanted.length > 0,
    _pauseReading: gate._pause,
    _oneStream: true,
    async _close() {
      calls._close();
    },
  };
}
