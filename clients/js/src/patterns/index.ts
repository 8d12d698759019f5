import { connect } from "../client.js";
import { type EngineClient, LEAVING } from "../core.js";
import type { LinkOwner, Transport } from "../link.js";
import type { Position } from "../positions.js";
import type { Command, ServerEvent, SubscribeCommand } from "../protocol.js";
import { isPattern } from "../subjects.js";
import { createSubscription, type Subscriber } from "../subscription.js";
import type { Client, ClientOptions, Gap, SubscribeOptions, Subscription } from "../types.js";
import { webSocket } from "../websocket.js";
import { patternPositionBytes, withPositions } from "./codec.js";
import { overlap } from "./overlap.js";
import { type Positioned, positioned } from "./positioned.js";

/** The code of a server of an earlier version, which has no positions of patterns. */
const NO_POSITIONS = "wildcard-not-allowed";

const isRequested = ({ _request, _leaving }: Subscriber) => _request > 0 && !_leaving;

/** Whether an event answers the latest request of a subscription. */
const isAnswer = ({ id }: { id?: number | undefined }, subscription: Subscriber) =>
  isRequested(subscription) && (!id || id === subscription._request);

/**
 * Connects like `connect`, but patterns have positions, if the server has a history. After a disconnect a
 * pattern resumes from its position, and receives what was published on all matching subjects, also on new ones. Its
 * subscription has a `position`, which the application may store and pass as `from` in its next run.
 */
