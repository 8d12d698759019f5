import { createAttempts, type Server } from "./attempts.js";
import { type Engine, type Extension, FULL } from "./core.js";
import { BelfryError } from "./errors.js";
import type { Ending, Link, Transport } from "./link.js";
import { position } from "./positions.js";
import type { Command, ServerEvent } from "./protocol.js";
import { createPublishes } from "./publishes.js";
import { isAboutToken, isFinal, isTemporary, isTransient } from "./refusals.js";
import { createRegistry } from "./registry.js";
import type { Subscriber } from "./subscription.js";
import type { Client, ClientOptions, Environment, Status, TokenRequest } from "./types.js";

/** Keeps a client connected: chooses server, transport and time of each attempt, and repeats what was requested. */
export function createEngine(options: ClientOptions): Engine {
  // Minifiers insert the values of constants of a function, but not of those of a bundled module.
  const TICK = 1000;
  const PROBE_WAIT = 2000;
  const WAKE_PAUSE = 200;
  const DRAIN_POLL = 20;
  const BY_SERVER_MAX = 1000;
  /** The server's command rate refills within a second, so shorter pauses gain nothing. */
  const REQUEST_AGAIN = 1000;
  /** A node needs about this time to restart its producer. */
  const REPEAT = 500;

  const { onStatus = logProblem, connectTimeout = 10_000, token: tokenSource } = options;
  const env: Environment = {
    now: Date.now,
    random: Math.random,
    setTimeout: (call, ms) => setTimeout(call, ms),
    clearTimeout: (timer) => clearTimeout(timer as number),
    ...options.environment,
  };
  const { now } = env;
  /** The functions that cancel the timers. */
  const timers = new Set<() => void>();
  /** Subscriptions for which the link does not read. */
  const stopping = new Set<Subscriber>();
  const extensions = new Set<Extension>();
  /** Subjects to which the server subscribed the session, and the application did not. */
  const byServer = new Set<string>();
  /** Aborts the request for a token when the client is closed. */
  const end = new AbortController();
  /** Whether another token can be had. */
  const renewable = typeof tokenSource === "function";

  let id = 0;
  let state: Client["status"] = "disconnected";
  /** The callers of `ready`. */
  const waiting: (() => void)[] = [];
  let link: Link | undefined;
  let server: Server;
  let transport: Transport;
  /**
   * Cancels the timer of the state, which is the end of the attempt or of the pause. A client that is disconnected without
   * a timer is suspended: the page is hidden, and the connection is closed until the page is visible.
   */
  let cancelTimer: (() => void) | undefined;
  /** Time at which the timer of the state ends. */
  let until = 0;
  let cancelProbe: (() => undefined) | undefined;
  let reconnectAfter: number | undefined;
  /** Incremented for each connection, so that late answers of an earlier one have no effect. */
  let plan = 0;
  /** The token that is asked for, or that came too late for its attempt. The application is never asked twice at once. */
  let asking: Promise<string | null | undefined> | undefined;
  let tokenReason: TokenRequest["reason"] = "connect";
  let upSince = 0;
  let lastHeard = 0;
  /** Whether something arrived since the last tick; the clock is not read per message. */
  let heard = false;
  /** Whether an event arrived on this connection; undefined if the transport was not tried yet. */
  let proven: boolean | undefined;
  /** Time of the ping that has no answer yet, or 0. */
  let pinged = 0;
  let pingInterval = options.pingInterval ?? 25_000;
  let maxMessage = Number.POSITIVE_INFINITY;
  /** Whether the link knows the subscriptions; later ones are requested one by one. */
  let requested = false;

  const failed = (error: unknown) => report({ type: "listener-failed", error });
  const refusal = (code: string, reason: string) => new BelfryError("refused", code, reason);
  const unsubscribeNow = (subjects: string[]) => send({ op: "unsubscribe", subjects });
  const nextId = () => ++id;
  const attempts = createAttempts(options, env);
  const publishes = createPublishes(options, env, nextId, sendPublishes);
  const registry = createRegistry(options.recoveredSubjects ?? 500, nextId, report, (subjects) => {
    if (!link?._oneStream) unsubscribeNow(subjects);
  });

  function report(status: Status): void {
    try {
      onStatus(status);
    } catch (error) {
      if (status.type !== "listener-failed") failed(error);
    }
  }

  /** Wraps a callback that must have no effect after the present connection or attempt. */
  function current<T>(call: (value: T) => void): (value: T) => void {
    const mine = plan;
    return (value) => {
      if (mine === plan) call(value);
    };
  }

  /** Calls after a time, unless the client is closed before. Returns a function that cancels the call. */
  function later(call: () => void, ms: number): () => undefined {
    const timer = env.setTimeout(() => {
      timers.delete(cancel);
      call();
    }, ms);
    const cancel = (): undefined => {
      env.clearTimeout(timer);
      timers.delete(cancel);
    };
    timers.add(cancel);
    return cancel;
  }

  /** Returns a function that calls after a time; what is asked meanwhile needs no other call. */
  function delayed(call: () => void, ms: number): () => void {
    let asked = false;
    return () => {
      if (asked) return;
      asked = true;
      later(() => {
        asked = false;
        call();
      }, ms);
    };
  }

  function enter(next: Client["status"], then?: () => void, ms = 0): void {
    state = next;
    cancelTimer?.();
    cancelTimer = then && later(then, ms);
    until = now() + ms;
  }

  function connect(): void {
    plan++;
    [server, transport] = attempts._next();
    reconnectAfter = proven = undefined;
    enter("connecting", () => timedOut(connectTimeout), connectTimeout);
    report({ type: "connecting", server: server._url, transport: transport.name, attempt: attempts._count });
    const make = (token: string | undefined) => {
      proven = false;
      try {
        link = transport._connect({
          _url: server._url,
          _token: token,
          _options: options,
          _env: env,
          _pingInterval: pingInterval,
          _wanted: wanted,
          _onOpen: current((ping) => {
            if (ping === undefined) {
              send({ op: "connect", token, ping: options.pingInterval });
              for (const command of wanted()) link?._send(command);
            } else {
              pingInterval = ping || pingInterval;
              up("", "");
            }
            for (const extension of extensions) extension._onOpen();
          }),
          _onEvent: current((event) => {
            heard = true;
            cancelProbe = cancelProbe?.();
            if (!event) return;
            proven = true;
            if (event.op === "message") registry._message(event);
            else if (![...extensions].some((extension) => extension._onEvent(event)))
              (handlers[event.op] as ((event: ServerEvent) => void) | undefined)?.(event);
          }),
          _onEnd: current(ended),
        });
      } catch (error) {
        ended({ code: "unreachable", reason: `${error}` });
      }
    };
    ask(tokenReason, make, ended);
  }

  /** Asks for a token; the answer is ignored if the connection changed meanwhile. */
  function ask(
    reason: TokenRequest["reason"],
    then: (token: string | undefined) => void,
    otherwise: (failure: Ending) => void,
  ): void {
    if (!asking) {
      asking = (async () => (renewable ? tokenSource({ reason, signal: end.signal }) : tokenSource))();
      asking.catch(() => {
        asking = undefined;
      });
    }
    asking.then(
      current((token) => {
        asking = undefined;
        then(token ?? undefined);
      }),
      current((error) => {
        report({ type: "token-failed", error });
        // The application may have closed the client meanwhile.
        if (state !== "closed") otherwise({ code: "token-failed", reason: `${error}` });
      }),
    );
  }

  function wanted() {
    requested = true;
    return registry._wantedByAll();
  }

  function send(command: Command): number {
    command.id = nextId();
    link?._send(command);
    return id;
  }

  function up(session: string, node: string): void {
    if (state !== "connecting") return;
    enter("connected");
    upSince = lastHeard = now();
    server._until = pinged = 0;
    tokenReason = "connect";
    report({ type: "connected", server: server._url, transport: transport.name, session, node });
    settle();
    sendPublishes();
  }

  /** Checks periodically for a silent server, for late publishes and for a clock that jumped. */
  function tick(): void {
    const due = now() + TICK;
    later(() => {
      const time = now();
      const late = time - due;
      if (Math.abs(late) > 2 * TICK) {
        // The device slept. The client sends a ping first and closes the connection only without an answer.
        publishes._slept += late;
        heard = true;
        wake(true);
      } else if (state === "connected") {
        if (heard || stopping.size || !link?._expectsReads()) {
          heard = false;
          pinged = 0;
          lastHeard = time;
        }
        // The server has a whole interval for its answer, however late the ping was.
        if (pinged && time - pinged >= pingInterval) timedOut(time - lastHeard);
        else if (!pinged && time - lastHeard >= pingInterval) {
          pinged = time;
          send({ op: "ping" });
        }
      }
      publishes._failLate();
      tick();
    }, TICK);
  }

  function wake(stay?: boolean): void {
    if (state === "disconnected" && (cancelTimer || !stay)) {
      const soon = Math.max(attempts._until, now()) + env.random() * WAKE_PAUSE;
      enter("disconnected", connect, (cancelTimer ? Math.min(soon, until) : soon) - now());
    } else if (state === "connected" && !cancelProbe && link?._expectsReads()) {
      send({ op: "ping" });
      cancelProbe = later(() => timedOut(PROBE_WAIT), PROBE_WAIT);
    }
  }

  /** Forgets the connection, or the attempt to connect. */
  function disconnected(): void {
    const last = link;
    plan++;
    link = undefined;
    requested = heard = false;
    cancelProbe = cancelProbe?.();
    last?._close();
    registry._disconnected();
    byServer.clear();
    for (const subscription of stopping) subscription._hold(FULL, true);
    stopping.clear();
    publishes._disconnected();
  }

  function timedOut(ms: number): void {
    link?._abandon?.();
    ended({ code: "timed-out", reason: `no answer within ${ms} ms` });
  }

  function ended(ending: Ending): void {
    const { code, reason } = ending;
    const upFor = state === "connected" ? now() - upSince : 0;
    const aboutToken = isAboutToken(ending);
    disconnected();
    if (aboutToken) tokenReason = "refused";
    if (isFinal(ending) && !(aboutToken && renewable)) {
      stop("refused", refusal(code, reason));
      report({ type: "refused", server: server._url, code, reason });
    } else {
      const pause = attempts._pause(ending, server, upFor, proven);
      const retryIn = reconnectAfter ?? pause;
      enter("disconnected", connect, retryIn);
      reportEnd(ending, retryIn);
    }
  }

  function reportEnd({ code, reason }: Ending, retryIn?: number): void {
    report({ type: "disconnected", server: server._url, code, reason, retryIn });
  }

  function stop(next: Client["status"], error: BelfryError): void {
    enter(next);
    publishes._onEnd(error);
    settle();
  }

  function settle(): void {
    for (const check of waiting.splice(0)) check();
  }

  /** Sends the waiting publishes. Waits for `connected`, which has the maximum size of a message. */
  function sendPublishes(): void {
    if (state !== "connected") return;
    const remain = publishes._send((command, size) => {
      if (size > maxMessage) {
        // It would end the connection, and would be sent again on the next one.
        const reason = `${size} bytes exceed the limit of ${maxMessage} bytes`;
        publishes._take(command.id)?._settle(undefined, refusal("message-too-large", reason));
        return true;
      }
      if (link?._isFull()) return false;
      link?._send(command);
      return true;
    });
    // A WebSocket does not report that it has room again.
    if (remain) drain();
  }

  const drain = delayed(sendPublishes, DRAIN_POLL);

  const repeat = delayed(() => {
    publishes._requeue();
    sendPublishes();
  }, REPEAT);

  function fullChanged(subscription: Subscriber, full: boolean): void {
    if (full && link?._pauseReading && (subscription._pattern || link._oneStream)) {
      stopping.add(subscription);
      link._pauseReading(true);
    } else {
      if (stopping.delete(subscription) && !stopping.size) link?._pauseReading?.(false);
      subscription._hold(FULL, full);
    }
  }

  function leave(subscription: Subscriber): void {
    subscription._leaving = true;
    subscription._confirmed = false;
    subscription._request = unsubscribeNow([subscription.subject]);
  }

  /** Requests a subscription or ends it, as the application wants; waits for an end that is not confirmed yet. */
  function sync(subscription: Subscriber): void {
    const { subject, _request, _held, _leaving } = subscription;
    if (!requested || _leaving) return;
    const unwanted = _held || registry._all.get(subject) !== subscription;
    if (unwanted && _request) leave(subscription);
    if (unwanted || _request) return;
    if (byServer.delete(subject) || registry._dropBridge(subject)) unsubscribeNow([subject]);
    for (const command of registry._wantedBy([subscription])) link?._send(command);
  }

  type Handlers = { [Op in ServerEvent["op"]]?: (event: Extract<ServerEvent, { op: Op }>) => void };

  const handlers: Handlers & { __proto__: null } = {
    // An event of JSON may have any name, such as that of a method of all objects.
    __proto__: null,
    published: ({ id, epoch, seq }) => publishes._take(id)?._settle(position(epoch, seq)),
    subscribed(event) {
      const { id, subject, epoch, seq = 0 } = event;
      // Over a WebSocket every command has an id, so the server began this subscription itself.
      if (!id && transport.name === "webSocket" && !registry._all.has(subject) && byServer.size < BY_SERVER_MAX) {
        byServer.add(subject);
        report({
          type: "subscribed-by-server",
          subject,
          position: epoch === undefined ? undefined : position(epoch, seq),
        });
      }
      registry._subscribed(event);
    },
    gap: registry._gap,
    error({ id = 0, code, reason, subject = "", after = 0 }) {
      // The answer to `connect`, refused for a rate; those to other commands have a subject.
      if (after && !subject && state === "connecting") return ended({ code, reason, retryAfter: after });
      if (isTransient(code) && publishes._repeatLater(id)) return repeat();
      const error = new BelfryError(code === "publish-unknown" ? "unknown" : "refused", code, reason, after);
      const publish = publishes._take(id);
      if (publish) publish._settle(undefined, error);
      else if (code === "not-subscribed") left(id);
      else if (code === "already-subscribed" && registry._all.has(subject)) {
        // The server began the subscription at the same time. The client's own has its options.
        if (!registry._all.get(subject)?._confirmed) byServer.add(subject);
        again(subject);
      } else if (code === "command-rate" && subject)
        later(current(() => again(subject)) as () => void, Math.max(REQUEST_AGAIN, after));
      else if (isTemporary(code) || !registry._refused(id, subject, error)) report({ type: "command-failed", error });
    },
    connected({ ping, maxMessage: max, session, node }) {
      pingInterval = ping || pingInterval;
      maxMessage = max || maxMessage;
      up(session, node);
    },
    unsubscribed({ id, subject, reason }) {
      byServer.delete(subject);
      if (reason) registry._refused(0, subject, refusal(reason, "the server ended the subscription"));
      else left(id);
    },
    reconnect({ after, reason }) {
      reconnectAfter = after;
      report({ type: "reconnect-asked", after, reason });
    },
    "token-to-expire"({ op, after }) {
      report({ type: op, after });
      if (renewable) renew(now() + after);
    },
    stale: ({ op, stale }) => report({ type: op, stale }),
  };

  /** Handles the confirmation that a subscription ended; it may be wanted again. */
  function left(id: number | undefined): void {
    for (const subscription of registry._all.values()) {
      if (subscription._leaving && subscription._request === id) {
        subscription._leaving = false;
        subscription._request = 0;
        sync(subscription);
      }
    }
  }

  /** Requests a subscription, or its end, again after the server refused it for a rate. */
  function again(subject: string): void {
    const subscription = registry._all.get(subject);
    if (!subscription) unsubscribeNow([subject]);
    else if (subscription._leaving) leave(subscription);
    else if (!subscription._confirmed) {
      subscription._request = 0;
      sync(subscription);
    }
  }

  /** Replaces the token without a disconnect; after a failure it tries again while there is time. */
  function renew(until: number): void {
    ask(
      "expiring",
      (token) => send({ op: "connect", token }),
      () => {
        const left = until - now();
        if (left > REQUEST_AGAIN) later(current(() => renew(until)) as () => void, left / 2);
      },
    );
  }

  tick();

  return {
    _env: env,
    _registry: registry,
    _publishes: publishes,
    _extensions: extensions,
    _state: () => state,
    _ready: () =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (publishes._stopped) reject(publishes._stopped);
          else if (state === "connected") resolve();
          else waiting.push(check);
        };
        check();
      }),
    _failed: failed,
    _later: later,
    _delayed: delayed,
    _connect: connect,
    _command: (command) => (requested ? send(command) : 0),
    _unsubscribe(subscription: Subscriber): void {
      if (!registry._take(subscription)) return;
      if (stopping.has(subscription)) fullChanged(subscription, false);
      sync(subscription);
      report({ type: "unsubscribed", subject: subscription.subject });
    },
    _sync: sync,
    _fullChanged: fullChanged,
    _wake: wake,
    _networkChanged() {
      if (state !== "connected") attempts._firstTransport();
    },
    _suspend(): void {
      // Without a timer the client is suspended already, or has stopped.
      if (state !== "connected" && !cancelTimer) return;
      disconnected();
      enter("disconnected");
      reportEnd({ code: "page-hidden", reason: "the page is hidden" });
    },
    _reconnect(): void {
      if (/closed|connecting/.test(state)) return;
      disconnected();
      publishes._stopped = undefined;
      attempts._count = 0;
      connect();
    },
    async _close(): Promise<void> {
      const last = link;
      link = undefined;
      plan++;
      end.abort();
      for (const cancel of timers) cancel();
      for (const subscription of registry._all.values()) registry._take(subscription);
      stop("closed", new BelfryError("closed", "client-closed", "the client was closed"));
      await last?._close();
      report({ type: "closed" });
    },
  };
}

/** Without a listener of statuses, problems must not be silent. */
function logProblem(status: Status): void {
  if (/refused|failed/.test(status.type)) console.error("belfry", status);
}
