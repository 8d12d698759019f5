import { type Position, position } from "./positions.js";
import type { WireMessage } from "./protocol.js";

export const NOT_RECOVERED = "not-recovered";

/** A gap that the client found: its reason and its range. */
export type Missing = [reason: string, from: Position, to: Position];

/**
 * The positions of one subject for one subscription, by which duplicates are dropped and gaps detected. Two numbers
 * suffice. Proven: up to this seq every message was delivered or announced as missing. Seen: the highest seq delivered;
 * it is lower than proven after a gap, and while history is still to arrive. All are -1 while unknown.
 */
export interface Tracker {
  _epoch: number;
  _proven: number;
  _seen: number;
  _historyComing: boolean;
}

/** Makes a tracker that resumes after a position, or that knows none. */
export const createTracker = ([epoch, seq]: readonly [number, number] = [-1, -1]): Tracker => ({
  _epoch: epoch,
  _proven: seq,
  _seen: seq,
  _historyComing: false,
});

const isKnown = (tracker: Tracker) => tracker._proven >= 0;

/** Whether everything up to a position was delivered or announced as missing. */
export const hasReached = (tracker: Tracker, epoch: number, seq: number): boolean =>
  epoch === tracker._epoch && seq <= tracker._proven;

/** Continues at a position; in another epoch nothing was seen. */
function moveTo(tracker: Tracker, epoch: number, seq: number): void {
  if (epoch !== tracker._epoch) tracker._seen = -1;
  tracker._epoch = epoch;
  tracker._proven = seq;
}

function missing(tracker: Tracker, epoch: number, seq: number): Missing {
  const reason = epoch === tracker._epoch ? NOT_RECOVERED : "epoch-changed";
  return [reason, position(tracker._epoch, tracker._proven), position(epoch, seq)];
}

/** Records a message. Returns whether it is new, or the gap that precedes it. */
export function track(
  tracker: Tracker,
  { type, epoch, seq, prev }: WireMessage,
  conflating: boolean,
): boolean | Missing {
  const same = epoch === tracker._epoch;
  if (same && seq <= tracker._seen) return false;
  const known = isKnown(tracker);
  if (type === "snapshot") {
    // A snapshot is outside the order: it is recorded so that it is not delivered twice, and proves nothing.
    if (same || !known) {
      tracker._seen = seq;
      tracker._epoch = epoch;
    }
    return true;
  }
  // It was announced as missing. A pattern that is resumed from an older position is sent it again.
  const reached = hasReached(tracker, epoch, seq);
  if (reached && !tracker._historyComing) return false;
  tracker._historyComing = reached;
  const before = prev < 0 ? seq - 1 : prev;
  const whole = !known || (same && (before <= tracker._proven || (conflating && type === "live")));
  const verdict = whole || missing(tracker, epoch, Math.max(before, 0));
  if (!reached) tracker._proven = seq;
  tracker._seen = seq;
  tracker._epoch = epoch;
  return verdict;
}

/** Records the confirmation of a plain subject. Returns the gap that it shows. */
export function trackConfirmed(
  tracker: Tracker,
  epoch: number,
  seq: number,
  recovery: string,
  historyAsked: boolean,
): Missing | undefined {
  if (recovery !== "none") return undefined;
  const known = isKnown(tracker);
  tracker._historyComing = historyAsked && seq > 0;
  if (known && epoch === tracker._epoch) return undefined;
  const gap = missing(tracker, epoch, seq);
  moveTo(tracker, epoch, seq);
  return known ? gap : undefined;
}

/**
 * Records a gap announced by the server. Returns false for a range that was already delivered, unless the server has
 * truncated it since.
 */
export function trackGap(tracker: Tracker, epoch: number, seq: number, truncated: boolean): boolean {
  if (hasReached(tracker, epoch, seq)) return truncated;
  moveTo(tracker, epoch, seq);
  return true;
}

/** Returns the position to resume after; undefined if unknown, or if the history must be requested again. */
export function resumeFrom(tracker: Tracker | undefined): Position | undefined {
  if (!tracker || !isKnown(tracker)) return undefined;
  if (!tracker._historyComing) return position(tracker._epoch, tracker._proven);
  return tracker._seen < 0 ? undefined : position(tracker._epoch, Math.min(tracker._seen, tracker._proven));
}
