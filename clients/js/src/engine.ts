import { createAttempts } from "./attempts.js";
import type { Engine, Extension, State } from "./core.js";
import { BelfryError } from "./errors.js";
import type { Ending, Link, Transport } from "./link.js";
import { position } from "./positions.js";
import type { Command, ServerEvent } from "./protocol.js";
import { createPublishes } from "./publishes.js";
import { isAboutToken, isFinal, isTemporary, isTransient } from "./refusals.js";
import { createRegistry } from "./registry.js";
import { FULL, type Subscriber } from "./subscription.js";
import { createTokens } from "./token.js";
import type { ClientOptions, Environment, Status, TokenRequest } from "./types.js";

const TICK = 1000;
const PROBE_WAIT = 2000;
const WAKE_PAUSE = 200;
const DRAIN_POLL = 20;
/** The server's command rate refills within a second, so shorter pauses gain nothing. */
const REQUEST_AGAIN = 1000;
/** A node needs about this time to restart its producer. */
const REPEAT = 500;

/**
 * Keeps a client connected: chooses server, transport and time of each attempt, and repeats what was requested.
 * `settled` is called when the client is connected, or with an error when it stops.
 */
export function createEngine(options: ClientOptions, settled: (error?: BelfryError) => void): Engine {
  const { onStatus = logProblem, connectTimeout = 10_000 } = options;
  const env: Environment = {
    now: Date.now,
    random: Math.random,
    setTimeout: (call, ms) => setTimeout(call, ms),
    clearTimeout: (timer) => clearTimeout(timer as number),
    ...options.environment,
  };
  const { now, random } = env;
  const timers = new Set<unknown>();
  /** Subscriptions for which the link does not read. */
  const stopping = new Set<Subscriber>();
  const extensions = new Set<Extension>();
  const attempts = createAttempts(options, env);
  const tokens = createTokens(options.token);
  const nextId = () => ++id;
  const registry = createRegistry(options.recoveredSubjects ?? 500, nextId, report);
  const publishes = createPublishes(options.pending);

  let id = 0;
  let state: State = "disconnected";
  let link: Link | undefined;
  let server = "";
  let transport: Transport;
  /** Timer of the state, the end of the attempt or of the pause; and its time. */
  let timer: unknown;
  let until = 0;
  let probe: unknown;
  let reconnectAfter: number | undefined;
  /** Incremented for each connection, so that late answers of an earlier one have no effect. */
  let plan = 0;
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
  let repeating = false;
  let draining = false;

  function report(status: Status): void {
    try {
      onStatus(status);
    } catch (error) {
      try {
        onStatus({ type: "listener-failed", error });
      } catch {
        // The listener of statuses itself fails: nobody is left to tell.
      }
    }
  }

  const failed = (error: unknown) => report({ type: "listener-failed", error });

  const refusal = (code: string, reason: string) => new BelfryError("refused", code, reason);

  /** Calls after a time, unless it is cancelled or the client is closed before. */
  function later(call: () => void, ms: number): unknown {
    const timer = env.setTimeout(() => {
      timers.delete(timer);
      call();
    }, ms);
    timers.add(timer);
    return timer;
  }

  function cancel(timer: unknown): void {
    env.clearTimeout(timer);
    timers.delete(timer);
  }

  function enter(next: State, then?: () => void, ms = 0): void {
    state = next;
    cancel(timer);
    timer = then && later(then, ms);
    until = now() + ms;
  }

  function connect(): void {
    const mine = ++plan;
    const isCurrent = () => mine === plan;
    server = attempts._server();
    transport = attempts._transport();
    reconnectAfter = undefined;
    proven = undefined;
    enter("connecting", () => timedOut(`no answer within ${connectTimeout} ms`), connectTimeout);
    report({ type: "connecting", server, transport: transport.name, attempt: attempts._count() });
    ask(tokenReason, (token, failure) => {
      if (failure) {
        ended(failure);
        return;
      }
      proven = false;
      try {
        link = transport._connect({
          _url: server,
          _token: token,
          _encoding: options.encoding,
          _webSocket: options.webSocket,
          _env: env,
          _pingInterval: pingInterval,
          _requestedPing: options.pingInterval,
          _wanted: wanted,
          _onOpen: (greeting) => isCurrent() && opened(greeting, token),
          _onPing: (ms) => {
            if (isCurrent()) pingInterval = ms;
          },
          _onEvent: (event) => isCurrent() && received(event),
          _onEnd: (ending) => isCurrent() && ended(ending),
        });
      } catch (error) {
        ended({ code: "unreachable", reason: `${error}` });
      }
    });
  }

  /** Asks for a token; the answer is ignored if the connection changed meanwhile. */
  function ask(reason: TokenRequest["reason"], then: (token: string | undefined, failure?: Ending) => void): void {
    const mine = plan;
    tokens._ask(reason).then(
      (token) => {
        if (mine !== plan) return;
        tokens._taken();
        then(token);
      },
      (error) => {
        if (mine !== plan) return;
        report({ type: "token-failed", error });
        then(undefined, { code: "token-failed", reason: `${error}` });
      },
    );
  }

  function wanted() {
    requested = true;
    return registry._wantedByAll();
  }

  function opened(greeting: boolean, token: string | undefined): void {
    if (greeting) {
      send({ op: "connect", token, ping: options.pingInterval });
      for (const command of wanted()) link?._send(command);
    } else {
      up("", "");
    }
    for (const extension of extensions) extension._opened();
  }

  function send(command: Command): number {
    command.id = nextId();
    link?._send(command);
    return command.id;
  }

  const unsubscribeNow = (subjects: string[]) => send({ op: "unsubscribe", subjects });

  function up(session: string, node: string): void {
    if (state !== "connecting") return;
    enter("connected");
    upSince = lastHeard = now();
    pinged = 0;
    tokenReason = "connect";
    attempts._worked(server);
    report({ type: "connected", server, transport: transport.name, session, node });
    settled();
    sendPublishes();
  }

  /** Checks periodically for a silent server, for late publishes and for a clock that jumped. */
  function tick(): void {
    const began = now();
    later(() => {
      const time = now();
      const late = time - began - TICK;
      if (Math.abs(late) > 2 * TICK) {
        // The device slept. The client sends a ping first and closes the connection only without an answer.
        publishes._slept += late;
        heard = true;
        wake(true);
      } else if (state === "connected") {
        checkSilence(time);
      }
      publishes._failLate(time);
      tick();
    }, TICK);
  }

  function checkSilence(time: number): void {
    if (heard || stopping.size || !link?._expectsReads()) {
      heard = false;
      pinged = 0;
      lastHeard = time;
    }
    const silent = time - lastHeard;
    if (pinged) {
      // The server has a whole interval for its answer, however late the ping was.
      if (time - pinged >= pingInterval) timedOut(`nothing received for ${silent} ms`);
    } else if (silent >= pingInterval) {
      pinged = time;
      send({ op: "ping" });
    }
  }

  function wake(stay?: boolean): void {
    const suspended = state === "suspended";
    if (state === "disconnected" || (suspended && !stay)) {
      const soon = attempts._notBefore() + random() * WAKE_PAUSE;
      enter("disconnected", connect, (suspended ? soon : Math.min(soon, until)) - now());
    } else if (state === "connected" && !probe && link?._expectsReads()) {
      send({ op: "ping" });
      probe = later(() => timedOut(`no answer to a ping within ${PROBE_WAIT} ms`), PROBE_WAIT);
    }
  }

  function suspend(): void {
    if (["refused", "closed", "suspended"].includes(state)) return;
    disconnected();
    enter("suspended");
    report({ type: "disconnected", server, code: "page-hidden", reason: "the page is hidden", retryIn: undefined });
  }

  function reconnect(): void {
    if (state === "closed" || state === "connecting") return;
    disconnected();
    attempts._reset();
    connect();
  }

  /** Forgets the connection, or the attempt to connect. */
  function disconnected(): void {
    const last = link;
    plan++;
    link = undefined;
    requested = heard = false;
    endProbe();
    last?._close();
    registry._disconnected();
    for (const subscription of stopping) subscription._hold(FULL);
    stopping.clear();
    publishes._disconnected();
  }

  function timedOut(reason: string): void {
    ended({ code: "timed-out", reason });
  }

  function ended(ending: Ending): void {
    const { code, reason } = ending;
    const upFor = state === "connected" ? now() - upSince : 0;
    const aboutToken = isAboutToken(ending);
    disconnected();
    if (aboutToken) tokenReason = "refused";
    if (isFinal(ending) && !(aboutToken && tokens._renewable)) {
      stop("refused", refusal(code, reason));
      report({ type: "refused", server, code, reason });
    } else {
      const pause = attempts._pause(ending, server, upFor, proven);
      const retryIn = reconnectAfter ?? pause;
      enter("disconnected", connect, retryIn);
      report({ type: "disconnected", server, code, reason, retryIn });
    }
  }

  function stop(next: State, error: BelfryError): void {
    enter(next);
    publishes._failAll(error);
    settled(error);
  }

  /** Sends the waiting publishes. Waits for `connected`, which has the maximum size of a message. */
  function sendPublishes(): void {
    if (state !== "connected") return;
    const waiting = publishes._send((command) => {
      const { length } = command.data;
      if (length > maxMessage) {
        // It would end the connection, and would be sent again on the next one.
        const reason = `${length} bytes exceed the server's limit of ${maxMessage} bytes`;
        publishes._take(command.id)?._reject(refusal("message-too-large", reason));
        return true;
      }
      const full = link?._isFull();
      if (!full) link?._send(command);
      return !full;
    });
    if (waiting && !draining) {
      // A WebSocket does not report that it has room again.
      draining = true;
      later(() => {
        draining = false;
        sendPublishes();
      }, DRAIN_POLL);
    }
  }

  function heldChanged(subscription: Subscriber): void {
    if (!subscription._held) request(subscription);
    else if (subscription._request && !subscription._leaving) leave(subscription);
  }

  function fullChanged(subscription: Subscriber, full: boolean): void {
    if (full && link?._pauseReading && (subscription._pattern || link._oneStream)) {
      stopping.add(subscription);
      link._pauseReading(true);
    } else if (full) {
      subscription._hold(FULL);
    } else {
      if (stopping.delete(subscription) && !stopping.size) link?._pauseReading?.(false);
      subscription._release(FULL);
    }
  }

  function leave(subscription: Subscriber): void {
    subscription._leaving = true;
    subscription._confirmed = false;
    subscription._request = unsubscribeNow([subscription.subject]);
  }

  /** Requests a subscription, unless it is held, removed, or its end is not confirmed yet. */
  function request(subscription: Subscriber): void {
    const { subject } = subscription;
    if (!requested || registry._find(subject) !== subscription || subscription._held || subscription._leaving) return;
    if (registry._dropBridge(subject)) unsubscribeNow([subject]);
    for (const command of registry._wantedBy(subscription)) link?._send(command);
  }

  function unsubscribe(subscription: Subscriber): void {
    if (!registry._remove(subscription)) return;
    if (stopping.has(subscription)) fullChanged(subscription, false);
    if (subscription._request && !subscription._leaving) leave(subscription);
    report({ type: "unsubscribed", subject: subscription.subject });
  }

  function endProbe(): void {
    cancel(probe);
    probe = undefined;
  }

  function received(event: ServerEvent | undefined): void {
    heard = true;
    if (probe) endProbe();
    if (!event) return;
    proven = true;
    const { op } = event;
    if (op === "message") registry._message(event);
    else if (op === "published") publishes._take(event.id)?._resolve(position(event.epoch, event.seq));
    else if (op === "subscribed") registry._subscribed(event);
    else if (op === "gap") registry._gap(event);
    else if (op === "error") failedCommand(event);
    else if (op === "connected") {
      pingInterval = event.ping || pingInterval;
      maxMessage = event.maxMessage || maxMessage;
      up(event.session, event.node);
    } else if (op === "unsubscribed") {
      if (event.reason) registry._refused(0, event.subject, refusal(event.reason, "the server ended the subscription"));
      else left(event.id);
    } else if (op === "reconnect") {
      reconnectAfter = event.after;
      report({ type: "reconnect-asked", after: event.after, reason: event.reason });
    } else if (op === "token-to-expire") {
      report({ type: op, after: event.after });
      if (tokens._renewable) renew(now() + event.after);
    } else if (op === "stale") report({ type: op, stale: event.stale });
    else for (const extension of extensions) extension._event(event);
    const finished = registry._takeFinished();
    if (finished.length && !link?._oneStream) unsubscribeNow(finished);
  }

  /** Handles the confirmation that a subscription ended; it may be wanted again. */
  function left(id: number | undefined): void {
    for (const subscription of registry._subscriptions()) {
      if (subscription._leaving && subscription._request === id) {
        subscription._leaving = false;
        subscription._request = 0;
        request(subscription);
      }
    }
  }

  function failedCommand(event: Extract<ServerEvent, { op: "error" }>): void {
    const { id = 0, code, reason, subject = "", after = 0 } = event;
    if (isTransient(code) && publishes._repeatLater(id)) {
      if (!repeating) later(repeatPublishes, REPEAT);
      repeating = true;
      return;
    }
    const error = new BelfryError(code === "publish-unknown" ? "unknown" : "refused", code, reason, after);
    const publish = publishes._take(id);
    if (publish) publish._reject(error);
    else if (code === "not-subscribed") left(id);
    else if (![...extensions].some((extension) => extension._event(event))) {
      if (code === "command-rate" && subject) requestAgain(subject, after);
      else if (isTemporary(code) || !registry._refused(id, subject, error)) report({ type: "command-failed", error });
    }
  }

  function repeatPublishes(): void {
    repeating = false;
    publishes._requeue();
    sendPublishes();
  }

  /** Requests a subscription, or its end, again after the server refused it for a rate. */
  function requestAgain(subject: string, after: number): void {
    const mine = plan;
    const again = () => {
      if (mine !== plan) return;
      const subscription = registry._find(subject);
      if (!subscription) unsubscribeNow([subject]);
      else if (subscription._leaving) leave(subscription);
      else if (!subscription._confirmed) request(subscription);
    };
    later(again, Math.max(REQUEST_AGAIN, after));
  }

  /** Replaces the token without a disconnect; after a failure it tries again while there is time. */
  function renew(end: number): void {
    const mine = plan;
    ask("expiring", (token, failure) => {
      const left = end - now();
      if (!failure) send({ op: "connect", token });
      else if (left > REQUEST_AGAIN) later(() => mine === plan && renew(end), left / 2);
    });
  }

  async function close(): Promise<void> {
    const last = link;
    link = undefined;
    plan++;
    tokens._abort();
    for (const timer of timers) cancel(timer);
    for (const subscription of registry._subscriptions()) registry._remove(subscription);
    stop("closed", new BelfryError("closed", "client-closed", "the client was closed"));
    await last?._close();
    report({ type: "closed" });
  }

  tick();

  return {
    _env: env,
    _registry: registry,
    _publishes: publishes,
    _extensions: extensions,
    _state: () => state,
    _nextId: nextId,
    _report: report,
    _failed: failed,
    _random: random,
    _later: later,
    _cancel: cancel,
    _connect: connect,
    _command: (command) => (requested ? send(command) : 0),
    _request: request,
    _unsubscribe: unsubscribe,
    _heldChanged: heldChanged,
    _fullChanged: fullChanged,
    _sendPublishes: sendPublishes,
    _wake: wake,
    _networkChanged() {
      if (state !== "connected") attempts._firstTransport();
    },
    _suspend: suspend,
    _reconnect: reconnect,
    _close: close,
  };
}

/** Without a listener of statuses, problems must not be silent. */
function logProblem(status: Status): void {
  if (/refused|failed/.test(status.type)) console.error("belfry", status);
}
