import { FULL, LOADING, PAUSED } from "./core.js";
import { BelfryError, invalid } from "./errors.js";
import { DeliveredMessage } from "./message.js";
import { text } from "./payload.js";
import { parsePosition } from "./positions.js";
import type { SubscribeCommand, WireMessage } from "./protocol.js";
import { onAbort } from "./signals.js";
import { checkSubject, isPattern, matcher } from "./subjects.js";
import { createTracker, resumeFrom, type Tracker } from "./tracker.js";
import type { Decoder, Environment, Gap, Message, Subscribed, SubscribeOptions, Subscription } from "./types.js";

/** The calls of a subscription to its client. */
export interface SubscriptionOwner {
  /** Requests or ends the subscription at the server, after `_held` has changed. */
  _sync(subscription: Subscriber): void;
  /** The iterator's buffer is full, or has room again. */
  _fullChanged(subscription: Subscriber, full: boolean): void;
  _unsubscribe(subscription: Subscriber): void;
  _failed(error: unknown): void;
  /** Calls after a time, unless the client is closed before. Returns a function that cancels the call. */
  _later(call: () => void, ms: number): () => void;
  /** Returns a function that calls after a time; what is asked meanwhile needs no other call. */
  _delayed(call: () => void, ms: number): () => void;
  readonly _env: Environment;
}

/** One subscription of the application: its positions, its buffer, and what the server knows of it. */
export interface Subscriber extends Subscription<unknown> {
  /** Matches the subjects of a pattern; undefined for a plain subject. */
  readonly _pattern: RegExp | undefined;
  readonly _options: Pick<SubscribeOptions<unknown>, "history" | "conflate">;
  /** Trackers by subject; a plain subject has one. */
  readonly _trackers: Map<string, Tracker>;
  /** Whether the server confirmed the subscription on the current connection. */
  _confirmed: boolean;
  /** Whether the server ever confirmed the subscription. */
  _known: boolean;
  /** Reasons for which nothing should be sent, as bits. */
  _held: number;
  /** Id of the latest request on this connection; 0 if there is none. */
  _request: number;
  /** Whether the latest request was to unsubscribe. */
  _leaving: boolean;
  /** Adds or removes a reason. */
  _hold(reason: number, on: boolean): void;
  /** Returns what to request from the server. */
  _wanted(): SubscribeCommand;
  /** Returns the tracker of a subject; the least recently used one is dropped beyond the bound. */
  _tracker(subject: string): Tracker;
  /** Settles `ready`. */
  _subscribed(subscribed: Subscribed): void;
  _message(wire: WireMessage): void;
  _gap(gap: Gap): void;
  /** Ends deliveries; with an error, the iterator and `ready` fail with it. */
  _onEnd(error?: BelfryError): void;
}

