/** The outcome of a failed call, as far as the client knows it. */
export type FailureKind =
  /** The call itself is invalid: a bad subject, position or option. */
  | "usage"
  /** The server refused; `code` has the reason. A refused message was not published. */
  | "refused"
  /** The connection broke before the answer, and the publish is not repeated: the outcome is unknown. */
  | "unknown"
  /** No answer arrived in time; the message may have been published. */
  | "timed-out"
  /** A bound of unanswered publishes is reached; nothing was sent. */
  | "too-many-pending"
  /** The client was closed, or refused permanently. */
  | "closed";

/** The only error class of this package. `code` is one of the codes of the protocol where the server gave one. */
export class BelfryError extends Error {
  override readonly name = "BelfryError";
  declare readonly kind: FailureKind;
  declare readonly code: string;
  /** Time in ms after which the server accepts the call again; 0 if it named none. */
  declare readonly retryAfter: number;

  constructor(kind: FailureKind, code: string, reason: string, retryAfter = 0) {
    super(`${code}: ${reason}`);
    this.kind = kind;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

export const invalid = (code: string, reason: string): BelfryError => new BelfryError("usage", code, reason);
