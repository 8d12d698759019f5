import { invalid } from "./errors.js";

// Control characters and lone surrogates are not allowed; segments that begin with $ are reserved.
const SEGMENT = "/(?!\\$)[^/*\\0-\\x1f\\x7f-\\x9f\\ud800-\\udfff]+";
const PLAIN = new RegExp(`^(?:${SEGMENT})+$`, "u");
const PATTERN = new RegExp(`^(?:${SEGMENT}|/\\*)*(?:${SEGMENT}|/\\*\\*?)$`, "u");
const BYTES_MAX = 255;

const encoder = new TextEncoder();

export const isPattern = (subject: string): boolean => subject.includes("*");

/** Throws if the text is not a subject, or not a subject or pattern where patterns are allowed. */
export function checkSubject(subject: string, patterns: boolean): void {
  if (!(patterns ? PATTERN : PLAIN).test(subject) || encoder.encode(subject).length > BYTES_MAX) {
    throw invalid(
      !patterns && isPattern(subject) ? "wildcard-not-allowed" : "bad-subject",
      `${subject} is not a valid subject here`,
    );
  }
}

/** Returns an expression that matches the subjects of a pattern. Wildcards never match a reserved segment. */
export function matcher(pattern: string): RegExp {
  const any = "(?!\\$)[^/]+";
  const segments = pattern.split("/").map((segment) => {
    if (segment === "*") return any;
    return segment === "**" ? `${any}(?:/${any})*` : segment.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  });
  return new RegExp(`^${segments.join("/")}$`, "u");
}
