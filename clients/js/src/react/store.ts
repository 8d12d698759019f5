import type { BelfryError } from "../errors.js";
import type { Client, Gap, Message, SubscribeOptions, Subscription } from "../types.js";

/** The state of a subject for a component. Each change makes a new object. */
export interface SubjectState<T> {
  /** The latest messages, oldest first; at most `keep`. */
  readonly messages: readonly Message<T>[];
  /** The latest message. */
  readonly latest: Message<T> | undefined;
  /** The latest gap. State that was computed from earlier messages may have to be loaded again. */
  readonly gap: Gap | undefined;
  /** Whether the server has confirmed the subscription. */
  readonly ready: boolean;
  /** The refusal of the server. */
  readonly error: BelfryError | undefined;
}

/** The options of a subject's subscription, and the number of messages to keep. */
export interface UseSubjectOptions<T>
  extends Pick<SubscribeOptions<T>, "decode" | "from" | "history" | "conflate" | "state"> {
  /** Number of latest messages that are kept; default 1. */
  keep?: number | undefined;
}

/** Time after which a subscription without components ends; components are mounted and unmounted in quick succession. */
const LINGER = 1000;
const FRAME = 16;

const EMPTY: SubjectState<never> = {
  messages: [],
  latest: undefined,
  gap: undefined,
  ready: false,
  error: undefined,
};

/** One subscription that all components of a client share. */
export class SubjectStore<T> {
  readonly #client: Client;
  readonly #subject: string;
  readonly #options: UseSubjectOptions<T>;
  readonly #listeners = new Set<() => void>();
  #subscription: Subscription<T> | undefined;
  #state: SubjectState<T> = EMPTY;
  #shown: SubjectState<T> = EMPTY;
  #scheduled = false;

  constructor(client: Client, subject: string, options: UseSubjectOptions<T>) {
    this.#client = client;
    this.#subject = subject;
    this.#options = options;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    this.#start();
    return () => {
      this.#listeners.delete(listener);
      if (!this.#listeners.size) setTimeout(() => this.#stopIfUnused(), LINGER);
    };
  };

  get = (): SubjectState<T> => this.#shown;

  #start(): void {
    if (this.#subscription) return;
    const { keep = 1, ...options } = this.#options;
    try {
      const subscription = this.#client.subscribe<T>(this.#subject, {
        ...options,
        onMessage: (latest) => this.#change({ latest, messages: [...this.#state.messages, latest].slice(-keep) }),
        onGap: (gap) => this.#change({ gap }),
      });
      this.#subscription = subscription;
      subscription.ready().then(
        () => this.#change({ ready: true }),
        (error) => this.#subscription === subscription && this.#change({ error, ready: false }),
      );
    } catch (error) {
      this.#change({ error: error as BelfryError });
    }
  }

  #stopIfUnused(): void {
    if (this.#listeners.size) return;
    this.#subscription?.unsubscribe();
    this.#subscription = undefined;
    this.#state = this.#shown = EMPTY;
  }

  /** Shows changes at most once per frame, so that a busy subject does not render for each message. */
  #change(change: Partial<SubjectState<T>>): void {
    this.#state = { ...this.#state, ...change };
    if (this.#scheduled) return;
    this.#scheduled = true;
    setTimeout(() => {
      this.#scheduled = false;
      this.#shown = this.#state;
      for (const listener of this.#listeners) listener();
    }, FRAME);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: one map has stores of all payload types; not part of the API.
type AnyStore = SubjectStore<any>;

const stores = new WeakMap<Client, Map<string, AnyStore>>();

/** Returns the store of a subject; the options of the first component apply. */
export function storeOf<T>(client: Client, subject: string, options: UseSubjectOptions<T>): SubjectStore<T> {
  let ofClient = stores.get(client);
  if (!ofClient) {
    ofClient = new Map();
    stores.set(client, ofClient);
  }
  let store = ofClient.get(subject) as SubjectStore<T> | undefined;
  if (!store) {
    store = new SubjectStore(client, subject, options);
    ofClient.set(subject, store);
  }
  return store;
}

export const empty = <T>(): SubjectState<T> => EMPTY;
