import { BelfryError, type FailureKind, invalid } from "./errors.js";
import { encodePayload, headersLength } from "./payload.js";
import type { Position } from "./positions.js";
import type { PublishCommand } from "./protocol.js";
import { onAbort } from "./signals.js";
import { checkSubject } from "./subjects.js";
import type { Client, ClientOptions, Environment, Payload, PublishOptions } from "./types.js";

interface Publish {
  readonly _command: PublishCommand & { id: number };
  readonly _until: number;
  /** Settles the promise: with a position, or with an error if there is none. */
  _settle(position: Position | undefined, error?: unknown): void;
  /** Bytes of data and headers. */
  readonly _size: number;
  /** Whether it was sent on the current connection. */
  _sent: boolean;
}

/** The unanswered publishes in their order. */
export interface Publishes {
  /** Why the client stopped: further publishes fail with it. */
  _stopped: BelfryError | undefined;
  /** Time by which all deadlines move, because the device slept. */
  _slept: number;
  _hasRoom(bytes: number): boolean;
  _publish(
    subject: string,
    payload: Payload,
    options?: PublishOptions & Pick<PublishCommand, "origin">,
  ): ReturnType<Client["publish"]>;
  /** Sends the unsent publishes in order while `send` returns true; returns whether some remain. */
  _send(send: (command: Publish["_command"], size: number) => boolean): boolean;
  /** Removes a publish; returns undefined if it is no longer pending. */
  _take(id: number | undefined): Publish | undefined;
  /** Marks a publish to be sent again after `_requeue`; returns false if it must not be repeated. */
  _repeatLater(id: number): boolean;
  /** Queues everything that was not sent on this connection, in order. */
  _requeue(): void;
  /** Fails the publishes that must not be repeated, and queues the others. */
  _disconnected(): void;
  _failLate(): void;
  /** Fails all publishes, and further ones while `_stopped` is set. */
  _onEnd(error: BelfryError): void;
}

/** `queued` is called after each publish that was accepted. */
export function createPublishes(
  options: ClientOptions,
  { now, random }: Environment,
  nextId: () => number,
  queued: () => void,
): Publishes {
  const { publishTimeout = 30_000 } = options;
  const { count = 10_000, bytes = 16 << 20 } = options.pending ?? {};
  /** A random beginning and a number make the msgIds of this client. */
  const msgIds = `${random().toString(36).slice(2)}${random().toString(36).slice(2)}-`;
  const pending = new Map<number, Publish>();
  let unsent = new Set<Publish>();
  let pendingBytes = 0;

  const take: Publishes["_take"] = (id = 0) => {
    const publish = pending.get(id);
    if (publish) {
      pending.delete(id);
      unsent.delete(publish);
      pendingBytes -= publish._size;
    }
    return publish;
  };
  const fail = (publish: Publish, kind: FailureKind, code: string, reason: string) =>
    take(publish._command.id)?._settle(undefined, new BelfryError(kind, code, reason));

  const publishes: Publishes = {
    _stopped: undefined,
    _slept: 0,
    _hasRoom: (more) => pending.size < count && pendingBytes + more <= bytes,
    _publish(subject, payload, { once, signal, msgId, ...terms } = {}) {
      checkSubject(subject, false);
      const data = encodePayload(payload);
      const id = nextId();
      if (msgId === "" || encodePayload(msgId ?? "").length > 64) {
        throw invalid("bad-request", "a msgId has 1 to 64 bytes");
      }
      const size = data.length + headersLength(terms.headers);
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        if (!publishes._hasRoom(size)) {
          throw new BelfryError("too-many-pending", "too-many-pending", "too many publishes have no answer");
        }
        const done = onAbort(signal, () => take(id)?._settle(undefined, signal?.reason));
        const publish: Publish = {
          _command: {
            ...terms,
            op: "publish",
            id,
            subject,
            data,
            msgId: once ? undefined : (msgId ?? msgIds + id),
          },
          _size: size,
          _until: now() + publishTimeout - publishes._slept,
          _settle(at, error) {
            done();
            if (at) resolve(at);
            else reject(error);
          },
          _sent: false,
        };
        pending.set(id, publish);
        unsent.add(publish);
        pendingBytes += size;
        if (publishes._stopped) publishes._onEnd(publishes._stopped);
        else queued();
      });
    },
    _send(send) {
      for (const publish of unsent) {
        if (!send(publish._command, publish._size)) return true;
        publish._sent = unsent.delete(publish);
      }
      return false;
    },
    _take: take,
    _repeatLater(id) {
      const publish = pending.get(id);
      return !!publish?._command.msgId && !(publish._sent = false);
    },
    _requeue() {
      unsent = new Set([...pending.values()].filter((publish) => !publish._sent));
    },
    _disconnected() {
      for (const publish of pending.values()) {
        if (publish._sent && !publish._command.msgId) {
          fail(publish, "unknown", "connection-lost", "the connection ended before the answer");
        }
        publish._sent = false;
      }
      publishes._requeue();
    },
    _failLate() {
      for (const publish of pending.values()) {
        if (publish._until + publishes._slept > now()) break;
        fail(publish, "timed-out", "timed-out", "no answer within publishTimeout");
      }
    },
    _onEnd(error) {
      publishes._stopped = error;
      for (const publish of pending.values()) fail(publish, "closed", error.code, error.message);
    },
  };
  return publishes;
}
