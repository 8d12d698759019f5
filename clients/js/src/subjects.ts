import { invalid } from "./errors.js";
import { encodeText } from "./payload.js";

// Control characters and lone surrogates are not allowed; segments that begin with $ are reserved.
const SEGMENT = "/(?!\\$)[^/*\\0-\\x1f\\x7f-\\x9f\\ud800-\\udfff]+";
const VALID = new RegExp(`^(${SEGMENT}|/\\*)*(${SEGMENT}|/\\*\\*?)$`, "u");

export const isPattern = (subject: string): boolean => subject.includes("*");

/**
 * Throws if the text is not a subject, or, in subscriptions, where patterns are allowed, not a subject or a pattern. Subjects of
 * the server and inboxes, which begin with `/$`, are checked by the server.
 */
export function checkSubject(subject: string, patterns: boolean): void {
  const wildcard = !patterns && isPattern(subject);
  const valid = subject[1] === "$" || VALID.test(subject);
  if (wildcard || !valid || encodeText(subject).length > 255) {
    throw invalid(wildcard ? "wildcard-not-allowed" : "bad-subject", subject);
  }
}

/** Returns the subject that a request subscribes to: an inbox is requested with its key, and named without it. */
export const withoutKey = (subject: string): string => subject.replace(/^(\/\$inbox\/[^/]+)\/.*/, "$1");

/** Returns an expression that matches the subjects of a valid pattern. Wildcards never match a reserved segment. */
export function matcher(pattern: string): RegExp {
  const any = "(?!\\$)[^/]+";
  const escaped = pattern.replace(/[\\^$.+?()[\]{}|]/g, "\\$&");
  return new RegExp(`^${escaped.replace(/\*\*?/g, (wildcard) => (wildcard[1] ? `${any}(/${any})*` : any))}$`, "u");
}
