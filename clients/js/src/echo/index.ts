import type { Engine, EngineClient } from "../core.js";
import { invalid } from "../errors.js";
import { nameOf, randomText } from "../keys.js";
import type { Position } from "../positions.js";
import type { Subscriber } from "../subscription.js";
import type { Client, Payload, PublishOptions } from "../types.js";

/** Returns the tag of a key: the value of the header `$origin` of messages that were published with the key. */
export const originTag = (key: string): string => nameOf(key, 12);

/** The key of each client, which stays for its life: the tag is the same on all connections. */
const keys = new WeakMap<Engine, string>();

/** Chooses the key of a client. From now on its subscriptions omit messages with the tag of the key. */
function choose(engine: Engine): string {
  const key = randomText(24);
  const tag = originTag(key);
  const { _registry } = engine;
  const { _add } = _registry;
  const filter = (subscription: Subscriber) => {
    const { _message } = subscription;
    // The position of the message is recorded before. Snapshots and history, which the application requested, include its own messages.
    subscription._message = (wire) => {
      if (wire.headers.$origin !== tag || wire.type === "snapshot" || wire.type === "history") _message(wire);
    };
  };
  for (const subscription of _registry._all.values()) filter(subscription);
  _registry._add = (subscription) => {
    _add(subscription);
    filter(subscription);
  };
  keys.set(engine, key);
  return key;
}

/**
 * Publishes like `client.publish`, but the client's own subscriptions omit the message, live and after a disconnect. They
 * get it if it is retained, or if they request history. All other clients receive it.
 */
export function publishWithoutEcho(
  client: Client,
  subject: string,
  data: Payload,
  options: PublishOptions = {},
): Promise<Position> {
  const engine = (client as EngineClient)._engine;
  if (!engine) throw invalid("unsupported", "only a client that connects itself can publish without echo");
  return engine._publishes._publish(subject, data, { ...options, origin: keys.get(engine) ?? choose(engine) });
}
