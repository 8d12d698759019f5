import { invalid } from "./errors.js";
import { encodeText } from "./payload.js";

// Control characters and lone surrogates are not allowed; segments that begin with $ are reserved.
const SEGMENT = "/(?!\\$)[^/*\\0-\\x1f\\x7f-\\x9f\\ud800-\\udfff]+";
const VALID = new RegExp(`^(${SEGMENT}|/\\*)*(${SEGMENT}|/\\*\\*?)$`, "u");

export const isPattern = (subject: string): boolean => subject.includes("*");

/** Throws if the text is not a subject, or not a subject or pattern where patterns are allowed. */
export function checkSubject(subject: string, patterns: boolean): void {
  const wildcard = !patterns && isPattern(subject);
  if (wildcard || !VALID.test(subject) || encodeText(subject).length > 255) {
    throw invalid(wildcard ? "wildcard-not-allowed" : "bad-subject", `${subject} is not valid here`);
  }
}

/** Returns an expression that matches the subjects of a valid pattern. Wildcards never match a reserved segment. */
export function matcher(pattern: string): RegExp {
  const any = "(?!\\$)[^/]+";
  const escaped = pattern.replace(/[\\^$.+?()[\]{}|]/g, "\\$&");
  return new RegExp(`^${escaped.replace(/\*\*?/g, (wildcard) => (wildcard[1] ? `${any}(/${any})*` : any))}$`, "u");
}
