import type { ClientOptions, TokenRequest } from "./types.js";

/** Asks the application for tokens, never twice at once. */
export function createTokens(source: ClientOptions["token"]) {
  const end = new AbortController();
  let asking: Promise<string | undefined> | undefined;

  async function call(reason: TokenRequest["reason"]): Promise<string | undefined> {
    try {
      return (typeof source === "function" ? await source({ reason, signal: end.signal }) : source) ?? undefined;
    } catch (error) {
      asking = undefined;
      throw error;
    }
  }

  return {
    /** Whether another token can be had. */
    _renewable: typeof source === "function",
    _ask(reason: TokenRequest["reason"]): Promise<string | undefined> {
      asking ??= call(reason);
      return asking;
    },
    /** The token was used. One that arrives too late for its attempt is used by the next. */
    _taken() {
      asking = undefined;
    },
    _abort: () => end.abort(),
  };
}
