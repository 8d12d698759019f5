import { type BelfryError, invalid } from "./errors.js";
import { type Position, parsePosition, position } from "./positions.js";
import type { ServerEvent, SubscribeCommand, WireMessage } from "./protocol.js";
import type { Subscriber } from "./subscription.js";
import type { Tracker } from "./tracker.js";
import type { Gap, Status } from "./types.js";

const SUBJECTS_PER_COMMAND = 256;
const NOT_RECOVERED = "not-recovered";

type Event<Op extends ServerEvent["op"]> = Extract<ServerEvent, { op: Op }>;

const isPlainLive = (command: SubscribeCommand) => !(command.from || command.history || command.conflate);

/**
 * All subscriptions of a client; dispatches messages and gaps to them.
 *
 * A pattern has no position and cannot be resumed, but the subjects received through it can be resumed one by one.
 * On a new connection these subjects are subscribed first, each from its position, and then the pattern. Such a
 * temporary subscription is called a bridge. It ends once the missed messages have arrived and the pattern is confirmed;
 * before that the pattern delivers no live messages. The server sends a live message that matches both only once.
 * Messages published on subjects that this client never received remain unknown, and are announced as a gap.
 */
export function createRegistry(bridgesMax: number, nextId: () => number, report: (status: Status) => void) {
  /** All subscriptions by subject or pattern. */
  const all = new Map<string, Subscriber>();
  const patterns = new Set<Subscriber>();
  /** The position that each bridge must reach; null until the bridge is confirmed. */
  const bridges = new Map<string, [epoch: number, seq: number] | null>();
  let finished: string[] = [];

  function add(subscription: Subscriber): void {
    const { subject } = subscription;
    if (all.has(subject)) throw invalid("already-subscribed", `the client already has ${subject}`);
    all.set(subject, subscription);
    if (subscription._pattern) patterns.add(subscription);
  }

  function find(subject: string): Subscriber | undefined {
    return all.get(subject);
  }

  /** Removes a subscription and ends it; returns false if it was already removed. */
  function remove(subscription: Subscriber, error?: BelfryError): boolean {
    if (all.get(subscription.subject) !== subscription) return false;
    all.delete(subscription.subject);
    patterns.delete(subscription);
    subscription._end(error);
    return true;
  }

  function subscriptions(): Subscriber[] {
    return [...all.values()];
  }

  /** Forgets what the last connection confirmed. */
  function disconnected(): void {
    bridges.clear();
    finished = [];
    for (const subscription of all.values()) {
      subscription._confirmed = subscription._leaving = false;
      subscription._request = 0;
    }
  }

  /** Returns what a new connection must request, in this order: plain subjects, bridges, patterns. */
  function wantedByAll(): SubscribeCommand[] {
    disconnected();
    const commands: SubscribeCommand[] = [];
    for (const subscription of all.values()) if (!subscription._pattern) want(subscription, commands);
    for (const pattern of patterns) bridge(pattern, commands);
    for (const pattern of patterns) want(pattern, commands);
    return commands;
  }

  /** Returns the requests of one subscription. */
  function wantedBy(subscription: Subscriber): SubscribeCommand[] {
    const commands: SubscribeCommand[] = [];
    if (subscription._pattern) bridge(subscription, commands);
    want(subscription, commands);
    return commands;
  }

  /** Adds the request of a subscription; combines consecutive ones without options into one command. */
  function want(subscription: Subscriber, commands: SubscribeCommand[]): void {
    if (subscription._held) return;
    const wanted = subscription._wanted();
    const last = commands.at(-1);
    if (last && isPlainLive(last) && isPlainLive(wanted) && last.subjects.length < SUBJECTS_PER_COMMAND) {
      last.subjects.push(subscription.subject);
      subscription._request = last.id as number;
    } else {
      subscription._request = wanted.id = nextId();
      commands.push(wanted);
    }
  }

  /** Adds the requests that recover the known subjects of a pattern. */
  function bridge(pattern: Subscriber, commands: SubscribeCommand[]): void {
    if (pattern._held) return;
    for (const [subject, tracker] of pattern._trackers) {
      const from = tracker._resumeFrom();
      if (from && bridges.size < bridgesMax && !bridges.has(subject) && !isWanted(subject)) {
        bridges.set(subject, null);
        commands.push({ op: "subscribe", id: nextId(), subjects: [subject], from });
      }
    }
  }

  function isWanted(subject: string): boolean {
    const one = all.get(subject);
    return !!one && !one._held;
  }

  function message(message: WireMessage): void {
    const { subject } = message;
    const one = all.get(subject);
    if (one?._confirmed) offer(one, message);
    if (patterns.size && message.type !== "history") {
      for (const pattern of patternsOf(subject)) offer(pattern, message);
      if (bridges.size) checkBridge(subject);
    }
  }

  /** Returns the patterns that are requested and match. */
  function patternsOf(subject: string): Subscriber[] {
    const matching: Subscriber[] = [];
    for (const pattern of patterns) {
      if (
        pattern._request &&
        !pattern._leaving &&
        (pattern._trackers.has(subject) || pattern._pattern?.test(subject))
      ) {
        matching.push(pattern);
      }
    }
    return matching;
  }

  function offer(subscription: Subscriber, message: WireMessage): void {
    if (subscription._held) return;
    const tracker = subscription._tracker(message.subject);
    const verdict = tracker._message(message.type, message.epoch, message.seq, message.prev);
    if (verdict === "gap") gapFound(subscription, message.subject, tracker);
    // A gap may have stopped the subscription, to load the application's state.
    if (verdict !== "drop" && !subscription._held) subscription._deliver(message);
  }

  function gapFound(subscription: Subscriber, subject: string, { _gapFrom, _gapTo }: Tracker): void {
    const otherEpoch = _gapFrom && _gapTo && parsePosition(_gapFrom)[0] !== parsePosition(_gapTo)[0];
    announce(subscription, subject, otherEpoch ? "epoch-changed" : NOT_RECOVERED, _gapFrom, _gapTo);
  }

  function announce(subscription: Subscriber, subject: string, reason: string, from?: Position, to?: Position): void {
    const gap: Gap = { kind: "gap", subject, from, to, reason };
    report({ type: "gap", gap });
    subscription._gap(gap);
  }

  function subscribed({ id, subject, epoch = 0, seq = 0, recovery }: Event<"subscribed">): void {
    const subscription = all.get(subject);
    if (subscription?._request && !subscription._leaving && (!id || id === subscription._request)) {
      const { _pattern, _options } = subscription;
      const at = _pattern ? undefined : position(epoch, seq);
      const first = subscription._confirm({ recovery, position: at });
      report({ type: "subscribed", subject, recovery, position: at });
      if (_pattern) {
        for (const bridge of [...bridges.keys()]) checkBridge(bridge);
        if (!first) announce(subscription, subject, NOT_RECOVERED);
      } else {
        const tracker = subscription._tracker(subject);
        if (tracker._subscribed(epoch, seq, recovery, !!_options.history)) {
          gapFound(subscription, subject, tracker);
        }
      }
    } else if (bridges.has(subject)) {
      bridges.set(subject, [epoch, seq]);
      checkBridge(subject);
    }
  }

  /** A gap that the server announces. */
  function gap({ subject, from, to, reason }: Event<"gap">): void {
    const [epoch, seq] = parsePosition(to);
    const concerned = patternsOf(subject);
    const one = all.get(subject);
    if (one?._confirmed) concerned.unshift(one);
    for (const subscription of concerned) {
      if (!subscription._held && subscription._tracker(subject)._gap(epoch, seq, reason === "log-cut")) {
        announce(subscription, subject, reason, from, to);
      }
    }
    checkBridge(subject);
  }

  /** Handles an error of a subscribe command, or an end by the server, which has no id. Returns false for other errors. */
  function refused(id: number, subject: string, error: BelfryError): boolean {
    const concerned = subscriptions().filter(
      (one) => one._request && (id ? id === one._request : subject) && (!subject || subject === one.subject),
    );
    for (const subscription of concerned) {
      remove(subscription, error);
      report({ type: "subscribe-refused", subject: subscription.subject, error });
    }
    if (concerned.length || !subject || !bridges.delete(subject)) return concerned.length > 0;
    // Announced at once, because a silent subject would never show how much is missing.
    for (const pattern of patternsOf(subject)) {
      announce(pattern, subject, NOT_RECOVERED, pattern._tracker(subject)._resumeFrom());
    }
    return true;
  }

  function checkBridge(subject: string): void {
    const to = bridges.get(subject);
    const open = (pattern: Subscriber) =>
      !pattern._confirmed || !pattern._tracker(subject)._reached(...(to as [number, number]));
    if (to && !patternsOf(subject).some(open)) {
      bridges.delete(subject);
      if (!isWanted(subject)) finished.push(subject);
    }
  }

  /** Takes the bridges to unsubscribe now. */
  function takeFinished(): string[] {
    const taken = finished;
    if (taken.length) finished = [];
    return taken;
  }

  /** Ends the bridge of a subject; returns false if there is none. */
  function dropBridge(subject: string): boolean {
    return bridges.delete(subject);
  }

  return {
    _add: add,
    _find: find,
    _remove: remove,
    _subscriptions: subscriptions,
    _disconnected: disconnected,
    _wantedByAll: wantedByAll,
    _wantedBy: wantedBy,
    _message: message,
    _subscribed: subscribed,
    _gap: gap,
    _refused: refused,
    _takeFinished: takeFinished,
    _dropBridge: dropBridge,
  };
}

export type Registry = ReturnType<typeof createRegistry>;
