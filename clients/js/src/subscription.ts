import { BelfryError, invalid } from "./errors.js";
import { DeliveredMessage } from "./message.js";
import { text } from "./payload.js";
import { type Position, parsePosition } from "./positions.js";
import type { SubscribeCommand, WireMessage } from "./protocol.js";
import { checkSubject, isPattern, matcher } from "./subjects.js";
import { Tracker } from "./tracker.js";
import type { Decoder, Gap, Message, Subscribed, SubscribeOptions, Subscription } from "./types.js";

/** Reasons for which a subscription is not subscribed at the server although the application has it. */
export const PAUSED = 1;
export const FULL = 2;
export const HIDDEN = 4;
export const LOADING = 8;

/** Bound of the random pause before the state is loaded after a gap, because all clients may get the same gap. */
const RELOAD_PAUSE = 1000;

/** The calls of a subscription to its client. */
export interface SubscriptionOwner {
  /** Requests or ends the subscription at the server, after `_held` has changed. */
  _heldChanged(subscription: Subscriber): void;
  /** The iterator's buffer is full, or has room again. */
  _fullChanged(subscription: Subscriber, full: boolean): void;
  _unsubscribe(subscription: Subscriber): void;
  _failed(error: unknown): void;
  _later(call: () => void, ms: number): unknown;
  _random(): number;
}

type Item<T> = Message<T> | Gap;

/** A subscription of any type of payload. */
// biome-ignore lint/suspicious/noExplicitAny: one map has subscriptions of all payload types; not part of the API.
export type Subscriber = Subscribing<any>;

/** One subscription of the application: its positions, its buffer, and what the server knows of it. */
export class Subscribing<T> implements Subscription<T> {
  readonly subject: string;
  /** Matches the subjects of a pattern; undefined for a plain subject. */
  readonly _pattern: RegExp | undefined;
  readonly _options: SubscribeOptions<T>;
  /** Trackers by subject; a plain subject has one. */
  readonly _trackers = new Map<string, Tracker>();
  /** Whether the server confirmed the subscription on the current connection. */
  _confirmed = false;
  _everConfirmed = false;
  /** Reasons for which nothing should be sent, as bits. */
  _held = 0;
  /** Id of the latest request on this connection; 0 if there is none. */
  _request = 0;
  /** Whether the latest request was to unsubscribe. */
  _leaving = false;

  readonly #owner: SubscriptionOwner;
  readonly #trackersMax: number;
  readonly #countMax: number;
  readonly #bytesMax: number;
  readonly #ready: Promise<Subscribed>;
  #readyResolve!: (subscribed: Subscribed) => void;
  #readyReject!: (error: unknown) => void;
  #items: Item<T>[] = [];
  /** Index of the next item to take. */
  #next = 0;
  #bytes = 0;
  #full = false;
  #checking = false;
  #over = false;
  #error: unknown;
  #wake: (() => void) | undefined;
  #abort = (): void => this.unsubscribe();

