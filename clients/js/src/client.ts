import type { EngineClient } from "./core.js";
import { createEngine } from "./engine.js";
import { invalid } from "./errors.js";
import { followPage } from "./page.js";
import { onAbort } from "./signals.js";
import { createSubscription } from "./subscription.js";
import type { Client, ClientOptions, Subscription } from "./types.js";

/** Creates a client and begins to connect. Throws only for invalid options, never for the network. */
export function connect(options: ClientOptions): Client {
  const { followedSubjects = 100_000, hidden, signal } = options;
  if (!options.transports && !options.webSocket && !globalThis.WebSocket) {
    throw invalid("unsupported", "this runtime needs the option webSocket");
  }
  const engine = createEngine(options);
  const { _publishes, _registry, _state } = engine;
  const leavePage = followPage(engine, hidden);
  let closed: Promise<void> | undefined;

  const close = (): Promise<void> => {
    leavePage();
    leaveSignal();
    return (closed ??= engine._close());
  };

  const client: EngineClient = {
    _engine: engine,
    get status() {
      return _state();
    },
    get writable() {
      return _publishes._hasRoom(1);
    },
    ready: engine._ready,
    subscribe(subject, subscribeOptions = {}) {
      if (closed) throw _publishes._stopped;
      const subscription = createSubscription(subject, subscribeOptions, followedSubjects, engine);
      _registry._add(subscription);
      engine._sync(subscription);
      return subscription as Subscription<never>;
    },
    publish: _publishes._publish,
    reconnect: engine._reconnect,
    close,
    [Symbol.asyncDispose]: close,
  };

  const leaveSignal = onAbort(signal, close);
  engine._connect();
  return client;
}
