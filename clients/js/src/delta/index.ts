import { binaryCodec } from "../binary.js";
import { invalid } from "../errors.js";
import type { Transport } from "../link.js";
import { withDeltas } from "./codec.js";

export type { Transport } from "../link.js";

/**
 * Makes a transport whose subscriptions ask the server for deltas: the difference from the message before, which the client
 * completes. The application receives the same messages. `wants` decides for each subject; default: all. Patterns and
 * subscriptions with `conflate` have no deltas. For `webSocket`, also within `keepSession` and `named`.
 */
export function deltas(transport: Transport, wants: (subject: string) => boolean = () => true): Transport {
  if (transport.name !== "webSocket") {
    throw invalid("unsupported", `deltas need the transport webSocket, not ${transport.name}`);
  }
  /** The subscriptions with deltas; a kept session continues them without another command. */
  const subjects = new Set<string>();
  return {
    name: transport.name,
    _connect(owner) {
      const encoding = withDeltas(owner._options.encoding ?? binaryCodec, subjects, wants);
      return transport._connect({ ...owner, _options: { ...owner._options, encoding } });
    },
  };
}
