// The number format of the console: narrow no-break spaces between groups of digits and before units.
// Measurements have three significant digits.

export const THIN = "\u202f";
/** The text for an unknown value. */
export const NONE = "–";

const group = (digits: string) => digits.replace(/\B(?=(\d{3})+$)/g, THIN);

/** Writes a whole number with all digits: `15 000`. */
export function count(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return NONE;
  return value < 0 ? `−${group(String(Math.round(-value)))}` : group(String(Math.round(value)));
}

/** Writes three significant digits: 4.71, 47.1, 471. */
export function digits(value: number): string {
  if (value === 0) return "0";
  if (value < 9.995) return value.toFixed(value < 0.01 ? 3 : 2);
  return value < 99.95 ? value.toFixed(1) : group(value.toFixed(0));
}

function scaled(value: number, base: number, units: readonly string[], whole: number): string {
  if (value < whole) return `${count(value)}${units[0] ? THIN : ""}${units[0]}`;
  let unit = 0;
  let rest = value;
  while (rest >= base * 0.9995 && unit < units.length - 1) {
    rest /= base;
    unit++;
  }
  return `${digits(rest)}${THIN}${units[unit]}`;
}

/** Writes a number in short form: `9 999`, `47.1 k`, `1.00 M`. */
export function short(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return NONE;
  if (value > 0 && value < 10 && value % 1 !== 0) return value.toFixed(1);
  return scaled(value, 1000, ["", "k", "M", "G", "T"], 10_000);
}

/** Writes bytes; 1 KB is 1,024 bytes, as in the configuration. */
export function bytes(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return NONE;
  return scaled(value, 1024, ["B", "KB", "MB", "GB", "TB"], 1024);
}

/** Writes a time given in microseconds: `850 µs`, `3.42 ms`, `1.20 s`. */
export function micros(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return NONE;
  if (value < 999.5) return `${count(value)}${THIN}µs`;
  return value < 999_500 ? `${digits(value / 1000)}${THIN}ms` : `${digits(value / 1_000_000)}${THIN}s`;
}

/** Writes a duration given in milliseconds by its two largest units: `12 s`, `3 min 5 s`, `2 d 4 h`. */
export function duration(millis: number): string {
  const seconds = Math.max(0, Math.round(millis / 1000));
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ] as const;
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first < 0) return `0${THIN}s`;
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount}${THIN}${unit}`)
    .join(" ");
}

const two = (value: number) => String(value).padStart(2, "0");

/** Writes the time of day in the time zone of the browser: `14:32:05`. */
export function clock(millis: number): string {
  const time = new Date(millis);
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

/** Writes the time of day, and also the date if it differs from the date of `now`. */
export function moment(millis: number, now = Date.now()): string {
  const time = new Date(millis);
  if (time.toDateString() === new Date(now).toDateString()) return clock(millis);
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${clock(millis)}`;
}

/** Writes `1 message`, `2 messages`. */
export const plural = (amount: number, noun: string): string => `${count(amount)} ${noun}${amount === 1 ? "" : "s"}`;

/** Writes a part of a whole in percent. The value is rounded down, so that only the whole is 100 %. */
export function percent(part: number, whole: number): string {
  if (whole <= 0) return NONE;
  const share = Math.min(100, (100 * part) / whole);
  return `${share === 100 ? "100" : (Math.floor(share * 100) / 100).toFixed(2)}${THIN}%`;
}

/** Escapes characters that would reorder or hide other text; subjects and names from clients can have them. */
export const visible = (text: string): string =>
  text.replace(/[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u${code.toString(16).padStart(4, "0")}`;
  });
