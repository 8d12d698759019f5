import { BelfryError, type FailureKind } from "./errors.js";
import type { Position } from "./positions.js";
import type { PublishCommand } from "./protocol.js";
import type { ClientOptions } from "./types.js";

export interface Publish {
  readonly _command: PublishCommand & { id: number };
  readonly _deadline: number;
  _resolve(position: Position): void;
  _reject(error: unknown): void;
  /** Whether it was sent on the current connection. */
  _sent?: boolean;
}

/** The unanswered publishes in their order. */
export interface Publishes {
  /** Time by which all deadlines move, because the device slept. */
  _slept: number;
  _hasRoom(bytes: number): boolean;
  _add(publish: Publish): void;
  /** Sends the unsent publishes in order while `send` returns true; returns whether some remain. */
  _send(send: (command: Publish["_command"]) => boolean): boolean;
  /** Removes a publish; returns undefined if it is no longer pending. */
  _take(id: number | undefined): Publish | undefined;
  /** Marks a publish to be sent again after `_requeue`; returns false if it must not be repeated. */
  _repeatLater(id: number): boolean;
  /** Queues everything that was not sent on this connection, in order. */
  _requeue(): void;
  /** Fails the publishes that must not be repeated, and queues the others. */
  _disconnected(): void;
  _failLate(now: number): void;
  _failAll(error: BelfryError): void;
}

export function createPublishes({ count = 10_000, bytes = 16 << 20 }: ClientOptions["pending"] = {}): Publishes {
  const pending = new Map<number, Publish>();
  let unsent: Publish[] = [];
  let pendingBytes = 0;

  const take: Publishes["_take"] = (id = 0) => {
    const publish = pending.get(id);
    if (publish) {
      pending.delete(id);
      pendingBytes -= publish._command.data.length;
    }
    return publish;
  };
  const fail = (publish: Publish, kind: FailureKind, code: string, reason: string) =>
    take(publish._command.id)?._reject(new BelfryError(kind, code, reason));
  const requeue = () => {
    unsent = [...pending.values()].filter((publish) => !publish._sent);
  };

  return {
    _slept: 0,
    _hasRoom: (more) => pending.size < count && pendingBytes + more <= bytes,
    _add(publish) {
      pending.set(publish._command.id, publish);
      pendingBytes += publish._command.data.length;
      unsent.push(publish);
    },
    _send(send) {
      let done = 0;
      for (const publish of unsent) {
        if (pending.has(publish._command.id)) {
          if (!send(publish._command)) break;
          publish._sent = true;
        }
        done++;
      }
      if (done) unsent = unsent.slice(done);
      return unsent.length > 0;
    },
    _take: take,
    _repeatLater(id) {
      const publish = pending.get(id);
      if (!publish?._command.msgId) return false;
      publish._sent = false;
      return true;
    },
    _requeue: requeue,
    _disconnected() {
      for (const publish of pending.values()) {
        if (publish._sent && !publish._command.msgId) {
          fail(publish, "unknown", "connection-lost", "the connection broke before the answer");
        }
        publish._sent = false;
      }
      requeue();
    },
    _failLate(now) {
      for (const publish of pending.values()) {
        if (publish._deadline + this._slept > now) break;
        fail(publish, "timed-out", "timed-out", "the message may have been published");
      }
    },
    _failAll({ code, message }) {
      for (const publish of pending.values()) fail(publish, "closed", code, message);
    },
  };
}
