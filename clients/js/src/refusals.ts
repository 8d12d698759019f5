import type { Ending } from "./link.js";

/** HTTP statuses and close codes after which the same attempt would be refused again. */
const FINAL = [400, 401, 403, 404, 405, 413, 426, 431, 501, 1002, 1003, 1007, 1008, 1009];

/** Whether the same attempt would be refused again. */
export const isFinal = ({ number }: Ending): boolean => FINAL.includes(number as number);

/** Whether the end concerns one server; other servers need not be spared. */
export const concernsServerOnly = ({ code }: Ending): boolean => ["drain", "shutdown", "not-ready"].includes(code);

/** Whether the token was refused. One that expired during a connection is replaced without a pause. */
export const isAboutToken = ({ code, number }: Ending): boolean => number === 401 || code === "unauthorized";

/** Whether the session ends for this code, so that the subscription is requested again on the next connection. */
export const isTemporary = (code: string): boolean =>
  /^(overloaded|internal|decide-timeout|not-ready|token-expired|drain|shutdown)$/.test(code);

/** Whether a publish refused with this code may succeed soon. */
export const isTransient = (code: string): boolean =>
  ["publish-unknown", "cluster-unreachable", "cluster-full"].includes(code);
