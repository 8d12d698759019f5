import { type Position, position } from "./positions.js";
import type { MessageType } from "./types.js";

const NONE = -1;

export type Verdict = "deliver" | "gap" | "drop";

/**
 * Tracks the positions of one subject for one subscription; drops duplicates and detects gaps. Two numbers suffice.
 * Proven: up to this seq every message was delivered or announced as missing. Seen: the highest seq delivered; it is
 * lower than proven while history or recovered messages are still to arrive.
 */
export class Tracker {
  readonly #conflating: boolean;
  #epoch = NONE;
  #proven = NONE;
  #seen = NONE;
  #historyComing = false;
  /** The range of the gap that was found last. */
  _gapFrom: Position | undefined;
  _gapTo: Position | undefined;

  constructor(conflating: boolean, from?: [number, number] | undefined) {
    this.#conflating = conflating;
    if (from) {
      this.#epoch = from[0];
      this.#proven = this.#seen = from[1];
    }
  }

  /** Classifies a message; `prev` is negative if it is seq - 1. With "gap", the gap precedes the message. */
  _message(type: MessageType, epoch: number, seq: number, prev: number): Verdict {
    if (epoch === this.#epoch && seq <= this.#seen) return "drop";
    const known = this.#proven !== NONE;
    if (type === "snapshot") {
      // A snapshot is outside the order: it is recorded so that it is not delivered twice, and proves nothing.
      if (!known || epoch === this.#epoch) {
        this.#epoch = epoch;
        this.#seen = seq;
      }
      return "deliver";
    }
    const live = type === "live";
    if (live) this.#historyComing = false;
    const before = prev < 0 ? seq - 1 : prev;
    const same = epoch === this.#epoch;
    const whole = !known || (same && ((this.#conflating && live) || before <= this.#proven));
    if (!whole) this.#gap(epoch, Math.max(before, 0));
    this.#proven = same ? Math.max(this.#proven, seq) : seq;
    this.#seen = seq;
    this.#epoch = epoch;
    return whole ? "deliver" : "gap";
  }

  #gap(epoch: number, seq: number): void {
    this._gapFrom = this.#proven === NONE ? undefined : position(this.#epoch, this.#proven);
    this._gapTo = position(epoch, seq);
  }

  /** Handles the confirmation of a plain subject. Returns true if there is a gap. */
  _subscribed(epoch: number, seq: number, recovery: string, historyAsked: boolean): boolean {
    if (recovery !== "none") return false;
    const known = this.#proven !== NONE;
    this.#historyComing = historyAsked && seq > 0;
    if (epoch === this.#epoch) {
      if (known) return false;
    } else {
      this.#seen = NONE;
    }
    this.#gap(epoch, seq);
    this.#epoch = epoch;
    this.#proven = seq;
    return known;
  }

  /**
   * Handles a gap announced by the server. Returns false for a range that was already delivered, unless the server has
   * truncated it since.
   */
  _gap(epoch: number, seq: number, truncated: boolean): boolean {
    if (epoch === this.#epoch && seq <= this.#proven) return truncated;
    if (epoch !== this.#epoch) this.#seen = NONE;
    this.#epoch = epoch;
    this.#proven = seq;
    return true;
  }

  /** Returns the position to resume after; undefined if unknown, or if the history must be requested again. */
  _resumeFrom(): Position | undefined {
    if (this.#proven === NONE || (this.#historyComing && this.#seen === NONE)) return undefined;
    return position(this.#epoch, this.#historyComing ? Math.min(this.#seen, this.#proven) : this.#proven);
  }

  /** Whether everything up to a position was delivered or announced as missing. */
  _reached(epoch: number, seq: number): boolean {
    return epoch === this.#epoch && seq <= this.#proven;
  }
}
