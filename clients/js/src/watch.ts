import type { EngineClient, Extension } from "./core.js";
import { invalid } from "./errors.js";
import type { ServerEvent } from "./protocol.js";
import { checkSubject } from "./subjects.js";
import type { Client, InterestListener } from "./types.js";

/** Pause before a watch is requested again after the server refused it for a rate. */
const AGAIN = 1000;

/**
 * Reports whether a subject has subscribers, at first and after each change; the server needs the key
 * `PubSubTightlyCoupled`. Returns a function that ends the reports. A refusal is the status `command-failed`.
 */
export function watch(client: Client, subject: string, listener: InterestListener): () => void {
  checkSubject(subject, false);
  const engine = (client as EngineClient)._engine;
  if (!engine) throw invalid("unsupported", "only a client with a connection of its own can watch");
  let last: boolean | undefined;
  let request = 0;

  const ask = () => {
    request = engine._command({ op: "watch", subject });
  };

  const refused = ({ id, code, after = 0 }: Extract<ServerEvent, { op: "error" }>) => {
    if (!id || id !== request) return false;
    if (code === "command-rate") {
      engine._later(() => engine._extensions.has(extension) && ask(), Math.max(AGAIN, after));
      return true;
    }
    // Over HTTP nothing can be watched; a later connection may be a WebSocket.
    if (code !== "unsupported") engine._extensions.delete(extension);
    return false;
  };

  const extension: Extension = {
    _onOpen: ask,
    _onEvent(event) {
      if (event.op === "error") return refused(event);
      if (event.op === "unwatched") {
        if (event.reason && event.subject === subject) engine._extensions.delete(extension);
        return false;
      }
      if ((event.op !== "watched" && event.op !== "interest") || event.subject !== subject) return false;
      if (event.subscribers !== last) {
        last = event.subscribers;
        try {
          listener(event.subscribers);
        } catch (error) {
          engine._failed(error);
        }
      }
      return true;
    },
  };

  for (const other of engine._extensions) {
    if ("_subject" in other && other._subject === subject) throw invalid("already-subscribed", `${subject} is watched`);
  }
  engine._extensions.add(Object.assign(extension, { _subject: subject }));
  ask();
  return () => {
    if (engine._extensions.delete(extension)) engine._command({ op: "unwatch", subject });
  };
}
