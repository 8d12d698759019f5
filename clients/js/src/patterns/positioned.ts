import type { Position } from "../positions.js";
import type { Subscriber } from "../subscription.js";
import type { Recovery } from "../types.js";

/** The position of a pattern subscription. */
export interface Positioned {
  readonly _subscription: Subscriber;
  /** The latest position; undefined if the server gave none. */
  _at: Position | undefined;
  /** Number of the position among those of the client, which cannot be compared; 0 if the application gave it. */
  _order: number;
  /** The position that the pattern has once its bridges have ended, and its number. */
  _waiting?: [at: Position, order: number] | undefined;
  /** Whether the latest request was from the position. */
  _resumes: boolean;
  /** Whether the subscription was held or is new, so that others may be ahead of it. */
  _behind: boolean;
  /** Whether the server may omit recovered messages, because another subscription received them. */
  _unproven: boolean;
  /** Whether the subscription was ended at the server only to be requested again after one that is behind it. */
  _detached: boolean;
  /** Prepares the confirmation, which announces a gap if messages may be missing. */
  _confirming(recovery: Recovery): void;
  /** Records a position; the application gets it after the items before it, and after those that bridges still bring. */
  _reached(at: Position | undefined, order?: number): void;
  /** Handles a gap of unknown range: no tracker can find another one before its next message. */
  _lose(): void;
}

/** The client of a pattern subscription. */
export interface PositionsOwner {
  /** Whether the transport in use has positions of patterns. */
  _canResume(): boolean;
  /** Whether messages that a pattern missed may still arrive through a bridge. */
  _isBridged(subscription: Subscriber): boolean;
  /** Whether other subscriptions may receive, instead of this one, messages that it missed. */
  _isUnproven(pattern: Positioned): boolean;
}

/** Gives a pattern subscription a position. `iterates` is whether its items wait for an iterator. */
export function positioned(
  subscription: Subscriber,
  from: Position | undefined,
  iterates: boolean,
  owner: PositionsOwner,
): Positioned {
  const { subject, _options, _trackers, _hold, _message, _gap } = subscription;
  const iterator = subscription[Symbol.asyncIterator];
  /** The position that the application gets. */
  let shown: Position | undefined;
  /** Later positions, each with the number of items before it; at most one per item that waits. */
  const marks: [items: number, at: Position | undefined][] = [];
  /** Number of items delivered. */
  let items = 0;
  /** Number of items that the application asked for. It is done with all before the last of them. */
  let asked = 0;
  let known = from !== undefined;
  /** Whether the confirmation that is being handled announces a gap. */
  let missing = false;

  const show = () => {
    while (marks[0] && (!iterates || !items || marks[0][0] < asked)) shown = marks.shift()?.[1];
  };

  const canResume = () => pattern._at !== undefined && owner._canResume();

  const pattern: Positioned = {
    _subscription: subscription,
    _at: from,
    _order: 0,
    _resumes: false,
    _behind: known,
    _unproven: false,
    _detached: false,
    _confirming(recovery) {
      missing = recovery === "none" ? known : recovery === "complete" && pattern._unproven;
      known = true;
      pattern._behind = false;
    },
    _reached(at, order = 0) {
      pattern._waiting = undefined;
      if (at && !pattern._resumes && owner._isBridged(subscription)) {
        pattern._waiting = [at, order];
        return;
      }
      pattern._at = at;
      pattern._order = order;
      if (marks.at(-1)?.[0] === items) marks.pop();
      marks.push([items, at]);
      show();
    },
    _lose() {
      for (const tracker of _trackers.values()) {
        tracker._proven = -1;
        tracker._historyComing = false;
      }
    },
  };

  // The registry requests a bridge for each tracker; a pattern that resumes needs none.
  const entries = _trackers.entries.bind(_trackers);
  Object.defineProperty(_trackers, Symbol.iterator, { value: () => (canResume() ? [].values() : entries()) });

  Object.defineProperties(subscription, {
    position: { get: () => shown, enumerable: true },
    // The registry announces a gap at the confirmation of a pattern that was known before.
    _known: { get: () => missing, set: () => {} },
  });

  subscription._wanted = () => {
    pattern._resumes = canResume();
    pattern._waiting = undefined;
    pattern._detached = false;
    pattern._unproven = owner._isUnproven(pattern);
    const from = pattern._resumes ? pattern._at : undefined;
    return { op: "subscribe", subjects: [subject], from, conflate: _options.conflate };
  };
  subscription._hold = (reason, on) => {
    pattern._behind ||= on;
    pattern._waiting = undefined;
    _hold(reason, on);
  };
  subscription._message = (wire) => {
    items++;
    _message(wire);
  };
  subscription._gap = (gap) => {
    items++;
    _gap(gap);
  };
  subscription[Symbol.asyncIterator] = () => {
    const inner = iterator();
    return {
      ...inner,
      next() {
        asked++;
        show();
        return inner.next();
      },
    };
  };
  return pattern;
}
