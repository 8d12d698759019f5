import { invalid } from "./errors.js";

/** The position of a message, `epoch:seq`, for example `"7:42"`. It can be stored as text. */
export type Position = string;

export const position = (epoch: number, seq: number): Position => `${epoch}:${seq}`;

/** Returns epoch and seq. */
export function parsePosition(text: Position): [epoch: number, seq: number] {
  const parts = /^(\d{1,16}):(\d{1,16})$/.exec(text);
  const epoch = Number(parts?.[1]);
  const seq = Number(parts?.[2]);
  if (!(epoch <= 2 ** 53 && seq <= 2 ** 53)) {
    throw invalid("bad-position", `${text} is not epoch:seq`);
  }
  return [epoch, seq];
}
