// The driver of the behaviour suite: reads commands from standard input, as lines of JSON, and uses the client like an
// application. It reports what the client reports, in the order in which the client reports it.
import { createInterface } from "node:readline";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { bytes, watch, webSocket } from "belfry-client";
import { deltas } from "belfry-client/delta";
import { publishWithoutEcho } from "belfry-client/echo";
import { httpStream, jsonEncoding, longPoll, withRefusals } from "belfry-client/http";
import { keepSession } from "belfry-client/keep";
import { named } from "belfry-client/name";
import { connectPatterns } from "belfry-client/patterns";
import { reply, request } from "belfry-client/requests";
import { WebSocket } from "ws";
import { DriverClock } from "./clock.mjs";

const TRANSPORTS = { webSocket, httpStream, longPoll };
const CAPABILITIES = [
  ..."webSocket httpStream longPoll json binary compression fallback patterns history conflate publish".split(" "),
  ..."keepSession clientName patternPositions requests noEcho delta".split(" "),
  ..."pendingBound publishOnce watch callback iterator pause tokenSource retry ping clock resources".split(" "),
];
const WITHOUT = {
  sse: "the client reads NDJSON instead",
  tabs: "Node.js has no tabs",
  pageLife: "Node.js has no pages",
};

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const clients = new Map();
let lines = "";

function write(line) {
  if (!lines) setImmediate(flush);
  lines += `${JSON.stringify(line)}\n`;
  if (lines.length > 1 << 16) flush();
}

function flush() {
  if (lines) process.stdout.write(lines);
  lines = "";
}

const payload = (data) => {
  try {
    return { text: strict.decode(data) };
  } catch {
    return { base64: Buffer.from(data).toString("base64") };
  }
};

const found = (name) => {
  const one = clients.get(name);
  if (!one) throw Object.assign(new Error(`no client ${name}`), { code: "no-client" });
  return one;
};

/** Writes a status of the client as an event. */
function status(client, { type, ...rest }) {
  const event = (op, more) => write({ op, client, ...more });
  const state = (name, more) => event("status", { state: name, ...more });
  const { retryIn: retryMillis, after: afterMillis, error, gap, attempt, session, node, ...plain } = rest;
  const failure = { code: error?.code, reason: String(error?.message ?? error) };
  if (type === "reconnect-asked") state("reconnectAsked", { afterMillis, ...plain });
  else if (type === "token-to-expire") state("tokenToExpire", { afterMillis });
  else if (type === "subscribed") event("subscribed", plain);
  else if (type === "subscribed-by-server") state("subscribedByServer", plain);
  else if (type === "subscribe-refused") event("ended", { ...plain, ...failure });
  else if (type === "token-failed") event("error", { kind: "token", ...failure });
  else if (type === "listener-failed") event("error", { kind: "listener", ...failure });
  else if (type === "command-failed") event("error", { kind: "command", ...failure });
  else if (type !== "gap" && type !== "unsubscribed") state(type, { retryMillis, ...plain });
}

/** One client and what the driver keeps for it. */
class Driven {
  #name;
  #client;
  #subscriptions = new Map();
  #watches = new Map();
  #asks = [];
  #deltas = new Set();
  clock = new DriverClock();

