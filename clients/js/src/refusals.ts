import type { Ending } from "./link.js";

/** Whether the same attempt would be refused again, by HTTP status or close code. */
export const isFinal = ({ number }: Ending): boolean =>
  /^(40[01345]|413|426|431|501|100[23789]|4014)$/.test(`${number}`);

/** Whether the end concerns one server; other servers need not be spared. */
export const concernsServerOnly = ({ code }: Ending): boolean => /^(drain|shutdown|not-ready)$/.test(code);

/** Whether the token was refused. One that expired during a connection is replaced without a pause. */
export const isAboutToken = ({ code, number }: Ending): boolean => number === 401 || code === "unauthorized";

/** Whether the session ends for this code, so that the subscription is requested again on the next connection. */
export const isTemporary = (code: string): boolean =>
  /^(drain|shutdown|not-ready|overloaded|internal|decide-timeout|token-expired)$/.test(code);

/** Whether a publish refused with this code may succeed soon. */
export const isTransient = (code: string): boolean => /^(publish-unknown|cluster-(unreachable|full))$/.test(code);
