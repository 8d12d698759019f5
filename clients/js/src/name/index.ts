import { invalid } from "../errors.js";
import type { Transport } from "../link.js";

export type { Transport } from "../link.js";

/** The codes that refuse a name, each with the HTTP status that belongs to it. */
const REFUSALS = new Map([
  ["unsupported", 501],
  ["client-names-full", 503],
]);

/**
 * Makes a transport whose client has a name on its node: 1 to 64 of the characters A-Z, a-z, 0-9, `.`, `_` and `-`. A later
 * client with the same name closes this one, which then stops with the code `client-taken`. For `webSocket` or
 * `keepSession(webSocket)`; the server needs `Session.ClientNames`.
 */
export function named(transport: Transport, name: string): Transport {
  if (!/^[\w.-]{1,64}$/.test(name)) {
    throw invalid(
      "bad-request",
      `a name must have 1 to 64 of the characters A-Z, a-z, 0-9, ".", "_", "-", not "${name}"`,
    );
  }
  if (transport.name !== "webSocket") {
    throw invalid("unsupported", `a name needs the transport webSocket, not ${transport.name}`);
  }
  return {
    name: transport.name,
    _connect(owner) {
      /** Id of the command that takes the name; undefined after its answer. */
      let taking: number | undefined;
      let opening = true;
      const link = transport._connect({
        ...owner,
        _onEvent(event) {
          if (event?.op === "error" && taking && event.id === taking) {
            const { code, reason } = event;
            const number = REFUSALS.get(code);
            if (number) return owner._onEnd({ code, reason, number });
          }
          if (event?.op === "connected") taking = undefined;
          owner._onEvent(event);
        },
      });
      return {
        ...link,
        _send(command) {
          if (opening && command.op === "connect") {
            opening = false;
            taking = command.id;
            command.client = name;
          }
          link._send(command);
        },
      };
    },
  };
}
