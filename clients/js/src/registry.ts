import { type BelfryError, invalid } from "./errors.js";
import { type Position, parsePosition, position } from "./positions.js";
import type { ServerEvent, SubscribeCommand, WireMessage } from "./protocol.js";
import type { Subscriber } from "./subscription.js";
import { hasReached, NOT_RECOVERED, resumeFrom, track, trackConfirmed, trackGap } from "./tracker.js";
import type { Gap, Status } from "./types.js";

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
 *
 * `leave` unsubscribes bridges that have ended.
 */
export function createRegistry(
  bridgesMax: number,
  nextId: () => number,
  report: (status: Status) => void,
  leave: (subjects: string[]) => void,
) {
  const SUBJECTS_PER_COMMAND = 256;
  /** All subscriptions by subject or pattern. */
  const all = new Map<string, Subscriber>();
  let patterns: Subscriber[] = [];
  /** The position that each bridge must reach; null until the bridge is confirmed. */
  const bridges = new Map<string, [epoch: number, seq: number] | null>();

  function add(subscription: Subscriber): void {
    const { subject } = subscription;
    if (all.has(subject)) throw invalid("already-subscribed", `the client already has ${subject}`);
    all.set(subject, subscription);
    if (subscription._pattern) patterns.push(subscription);
  }

  /** Removes a subscription and ends it; returns false if it was already removed. */
  function remove(subscription: Subscriber, error?: BelfryError): boolean {
    if (all.get(subscription.subject) !== subscription) return false;
    all.delete(subscription.subject);
    patterns = patterns.filter((one) => one !== subscription);
    subscription._onEnd(error);
    return true;
  }

  /** Forgets what the last connection confirmed. */
  function disconnected(): void {
    bridges.clear();
    for (const subscription of all.values()) {
      subscription._confirmed = subscription._leaving = false;
      subscription._request = 0;
    }
  }

  /** Returns what a new connection must request, in this order: plain subjects, bridges, patterns. */
  function wantedByAll(): SubscribeCommand[] {
    disconnected();
    return wantedBy(patterns, wantedBy([...all.values()].filter((one) => !one._pattern)));
  }

  /** Adds the requests of subscriptions that are not held: those that recover the known subjects of patterns first. */
  function wantedBy(list: Subscriber[], commands: SubscribeCommand[] = []): SubscribeCommand[] {
    const wanting = list.filter((one) => !one._held);
    for (const pattern of wanting) {
      // The subject of a plain subscription is wanted, so nothing is added for it.
      for (const [subject, tracker] of pattern._trackers) {
        const from = resumeFrom(tracker);
        if (from && bridges.size < bridgesMax && !bridges.has(subject) && !isWanted(subject)) {
          bridges.set(subject, null);
          commands.push({ op: "subscribe", id: nextId(), subjects: [subject], from });
        }
      }
    }
    for (const subscription of wanting) {
      const wanted = subscription._wanted();
      const last = commands.at(-1);
      // Consecutive requests without options are combined into one command.
      if (last && isPlainLive(last) && isPlainLive(wanted) && last.subjects.length < SUBJECTS_PER_COMMAND) {
        last.subjects.push(...wanted.subjects);
        wanted.id = last.id;
      } else {
        wanted.id = nextId();
        commands.push(wanted);
      }
      subscription._request = wanted.id as number;
    }
    return commands;
  }

  const isWanted = (subject: string) => all.get(subject)?._held === 0;

  function message(message: WireMessage): void {
    const { subject } = message;
    const one = all.get(subject);
    if (one?._confirmed) offer(one, message);
    if (patterns.length && message.type !== "history") {
      for (const pattern of patternsOf(subject)) offer(pattern, message);
      if (bridges.size) checkBridges([subject]);
    }
  }

  /** Returns the patterns that are requested and match. */
  const patternsOf = (subject: string) =>
    patterns.filter(
      (one) => one._request && !one._leaving && (one._trackers.has(subject) || one._pattern?.test(subject)),
    );

  /** Whether an event is of a session that serves another subscription only. Bridges are no subscriptions. */
  const isElsewhere = ({ only }: { only?: string | undefined }, { subject }: Subscriber) =>
    only !== subject && all.has(only as string);

  function offer(subscription: Subscriber, message: WireMessage): void {
    if (subscription._held || isElsewhere(message, subscription)) return;
    const { subject } = message;
    const verdict = track(subscription._tracker(subject), message, !!subscription._options.conflate);
    if (typeof verdict === "object") announce(subscription, subject, ...verdict);
    // A gap may have stopped the subscription, to load the application's state.
    if (verdict && !subscription._held) subscription._message(message);
  }

  function announce(subscription: Subscriber, subject: string, reason: string, from?: Position, to?: Position): void {
    const gap: Gap = { kind: "gap", subject, from, to, reason };
    report({ type: "gap", gap });
    subscription._gap(gap);
  }

  function subscribed({ id, subject, epoch = 0, seq = 0, recovery }: Event<"subscribed">): void {
    const subscription = all.get(subject);
    if (subscription?._request && !subscription._leaving && (!id || id === subscription._request)) {
      const { _pattern, _options, _known } = subscription;
      const at = _pattern ? undefined : position(epoch, seq);
      subscription._confirmed = subscription._known = true;
      subscription._subscribed({ recovery, position: at });
      report({ type: "subscribed", subject, recovery, position: at });
      if (_pattern) {
        checkBridges([...bridges.keys()]);
        if (_known) announce(subscription, subject, NOT_RECOVERED);
      } else {
        const gap = trackConfirmed(subscription._tracker(subject), epoch, seq, recovery, !!_options.history);
        if (gap) announce(subscription, subject, ...gap);
      }
    } else if (bridges.has(subject)) {
      bridges.set(subject, [epoch, seq]);
      checkBridges([subject]);
    }
  }

  /** A gap that the server announces. */
  function gap(event: Event<"gap">): void {
    const { subject, from, to, reason } = event;
    const [epoch, seq] = parsePosition(to);
    const concerned = patternsOf(subject);
    const one = all.get(subject);
    if (one?._confirmed) concerned.unshift(one);
    for (const subscription of concerned) {
      if (
        !subscription._held &&
        !isElsewhere(event, subscription) &&
        trackGap(subscription._tracker(subject), epoch, seq, reason === "log-cut")
      ) {
        announce(subscription, subject, reason, from, to);
      }
    }
    checkBridges([subject]);
  }

  /** Handles an error of a subscribe command, or an end by the server, which has no id. Returns false for other errors. */
  function refused(id: number, subject: string, error: BelfryError): boolean {
    const concerned = [...all.values()].filter(
      (one) => one._request && (id ? id === one._request : subject) && (!subject || subject === one.subject),
    );
    for (const subscription of concerned) {
      remove(subscription, error);
      report({ type: "subscribe-refused", subject: subscription.subject, error });
    }
    if (concerned.length || !subject || !bridges.delete(subject)) return concerned.length > 0;
    // Announced at once, because a silent subject would never show how much is missing.
    for (const pattern of patternsOf(subject)) {
      announce(pattern, subject, NOT_RECOVERED, resumeFrom(pattern._tracker(subject)));
    }
    return true;
  }

  /** Ends the bridges that have reached their position on all patterns. */
  function checkBridges(subjects: string[]): void {
    const finished = subjects.filter((subject) => {
      const to = bridges.get(subject);
      const isOpen = (one: Subscriber) =>
        !one._confirmed || !hasReached(one._tracker(subject), ...(to as [number, number]));
      return to && !patternsOf(subject).some(isOpen) && bridges.delete(subject) && !isWanted(subject);
    });
    if (finished.length) leave(finished);
  }

  return {
    _add: add,
    _all: all,
    _bridges: bridges as ReadonlyMap<string, unknown>,
    _take: remove,
    _disconnected: disconnected,
    _wantedByAll: wantedByAll,
    _wantedBy: wantedBy,
    _message: message,
    _subscribed: subscribed,
    _gap: gap,
    _refused: refused,
    /** Ends the bridge of a subject; returns false if there is none. */
    _dropBridge: (subject: string) => bridges.delete(subject),
  };
}

export type Registry = ReturnType<typeof createRegistry>;