export function createSubscription<T>(
  subject: string,
  options: SubscribeOptions<T>,
  trackersMax: number,
  owner: SubscriptionOwner,
): Subscriber {
  type Item = Message<T> | Gap;
  type Result = IteratorResult<Item, undefined>;
  /** Bound of the random pause before the state is loaded after a gap, because all clients may get the same gap. */
  const RELOAD_PAUSE = 1000;
  const { onMessage, onGap, decode = text as Decoder<unknown> as Decoder<T>, state, from, history, conflate } = options;
  const { count: countMax = 1000, bytes: bytesMax = 4 << 20 } = options.buffer ?? {};
  const { _later, _failed } = owner;
  const trackers = new Map<string, Tracker>();
  let items: Item[] = [];
  /** Index of the next item to take. */
  let next = 0;
  let bytes = 0;
  let full = false;
  let over = false;
  let failure: BelfryError | undefined;
  let waiting: Promise<void> | undefined;
  let wake: (() => void) | undefined;
  let confirm!: (subscribed: Subscribed) => void;
  let refuse!: (error: BelfryError) => void;
  const ready = new Promise<Subscribed>((resolve, reject) => {
    confirm = resolve;
    refuse = reject;
  });
  ready.catch(() => {});

  checkSubject(subject, true);
  const pattern = isPattern(subject) ? matcher(subject) : undefined;
  if (pattern && (from || history || state)) {
    throw invalid("wildcard-not-allowed", "a pattern has no from, history or state");
  }

  const startAt = (position: string | null | undefined) => {
    if (position) trackers.set(subject, createTracker(parsePosition(position)));
  };

  /** Loads the application's state, again after a failure, and continues from its position. */
  const load = (ms: number, gap?: Gap) => {
    subscription._hold(LOADING, true);
    _later(async () => {
      try {
        const position = await state?.({ subject, gap });
        trackers.clear();
        startAt(position);
        subscription._hold(LOADING, false);
      } catch (error) {
        _failed(error);
        if (!over) load(RELOAD_PAUSE, gap);
      }
    }, ms);
  };

  const call = <V>(listener: ((value: V) => unknown) | undefined, value: V) => {
    try {
      const result = listener?.(value);
      if (result instanceof Promise) result.catch(_failed);
    } catch (error) {
      _failed(error);
    }
  };

  /** Whether the buffer exceeds its bounds, multiplied by a factor. */
  const exceeds = (factor: number) => items.length - next > countMax * factor || bytes > bytesMax * factor;

  const check = owner._delayed(() => {
    if (!over && exceeds(1)) {
      full = true;
      owner._fullChanged(subscription, true);
    }
  }, 0);

  const push = (item: Item, size: number) => {
    items.push(item);
    bytes += size;
    // A read of many small messages may exceed the bound before the application can run at all.
    if (exceeds(1)) {
      if (!full) check();
      if (exceeds(4)) {
        full = true;
        subscription._hold(FULL, true);
      }
    }
    wake?.();
  };

  const take = () => {
    const item = items[next++] as Item;
    if (item.kind === "message") bytes -= item.bytes.length;
    if (next * 2 > items.length) {
      items = items.slice(next);
      next = 0;
    }
    if (full && !exceeds(0.5)) {
      full = false;
      owner._fullChanged(subscription, false);
    }
    return item;
  };

  /** Waits for an item, or for the end. */
  const nextItem = async (): Promise<Result> => {
    while (next === items.length) {
      if (over) {
        const error = failure;
        failure = undefined;
        if (error) throw error;
        return { done: true, value: undefined };
      }
      waiting ??= new Promise((resolve) => {
        wake = () => {
          waiting = wake = undefined;
          resolve();
        };
      });
      await waiting;
    }
    return { done: false, value: take() };
  };

  const unsubscribe = () => owner._unsubscribe(subscription);

  const subscription: Subscriber = {
    subject,
    _pattern: pattern,
    _options: options,
    _trackers: trackers,
    _confirmed: false,
    _known: false,
    _held: 0,
    _request: 0,
    _leaving: false,
    get position() {
      return pattern ? undefined : resumeFrom(trackers.get(subject));
    },
    ready: () => ready,
    pause: () => subscription._hold(PAUSED, true),
    resume: () => subscription._hold(PAUSED, false),
    unsubscribe,
    [Symbol.asyncDispose]: async () => unsubscribe(),
    [Symbol.asyncIterator]() {
      if (onMessage) throw invalid("not-iterable", "with onMessage there is no iterator");
      return {
        // An async function would take longer for an item that is there.
        next: () => (next < items.length ? Promise.resolve({ done: false, value: take() }) : nextItem()),
        return: async () => {
          unsubscribe();
          return { done: true, value: undefined };
        },
      };
    },
    _hold(reason, on) {
      subscription._held = on ? subscription._held | reason : subscription._held & ~reason;
      owner._sync(subscription);
    },
    _wanted() {
      const from = subscription.position;
      return { op: "subscribe", subjects: [subject], from, history: from ? undefined : history, conflate };
    },
    _tracker(subject) {
      let tracker = trackers.get(subject);
      if (tracker && trackers.size <= trackersMax / 2) return tracker;
      tracker ??= createTracker();
      trackers.delete(subject);
      trackers.set(subject, tracker);
      if (trackers.size > trackersMax) trackers.delete(trackers.keys().next().value as string);
      return tracker;
    },
    _subscribed: confirm,
    _message(wire) {
      const message = new DeliveredMessage(wire, decode);
      if (onMessage) call(onMessage, message);
      else push(message, wire.bytes.length);
    },
    _gap(gap) {
      if (onMessage) call(onGap, gap);
      else push(gap, 0);
      if (state && !(subscription._held & LOADING)) load(RELOAD_PAUSE * owner._env.random(), gap);
    },
    _onEnd(error) {
      over = true;
      failure = error;
      if (!error) items.length = next = 0;
      leave();
      refuse(error ?? new BelfryError("closed", "unsubscribed", "the subscription ended"));
      wake?.();
    },
  };

  startAt(from);
  if (state) load(0);
  const leave = onAbort(options.signal, unsubscribe);
  return subscription;
}