export function connectPatterns(options: ClientOptions): Client {
  const { transports = [webSocket], encoding, followedSubjects = 100_000, onStatus } = options;
  const patterns = new Map<Subscriber, Positioned>();
  /** Ids of the requests to end a pattern that have no answer. */
  const leaving = new Map<string, number | undefined>();
  /** Number of positions that the server gave. */
  let given = 0;
  /** Whether the latest request of patterns could be from positions. */
  let canResume = false;
  /** Whether the transport has one session for all subscriptions, which are requested one by one or together. */
  let isSession = false;
  let isStream = false;
  /** The commands of a new connection, which requests all subscriptions together; undefined later. */
  let batch: Command[] | undefined;

  const find = (subject = "") => patterns.get(engine._registry._all.get(subject) as Subscriber);

  const owner = {
    _canResume: () => canResume,
    _isBridged: ({ _pattern }: Subscriber) => [...registry._bridges.keys()].some((subject) => _pattern?.test(subject)),
    // The server omits the recovered messages of a pattern that another subscription has received.
    _isUnproven: ({ _subscription, _at, _order, _behind }: Positioned) =>
      // A poll has a session of its own, which omits nothing.
      (isSession || isStream) &&
      [...engine._registry._all.values()].some((other) => {
        if (other === _subscription || other._held || !overlap(other.subject, _subscription.subject)) return false;
        const pattern = patterns.get(other);
        // Nothing shows which of two positions that the application gave is the earlier one.
        if (pattern?._at !== undefined) return pattern._order === _order && pattern._at !== _at;
        if (!batch) return _behind && isRequested(other);
        // A subject without a position begins with its next message, for the pattern too. Bridges are subjects.
        return _behind ? !pattern || other._trackers.size > 0 : !pattern && !other.position;
      }),
  };

  const sent = (command: Command) => {
    if (command.op === "unsubscribe") {
      for (const subject of command.subjects) if (isPattern(subject)) leaving.set(subject, command.id);
    } else if (command.op === "subscribe") {
      // The server omits the messages of a subject that is subscribed by its name while a pattern recovers.
      const names = command.subjects.filter((subject) => !isPattern(subject));
      for (const [{ _confirmed, _pattern }, pattern] of patterns) {
        if (!_confirmed && names.some((name) => _pattern?.test(name))) pattern._unproven = true;
      }
    }
  };

  /** Called when the server has ended a pattern: requests the subscriptions that waited for it. Later messages are of a later subscription. */
  const left = (subject: string) => {
    leaving.delete(subject);
    for (const subscription of patterns.keys()) if (subscription._held & LEAVING) subscription._hold(LEAVING, false);
    // Subscriptions that are held are requested by _hold. Patterns that have lost their confirmation are requested here.
    for (const pattern of patterns.values()) if (pattern._detached && !isAwaited(pattern)) again(pattern);
  };

  /** Requests a subscription again that the server does not have. */
  const again = ({ _subscription }: Positioned) => {
    _subscription._confirmed = false;
    _subscription._request = 0;
    engine._sync(_subscription);
  };

  const isAwaited = ({ _subscription: { subject } }: Positioned) =>
    leaving.has(subject) ||
    [...patterns.keys()].some((other) => other._held & LEAVING && overlap(other.subject, subject));

  /**
   * Sorts the requests of patterns: the server reads for one after the other, and omits what another one has. The pattern
   * that lacks most is the first, and live messages of a new one follow what the others missed.
   */
  const byTurn = (one: Positioned | undefined, other: Positioned | undefined) => turn(one) - turn(other);
  const turn = (pattern: Positioned | undefined) => (pattern?._at === undefined ? Number.MAX_VALUE : pattern._order);

  /**
   * Requests a pattern that is behind others of the same subjects. These end, and are requested again after it, because
   * the server would omit what they have received.
   */
  const requestBefore = (pattern: Positioned, request: (list: Subscriber[]) => SubscribeCommand[]) => {
    const { _subscription, _behind } = pattern;
    const { subject } = _subscription;
    const others = [...patterns.values()].filter(
      ({ _at, _subscription: other }) =>
        other !== _subscription && _at !== undefined && isRequested(other) && overlap(other.subject, subject),
    );
    // Over HTTP all subscriptions are requested again together.
    const ahead = _behind && isSession && pattern._at !== undefined ? others : [];
    const serving = ahead.filter(({ _detached }) => !_detached);
    if (serving.length) {
      engine._command({ op: "unsubscribe", subjects: serving.map(({ _subscription }) => _subscription.subject) });
      for (const other of serving) other._detached = true;
    }
    if ([pattern, ...ahead].some(({ _subscription }) => leaving.has(_subscription.subject))) {
      _subscription._held |= LEAVING;
      return [];
    }
    for (const { _subscription } of ahead) _subscription._confirmed = false;
    return request([pattern, ...ahead].sort(byTurn).map(({ _subscription }) => _subscription));
  };

  const announce = ({ _subscription, _lose }: Positioned, reason: string) => {
    const { subject, _held } = _subscription;
    if (_held || !isRequested(_subscription)) return;
    const gap: Gap = { kind: "gap", subject, from: undefined, to: undefined, reason };
    _lose();
    try {
      onStatus?.({ type: "gap", gap });
    } catch (error) {
      engine._failed(error);
    }
    _subscription._gap(gap);
  };

  /**
   * Whether the server has sent everything up to a position for this pattern, which recovers. The server omits what another
   * pattern has delivered, so the position counts only without one that overlaps.
   */
  const isProgress = ({ _subscription, _resumes, _unproven }: Positioned) =>
    _resumes &&
    !_unproven &&
    isRequested(_subscription) &&
    !leaving.has(_subscription.subject) &&
    ![...patterns.keys()].some((other) => other !== _subscription && overlap(other.subject, _subscription.subject));

  /** All confirmed patterns have reached a position, or one pattern. In a stream this includes those that had none. */
  const reached = (at: Position, of?: string) => {
    given++;
    for (const [{ _confirmed, subject }, pattern] of patterns) {
      const concerned = of === undefined ? _confirmed : of === subject && (_confirmed || isProgress(pattern));
      if (concerned && (isStream || pattern._at !== undefined)) pattern._reached(at, given);
    }
  };

  /** Handles an event instead of the core; returns false if it is not for patterns alone. */
  const handled = (event: ServerEvent): boolean => {
    if (event.op === "position") {
      reached(event.at, event.subject);
      return true;
    }
    if (event.op === "gap" && isPattern(event.subject)) {
      const pattern = find(event.subject);
      if (pattern) announce(pattern, event.reason);
      return true;
    }
    if (event.op !== "error" || event.code !== NO_POSITIONS) return false;
    const pattern = find(event.subject);
    if (!pattern?._resumes || !isAnswer(event, pattern._subscription)) return false;
    pattern._reached(undefined);
    again(pattern);
    return true;
  };

  const receive = (event: ServerEvent, { _onEvent }: LinkOwner) => {
    if (handled(event)) {
      _onEvent();
      return;
    }
    if (event.op === "subscribed") {
      const pattern = find(event.subject);
      if (pattern && isAnswer(event, pattern._subscription)) {
        pattern._confirming(event.recovery);
        _onEvent(event);
        // In a stream the confirmation of the last pattern has the position of all.
        if (!isStream) pattern._reached(event.at, ++given);
        else if (event.at) reached(event.at);
        else if (!pattern._resumes) pattern._reached(undefined);
        return;
      }
    }
    _onEvent(event);
    if (event.op === "unsubscribed" || event.op === "error") {
      const { subject = "", id } = event;
      if (id && id === leaving.get(subject)) left(subject);
    }
  };

  const wrap = (transport: Transport): Transport => ({
    name: transport.name,
    _connect(linkOwner) {
      isSession = transport.name === "webSocket";
      isStream = transport.name === "httpStream";
      canResume = true;
      for (const subject of leaving.keys()) left(subject);
      const link = transport._connect({
        ...linkOwner,
        _wanted() {
          const active = [...patterns.values()].filter(({ _subscription }) => !_subscription._held);
          // A stream begins at one position for all patterns, which is its last one.
          canResume = !isStream || active.every(({ _at }) => _at === active[0]?._at);
          batch = [];
          const commands = linkOwner._wanted();
          batch = undefined;
          if (isStream) for (const command of commands.filter(isOfPatterns).slice(0, -1)) command.from = undefined;
          return commands;
        },
        _onOpen(ping) {
          batch = [];
          linkOwner._onOpen(ping);
          const commands = batch;
          batch = undefined;
          // The patterns follow the subjects, which begin at their own positions.
          const ofPatterns = commands.filter(isOfPatterns);
          for (const command of commands) if (!isOfPatterns(command)) link._send(command);
          for (const command of ofPatterns.sort((one, other) => byTurn(patternOf(one), patternOf(other)))) {
            link._send(command);
          }
        },
        _onEvent(event) {
          if (!event || event.op === "message") linkOwner._onEvent(event);
          else receive(event, linkOwner);
          // The last bridge of a pattern may have ended.
          for (const pattern of patterns.values()) if (pattern._waiting) pattern._reached(...pattern._waiting);
        },
      });
      // Over HTTP the end of a subscription has no answer.
      if (!isSession) return link;
      return {
        ...link,
        _send(command) {
          if (batch) {
            batch.push(command);
          } else {
            sent(command);
            link._send(command);
          }
        },
      };
    },
  });

  const isOfPatterns = (command: Command): command is SubscribeCommand =>
    command.op === "subscribe" && command.subjects.some(isPattern);
  /** The pattern that a command requests from a position; several share a command without one. */
  const patternOf = ({ from, subjects: [subject] }: SubscribeCommand) => (from ? find(subject) : undefined);

  const client = connect({ ...options, encoding: withPositions(encoding), transports: transports.map(wrap) });
  const engine = (client as EngineClient)._engine;
  const { subscribe } = client;
  const registry = engine._registry;
  const request = registry._wantedBy;
  // Called for one subscription at a time.
  registry._wantedBy = (list) => {
    const pattern = patterns.get(list[0] as Subscriber);
    return pattern ? requestBefore(pattern, request) : request(list);
  };

  client.subscribe = <T>(subject: string, subscribeOptions: SubscribeOptions<T> = {}): Subscription<T> => {
    if (!isPattern(subject)) return subscribe(subject, subscribeOptions);
    const { from, ...rest } = subscribeOptions;
    if (from !== undefined) patternPositionBytes(from);
    if (engine._state() === "closed") throw engine._publishes._stopped;
    const subscription = createSubscription(subject, rest, followedSubjects, engine);
    registry._add(subscription);
    const { _onEnd } = subscription;
    subscription._onEnd = (error) => {
      patterns.delete(subscription);
      _onEnd(error);
    };
    patterns.set(subscription, positioned(subscription, from, !rest.onMessage, owner));
    engine._sync(subscription);
    return subscription as Subscription<never>;
  };
  return client;
}
