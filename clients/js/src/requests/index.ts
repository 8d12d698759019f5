import type { Engine, EngineClient } from "../core.js";
import { BelfryError, invalid } from "../errors.js";
import { nameOf, randomText } from "../keys.js";
import { DeliveredMessage } from "../message.js";
import { text } from "../payload.js";
import type { Position } from "../positions.js";
import type { WireMessage } from "../protocol.js";
import { onAbort } from "../signals.js";
import { createSubscription, type Subscriber } from "../subscription.js";
import type { Client, Decoder, Headers, Message, Payload, PublishOptions } from "../types.js";

/** The options of a request. */
export interface RequestOptions<T> {
  /** Time limit in ms for the reply, and the time to live of the request; default 10,000. */
  timeout?: number | undefined;
  headers?: Headers | undefined;
  /** Makes `data` of the reply; default: text. */
  decode?: Decoder<T> | undefined;
  /** Ends the wait. */
  signal?: AbortSignal | undefined;
}

const TIMEOUT = 10_000;
/** Bound of the requests that wait for replies, if the client has no bound of unanswered publishes. */
const WAITING_MAX = 10_000;
const INBOX = /^\/\$inbox\/[\w-]{22}$/;

/** Returns the inbox of a key. Publishers need the name of the inbox, and a subscriber needs the key. */
export const inboxOf = (key: string): string => `/$inbox/${nameOf(key, 16)}`;

/** Ends one request, with a reply or an error. */
type Settle = (wire: WireMessage | undefined, error?: unknown) => void;

/** The inbox of a client, and its requests that wait for replies. */
interface Inbox {
  readonly _subscription: Subscriber;
  readonly _waiting: Map<string, Settle>;
}

const inboxes = new WeakMap<Engine, Inbox>();

/** Subscribes to a new inbox. It is a subscription like any other, so it continues after a disconnect. */
function createInbox(engine: Engine): Inbox {
  const key = randomText(24);
  const subscription = createSubscription(inboxOf(key), { onMessage() {} }, 1, engine);
  const waiting: Inbox["_waiting"] = new Map();
  const { _wanted, _onEnd } = subscription;
  subscription._wanted = () => ({ ..._wanted(), subjects: [`${subscription.subject}/${key}`] });
  subscription._message = (wire) => waiting.get(wire.headers.correlationId ?? "")?.(wire);
  subscription._onEnd = (error) => {
    inboxes.delete(engine);
    _onEnd(error);
    for (const settle of waiting.values()) {
      settle(undefined, error ?? new BelfryError("closed", "client-closed", "the client was closed"));
    }
  };
  const inbox: Inbox = { _subscription: subscription, _waiting: waiting };
  inboxes.set(engine, inbox);
  engine._registry._add(subscription);
  engine._sync(subscription);
  return inbox;
}

/**
 * Publishes a request, and resolves with the first reply. Rejects with the code `no-reply` if none arrives in time: a
 * responder may have processed the request. The client subscribes to its inbox with the first request and keeps the
 * subscription, so replies that arrive during a disconnect are received later.
 */
export async function request<T = string>(
  client: Client,
  subject: string,
  data: Payload,
  options: RequestOptions<T> = {},
): Promise<Message<T>> {
  const { timeout = TIMEOUT, headers, decode = text as Decoder<unknown> as Decoder<T>, signal } = options;
  const engine = (client as EngineClient)._engine;
  if (!engine) throw invalid("unsupported", "only a client with a connection of its own can send requests");
  if (!(timeout > 0)) throw invalid("bad-request", `timeout must be more than 0 ms, not ${timeout}`);
  signal?.throwIfAborted();
  if (client.status === "closed") throw engine._publishes._stopped;
  const { _subscription, _waiting } = inboxes.get(engine) ?? createInbox(engine);
  if (_waiting.size >= WAITING_MAX) {
    throw new BelfryError("too-many-pending", "too-many-pending", "too many requests wait for replies");
  }
  // A responder must not guess the ids of other requests.
  const correlationId = randomText(12);
  return new Promise((resolve, reject) => {
    const settle: Settle = (wire, error) => {
      if (!_waiting.delete(correlationId)) return;
      cancel();
      leave();
      if (wire) resolve(new DeliveredMessage(wire, decode));
      else reject(error);
    };
    const fail = (error: unknown) => settle(undefined, error);
    const cancel = engine._later(
      () => fail(new BelfryError("timed-out", "no-reply", `no reply to ${subject} within ${timeout} ms`)),
      timeout,
    );
    const leave = onAbort(signal, () => fail(signal?.reason));
    _waiting.set(correlationId, settle);
    // A reply cannot arrive before the inbox exists.
    _subscription
      .ready()
      .then(() => {
        if (!_waiting.has(correlationId)) return;
        const terms = { ...headers, replyTo: _subscription.subject, correlationId };
        return client.publish(subject, data, { headers: terms, ttl: Math.ceil(timeout) });
      })
      .catch(fail);
  });
}

/**
 * Publishes the reply to a request that the client received. Throws if the message asks for no reply; rejects with the code
 * `no-inbox` if the client of the request has ended.
 */
export function reply(
  client: Client,
  message: Message<unknown>,
  data: Payload,
  options: PublishOptions = {},
): Promise<Position> {
  const { replyTo = "", correlationId } = message.headers;
  // Otherwise a requester could make the application publish where only the application may.
  if (!INBOX.test(replyTo)) throw invalid("bad-request", "the message asks for no reply: its replyTo names no inbox");
  const headers = correlationId === undefined ? options.headers : { ...options.headers, correlationId };
  return client.publish(replyTo, data, { ...options, headers });
}