  constructor(subject: string, options: SubscribeOptions<T>, trackersMax: number, owner: SubscriptionOwner) {
    const { from, history, state, buffer, signal } = options;
    checkSubject(subject, true);
    if (isPattern(subject)) {
      if (from || history || state)
        throw invalid("wildcard-not-allowed", "from, history and state need a plain subject");
      this._pattern = matcher(subject);
    }
    this.subject = subject;
    this._options = options;
    this.#owner = owner;
    this.#trackersMax = trackersMax;
    this.#countMax = buffer?.count ?? 1000;
    this.#bytesMax = buffer?.bytes ?? 4 << 20;
    this.#ready = new Promise((resolve, reject) => {
      this.#readyResolve = resolve;
      this.#readyReject = reject;
    });
    this.#ready.catch(() => {});
    if (from) this.#startAt(from);
    if (state) {
      this._held = LOADING;
      this.#load();
    }
    signal?.addEventListener("abort", this.#abort);
    if (signal?.aborted) queueMicrotask(this.#abort);
  }

  #startAt(from: Position): void {
    this._trackers.set(this.subject, new Tracker(!!this._options.conflate, parsePosition(from)));
  }

  get position(): Position | undefined {
    return this._pattern ? undefined : this._trackers.get(this.subject)?._resumeFrom();
  }

  ready(): Promise<Subscribed> {
    return this.#ready;
  }

  pause(): void {
    this._hold(PAUSED);
  }

  resume(): void {
    this._release(PAUSED);
  }

  unsubscribe(): void {
    this.#owner._unsubscribe(this);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.unsubscribe();
  }

  _hold(reason: number): void {
    const before = this._held;
    this._held |= reason;
    if (!before) this.#owner._heldChanged(this);
  }

  _release(reason: number): void {
    const before = this._held;
    this._held &= ~reason;
    if (before && !this._held) this.#owner._heldChanged(this);
  }

  /** Returns what to request from the server. */
  _wanted(): SubscribeCommand {
    const from = this.position;
    const { history, conflate } = this._options;
    return { op: "subscribe", subjects: [this.subject], from, history: from ? undefined : history, conflate };
  }

  /** Returns the tracker of a subject; the least recently used one is dropped beyond the bound. */
  _tracker(subject: string): Tracker {
    const trackers = this._trackers;
    let tracker = trackers.get(subject);
    if (tracker && trackers.size <= this.#trackersMax / 2) return tracker;
    tracker ??= new Tracker(!!this._options.conflate);
    trackers.delete(subject);
    trackers.set(subject, tracker);
    if (trackers.size > this.#trackersMax) trackers.delete(trackers.keys().next().value as string);
    return tracker;
  }

  /** Records the confirmation; returns true for the first one ever. */
  _confirm(subscribed: Subscribed): boolean {
    const first = !this._everConfirmed;
    this._confirmed = this._everConfirmed = true;
    this.#readyResolve(subscribed);
    return first;
  }

  _deliver(wire: WireMessage): void {
    const { onMessage, decode = text as Decoder<unknown> as Decoder<T> } = this._options;
    const message = new DeliveredMessage(wire, decode);
    if (onMessage) this.#call(onMessage, message);
    else this.#push(message, wire.bytes.length);
  }

  _gap(gap: Gap): void {
    const { onMessage, onGap, state } = this._options;
    if (!onMessage) this.#push(gap, 0);
    else if (onGap) this.#call(onGap, gap);
    if (state && !(this._held & LOADING)) {
      this._hold(LOADING);
      this.#load(gap);
    }
  }

  #call<V>(listener: (value: V) => unknown, value: V): void {
    try {
      const result = listener(value);
      if (result instanceof Promise) result.catch(this.#owner._failed);
    } catch (error) {
      this.#owner._failed(error);
    }
  }

  /** Loads the application's state, again after a failure, and continues from its position. */
  #load(gap?: Gap): void {
    const load = async () => {
      try {
        const from = await this._options.state?.({ subject: this.subject, gap });
        this._trackers.clear();
        if (from) this.#startAt(from);
        this._release(LOADING);
      } catch (error) {
        this.#owner._failed(error);
        if (!this.#over) this.#owner._later(load, RELOAD_PAUSE);
      }
    };
    this.#owner._later(load, gap ? RELOAD_PAUSE * this.#owner._random() : 0);
  }

  get #waiting(): number {
    return this.#items.length - this.#next;
  }

  /** Whether the buffer exceeds its bounds, multiplied by a factor. */
  #exceeds(factor: number): boolean {
    return this.#waiting > this.#countMax * factor || this.#bytes > this.#bytesMax * factor;
  }

  #push(item: Item<T>, bytes: number): void {
    this.#items.push(item);
    this.#bytes += bytes;
    if (this.#exceeds(1) && !this.#checking && !this.#full) {
      // A read of many small messages may exceed the bound before the application can run at all.
      this.#checking = true;
      this.#owner._later(() => {
        this.#checking = false;
        if (!this.#over && this.#exceeds(1)) {
          this.#full = true;
          this.#owner._fullChanged(this, true);
        }
      }, 0);
    }
    if (this.#exceeds(4)) {
      this.#full = true;
      this._hold(FULL);
    }
    this.#wake?.();
  }

  #take(): Item<T> {
    const item = this.#items[this.#next++] as Item<T>;
    if (item.kind === "message") this.#bytes -= item.bytes.length;
    if (this.#next > 1000 || !this.#waiting) {
      this.#items = this.#items.slice(this.#next);
      this.#next = 0;
    }
    if (this.#full && !this.#exceeds(0.5)) {
      this.#full = false;
      this.#owner._fullChanged(this, false);
    }
    return item;
  }

  /** Ends deliveries; with an error, the iterator and `ready` fail with it. */
  _end(error?: BelfryError): void {
    this.#over = true;
    this.#error = error;
    this._options.signal?.removeEventListener("abort", this.#abort);
    this.#readyReject(error ?? new BelfryError("closed", "unsubscribed", "the subscription ended"));
    this.#wake?.();
  }

  async #nextItem(): Promise<IteratorResult<Item<T>, undefined>> {
    for (;;) {
      const error = this.#error;
      if (this.#waiting && (error || !this.#over)) return { done: false, value: this.#take() };
      if (this.#over) {
        this.#error = undefined;
        if (error) throw error;
        return { done: true, value: undefined };
      }
      const others = this.#wake;
      await new Promise<void>((resolve) => {
        this.#wake = () => {
          this.#wake = undefined;
          others?.();
          resolve();
        };
      });
    }
  }

  [Symbol.asyncIterator](): AsyncIterator<Item<T>, undefined> {
    if (this._options.onMessage) throw invalid("not-iterable", "a subscription with onMessage has no iterator");
    return {
      next: () => this.#nextItem(),
      return: async () => {
        this.unsubscribe();
        return { done: true, value: undefined };
      },
    };
  }
}
