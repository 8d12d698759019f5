import type { ByCode, Second } from "./types.js";

/** Returns the sums of counts by code, the largest first. */
export function sumByCode(seconds: readonly Second[], of: (second: Second) => ByCode): [code: string, count: number][] {
  const sums = new Map<string, number>();
  for (const second of seconds) {
    for (const [code, n] of Object.entries(of(second))) sums.set(code, (sums.get(code) ?? 0) + n);
  }
  return [...sums].sort((a, b) => b[1] - a[1]);
}

export const sum = (seconds: readonly Second[], of: (second: Second) => number): number =>
  seconds.reduce((total, second) => total + of(second), 0);

/** Returns whether a second has an event, a garbage collection of at least 20 ms, or dropped messages. */
export const isNotable = (second: Second): boolean =>
  second.events.length > 0 || second.gc.some(({ millis }) => millis >= 20) || Object.keys(second.drops).length > 0;
