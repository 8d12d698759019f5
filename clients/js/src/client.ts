import type { EngineClient } from "./core.js";
import { createEngine } from "./engine.js";
import { BelfryError, invalid } from "./errors.js";
import { followPage } from "./page.js";
import { encodePayload } from "./payload.js";
import { checkSubject } from "./subjects.js";
import { Subscribing } from "./subscription.js";
import type { Client, ClientOptions } from "./types.js";

const MSG_ID_BYTES_MAX = 64;

/** Creates a client and begins to connect. Throws only for invalid options, never for the network. */
export function connect(options: ClientOptions): Client {
  const { followedSubjects = 100_000, publishTimeout = 30_000, signal } = options;
  if (!options.transports && !options.webSocket && !globalThis.WebSocket) {
    throw invalid("unsupported", "this runtime has no WebSocket; pass the option webSocket");
  }
  let waiting: ((error?: BelfryError) => void)[] = [];
  let stopped: BelfryError | undefined;
  let closed: Promise<void> | undefined;

  const engine = createEngine(options, (error) => {
    const settle = waiting;
    waiting = [];
    stopped = error;
    for (const one of settle) one(error);
  });
  const { _env, _publishes, _random } = engine;
  /** A random beginning and a number make the msgIds of this client. */
  const msgIds = `${_random().toString(36).slice(2)}${_random().toString(36).slice(2)}-`;
  const leavePage = followPage(engine, options.hidden);

  const close = (): Promise<void> => {
    leavePage();
    signal?.removeEventListener("abort", close);
    closed ??= engine._close();
    return closed;
  };

  const client: EngineClient = {
    _engine: engine,
    get status() {
      const state = engine._state();
      return state === "suspended" ? "disconnected" : state;
    },
    get writable() {
      return _publishes._hasRoom(1);
    },
    ready: () =>
      new Promise((resolve, reject) => {
        const settle = (error?: BelfryError) => (error ? reject(error) : resolve());
        if (stopped || engine._state() === "connected") settle(stopped);
        else waiting.push(settle);
      }),
    subscribe(subject, subscribeOptions = {}) {
      if (closed) throw stopped;
      const subscription = new Subscribing(subject, subscribeOptions, followedSubjects, engine);
      engine._registry._add(subscription);
      engine._request(subscription);
      return subscription;
    },
    publish(subject, payload, { retain, once, signal, msgId } = {}) {
      checkSubject(subject, false);
      const data = encodePayload(payload);
      const id = engine._nextId();
      if (msgId === "" || encodePayload(msgId ?? "").length > MSG_ID_BYTES_MAX) {
        throw invalid("bad-request", "a msgId has 1 to 64 bytes");
      }
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        if (stopped) throw new BelfryError("closed", stopped.code, stopped.message);
        if (!_publishes._hasRoom(data.length)) {
          throw new BelfryError("too-many-pending", "too-many-pending", "too many publishes wait for an answer");
        }
        const abort = () => _publishes._take(id)?._reject(signal?.reason);
        const done = () => signal?.removeEventListener("abort", abort);
        signal?.addEventListener("abort", abort);
        _publishes._add({
          _command: { op: "publish", id, subject, data, retain, msgId: once ? undefined : (msgId ?? msgIds + id) },
          _deadline: _env.now() + publishTimeout - _publishes._slept,
          _resolve(at) {
            done();
            resolve(at);
          },
          _reject(error) {
            done();
            reject(error);
          },
        });
        engine._sendPublishes();
      });
    },
    reconnect() {
      if (!closed) stopped = undefined;
      engine._reconnect();
    },
    close,
    [Symbol.asyncDispose]: close,
  };

  engine._connect();
  signal?.addEventListener("abort", close);
  if (signal?.aborted) void close();
  return client;
}