  constructor(command) {
    const { client, retryMaxMillis: retry, compression = false } = command;
    const kept = (transport) =>
      command.keepSession && transport === webSocket ? keepSession(withDeltas(transport)) : withDeltas(transport);
    const name = command.clientName;
    const wantsDeltas = (subject) => this.#deltas.has(subject);
    const withDeltas = (transport) => (transport === webSocket ? deltas(transport, wantsDeltas) : transport);
    const withName = (transport) => (name === undefined ? transport : named(transport, name));
    const upTo = (ms) => Math.min(ms, retry ?? ms);
    this.#name = client;
    this.#client = connectPatterns({
      servers: command.servers,
      transports: (command.transports ?? ["webSocket"]).map((each) => withName(kept(TRANSPORTS[each]))),
      encoding: command.encoding === "json" ? jsonEncoding : undefined,
      webSocket: withRefusals(
        class extends WebSocket {
          constructor(url, protocols) {
            super(url, protocols, { perMessageDeflate: compression });
          }
        },
      ),
      token: command.tokenSource ? (request) => this.#askToken(request) : command.token,
      reconnect: {
        quickPause: upTo(500),
        firstPause: upTo(1000),
        longestPause: upTo(30_000),
        avoidFailedFor: upTo(30_000),
      },
      pingInterval: command.pingMillis,
      connectTimeout: command.connectTimeoutMillis,
      publishTimeout: command.publishTimeoutMillis,
      pending: command.pendingCount === undefined ? undefined : { count: command.pendingCount },
      environment: this.clock,
      onStatus: (reported) => {
        status(client, reported);
        if (command.statusThrows) throw new Error(`the listener throws for ${reported.type}`);
      },
    });
  }

  #askToken({ reason }) {
    return new Promise((resolve, reject) => {
      this.#asks.push({ resolve, reject });
      write({ op: "token", client: this.#name, ask: this.#asks.length, why: reason });
    });
  }

  token({ ask, token, none, fails }) {
    const { resolve, reject } = this.#asks[ask - 1];
    if (fails !== undefined) reject(new Error(fails));
    else resolve(none ? undefined : token);
  }

  subscribe({ subject, from, history, conflateMillis, face = "callback", bufferCount, throwsEvery, deltas: delta }) {
    this.#deltas[delta ? "add" : "delete"](subject);
    const event = (item) => {
      const common = { op: item.kind, client: this.#name, sub: subject, subject: item.subject };
      if (item.kind === "gap") write({ ...common, from: item.from, to: item.to, reason: item.reason });
      else {
        const { position, type, retained, headers, publisher, data } = item;
        write({ ...common, position, type, retained, headers, publisher, ...payload(data) });
      }
    };
    let count = 0;
    const onMessage = (message) => {
      event(message);
      if (throwsEvery && ++count % throwsEvery === 0) throw new Error(`the listener throws at message ${count}`);
    };
    const listeners = face === "callback" ? { onMessage, onGap: event } : {};
    const buffer = bufferCount === undefined ? undefined : { count: bufferCount };
    const options = { from, history, conflate: conflateMillis, buffer, decode: bytes, ...listeners };
    const subscription = this.#client.subscribe(subject, options);
    const entry = { subscription, face, gate: undefined, release: () => {} };
    this.#subscriptions.set(subject, entry);
    if (face === "iterator") void this.#iterate(entry, event);
  }

  async #iterate(entry, event) {
    try {
      const iterator = entry.subscription[Symbol.asyncIterator]();
      for (;;) {
        await entry.gate;
        const { done, value } = await iterator.next();
        if (done) return;
        event(value);
      }
    } catch {
      // The end of the subscription was reported as a status.
    }
  }

  unsubscribe({ subject }) {
    const entry = this.#subscriptions.get(subject);
    entry?.release();
    entry?.subscription.unsubscribe();
    this.#subscriptions.delete(subject);
  }

  position({ subject }) {
    const entry = this.#subscriptions.get(subject);
    if (!entry) throw Object.assign(new Error(`no subscription ${subject}`), { code: "not-subscribed" });
    return { position: entry.subscription.position };
  }

  pause({ subject }) {
    const entry = this.#subscriptions.get(subject);
    if (entry.face === "callback") entry.subscription.pause();
    else
      entry.gate = new Promise((resolve) => {
        entry.release = resolve;
      });
  }

  resume({ subject }) {
    const entry = this.#subscriptions.get(subject);
    if (entry.face === "callback") entry.subscription.resume();
    entry.gate = undefined;
    entry.release();
  }

  publish({ id, subject, text, base64, retain, msgId, once, headers, ttl, noEcho }) {
    const client = this.#name;
    const data = text ?? new Uint8Array(Buffer.from(base64, "base64"));
    const options = { retain, msgId: msgId ?? undefined, once, headers, ttl };
    const published = noEcho
      ? publishWithoutEcho(this.#client, subject, data, options)
      : this.#client.publish(subject, data, options);
    published.then(
      (position) => write({ op: "acked", id, client, position }),
      ({ kind, code, message }) => write({ op: "failed", id, client, kind, code, reason: message }),
    );
  }

  request({ id, subject, text, timeoutMillis: timeout }) {
    const client = this.#name;
    request(this.#client, subject, text, { timeout, decode: bytes }).then(
      ({ subject: inbox, data }) => write({ op: "replied", id, client, subject: inbox, ...payload(data) }),
      ({ kind, code, message }) => write({ op: "failed", id, client, kind, code, reason: message }),
    );
  }

  respond({ subject }) {
    const onMessage = (message) => {
      if (message.headers.replyTo) reply(this.#client, message, `re: ${message.data}`).catch(() => {});
    };
    const subscription = this.#client.subscribe(subject, { onMessage });
    this.#subscriptions.set(subject, { subscription, face: "callback", gate: undefined, release: () => {} });
  }

  watch({ subject }) {
    const report = (subscribers) => write({ op: "interest", client: this.#name, subject, subscribers });
    this.#watches.set(subject, watch(this.#client, subject, report));
  }

  unwatch({ subject }) {
    this.#watches.get(subject)?.();
  }

  async close() {
    await this.#client.close();
    // Failures of publishes are written before the answer.
    await new Promise(setImmediate);
    for (const { release } of this.#subscriptions.values()) release();
  }
}

const COMMANDS = {
  new: (command) => {
    clients.set(command.client, new Driven(command));
  },
  clock: ({ client, skipMillis }) => ({ nextMillis: found(client).clock.skip(skipMillis) }),
  resources: () => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    const timers = [...clients.values()].reduce((sum, { clock }) => sum + clock.timers, 0);
    return { timers, memoryBytes: heapUsed + arrayBuffers };
  },
  position: (command) => found(command.client).position(command),
  close: async ({ client }) => {
    await found(client).close();
    clients.delete(client);
  },
};
for (const op of [
  "subscribe",
  "unsubscribe",
  "pause",
  "resume",
  "publish",
  "request",
  "respond",
  "watch",
  "unwatch",
  "token",
]) {
  COMMANDS[op] = (command) => {
    found(command.client)[op](command);
  };
}

async function obey(command) {
  const { id, op } = command;
  try {
    if (!Object.hasOwn(COMMANDS, op)) throw Object.assign(new Error(`unknown command ${op}`), { code: "unknown-op" });
    const result = COMMANDS[op](command);
    write({ op: "answer", id, ...(result instanceof Promise ? await result : result) });
  } catch (error) {
    write({ op: "answer", id, error: error.code ?? "failed", reason: error.message });
  }
}

write({
  op: "hello",
  driver: "js",
  protocol: 1,
  runtime: `node ${process.versions.node}`,
  capabilities: CAPABILITIES,
  without: WITHOUT,
});
for await (const line of createInterface({ input: process.stdin })) void obey(JSON.parse(line));
await Promise.all([...clients.values()].map((client) => client.close()));
flush();
