import { invalid } from "./errors.js";

/** The position of a message, `epoch:seq`, for example `"7:42"`. It can be stored as text. */
export type Position = string;

export const position = (epoch: number, seq: number): Position => `${epoch}:${seq}`;

/** Returns epoch and seq. */
export function parsePosition(text: Position): [epoch: number, seq: number] {
  const [epoch, seq] = text.split(":").map(Number) as [number, number];
  if (!/^\d{1,16}:\d{1,16}$/.test(text) || epoch > 2 ** 53 || seq > 2 ** 53) {
    throw invalid("bad-position", `${text} is not epoch:seq`);
  }
  return [epoch, seq];
}
