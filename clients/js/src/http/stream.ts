import { decodeJson } from "../json.js";
import type { Transport } from "../link.js";
import type { SubscribeCommand } from "../protocol.js";
import { isPattern } from "../subjects.js";
import { callFailure, queryOf } from "./calls.js";
import { createHttpLink } from "./link.js";

/** Returns the target of one stream for all subscriptions; it has one interval to conflate and one history. */
export function streamTarget(wanted: readonly SubscribeCommand[], ping?: number): string {
  const pairs: string[][] = [];
  const positions: string[] = [];
  for (const { subjects, from = "" } of wanted) {
    for (const subject of subjects) {
      pairs.push(["subject", subject]);
      // The position of all patterns is the last one.
      if (from || !isPattern(subject)) positions.push(from);
    }
  }
  const history = Math.max(...wanted.map((command) => command.history ?? 0));
  // One interval for all: the shortest, or none if one subscription wants all messages.
  const conflate = Math.min(...wanted.map((command) => command.conflate ?? 0));
  const from = positions.some(Boolean) && positions.join(",");
  return `/subscribe?${queryOf({ from, history, conflate, ping }, pairs)}`;
}

/** Receives over one HTTP response that does not end, as lines of JSON; publishes by POST. */
export const httpStream: Transport = {
  name: "httpStream",
  _connect: (owner) =>
    createHttpLink(owner, (calls, gate) => {
      let lastRead = 0;
      return {
        // A stream keeps the token with which it was opened. One that was silent until a ping is replaced.
        _isStale: (newToken) => newToken || owner._env.now() - lastRead > owner._pingInterval,
        async _follow(wanted, signal, open) {
          lastRead = owner._env.now();
          const headers = { Accept: "application/x-ndjson" };
          const response = await calls._get(streamTarget(wanted, owner._options.pingInterval), { headers }, signal);
          const reader = (response.body as ReadableStream<Uint8Array>).getReader();
          const decoder = new TextDecoder();
          let rest = "";
          let last: string | undefined;
          for (;;) {
            await gate._pass();
            const { done, value } = await reader.read();
            if (signal.aborted) return;
            if (done) break;
            lastRead = owner._env.now();
            const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
            rest = lines.pop() ?? "";
            for (const line of lines) {
              const event = line ? decodeJson(line) : undefined;
              last = event?.op === "error" && !event.subject ? event.code : undefined;
              // The first event, not the head, shows that no proxy holds the stream back.
              open(Number(response.headers.get("Belfry-Ping")));
              owner._onEvent(event);
              if (signal.aborted) return;
            }
          }
          throw callFailure({ code: last ?? "connection-lost", reason: "the server ended the stream" });
        },
      };
    }),
};
