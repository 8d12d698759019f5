import type { EngineClient } from "../core.js";
import { type BelfryError, invalid } from "../errors.js";
import { decodeJson } from "../json.js";
import type { Transport } from "../link.js";
import type { DeliveredMessage } from "../message.js";
import { bytes, text } from "../payload.js";
import { type Position, parsePosition } from "../positions.js";
import type { Command, PublishCommand, ServerEvent, SubscribeCommand, WireMessage } from "../protocol.js";
import { isPattern } from "../subjects.js";
import type { Client, ClientOptions, Gap, Message, Recovery, Status, Subscription } from "../types.js";
import { webSocket } from "../websocket.js";
import { type Note, openChannel } from "./channel.js";

/** Number of retained messages of a pattern that are kept for tabs that subscribe it later. */
const RETAINED_MAX = 1000;
/** Size in bytes from which the answer to a poll may end before the last message. */
const POLL_BYTES = 64 << 10;

interface Shared {
  readonly subscription: Subscription<Uint8Array>;
  readonly tabs: Set<string>;
  /** Retained messages of a pattern by subject. */
  readonly retained: Map<string, WireMessage>;
  /** The latest position of a pattern that the tabs have got. */
  at?: Position | undefined;
}

interface Polled {
  messages?: object[];
  /** Position of a pattern; absent if the server has none. */
  at?: Position;
}

function wire(message: Message<Uint8Array>): WireMessage {
  const { subject, epoch, seq, time, type, retained, headers } = message;
  const prev = (message as DeliveredMessage<Uint8Array>)._prev;
  return { op: "message", subject, bytes: message.bytes, epoch, seq, prev, time, type, retained, headers };
}

/**
 * Serves all tabs of a group over one connection. For a tab it is like a server: subjects that are subscribed already
 * are not requested again, and what a tab has missed is read from the server's history. `make` makes the client, and `gone`
 * calls back when a tab has ended. Returns a function that closes it.
 */
export function lead(
  name: string,
  options: ClientOptions,
  make: (options: ClientOptions) => Client,
  gone: (tab: string, then: () => void) => void,
): () => Promise<void> {
  const { token: source, transports = [webSocket] } = options;
  const hub = crypto.randomUUID();
  const shared = new Map<string, Shared>();
  const tabs = new Set<string>();
  let status: Status = { type: "closed" };
  let connected = false;
  /** The server in use and the token that it accepted, with which the history is read. */
  let server = "";
  let token: string | null | undefined = typeof source === "function" ? undefined : source;
  const channel = openChannel(name, receive);

  /** Makes a transport after whose events the tabs get the positions of patterns that have changed. */
  const observed = (transport: Transport): Transport => ({
    name: transport.name,
    _connect: (owner) =>
      transport._connect({
        ...owner,
        _onEvent(event) {
          owner._onEvent(event);
          if (event?.op === "position" || event?.op === "subscribed") postPositions();
        },
      }),
  });

  const client = make({
    ...options,
    transports: transports.map(observed),
    hidden: "stay",
    token: typeof source === "function" ? async (request) => (token = await source(request)) : source,
    onStatus(next) {
      const { type } = next;
      if (type === "connected") server = next.server;
      if (type === "connecting" || type === "connected" || type === "disconnected" || type === "stale") {
        status = next;
        channel.post({ kind: "status", status });
        if (type === "connected" && !connected) {
          connected = true;
          for (const tab of tabs) welcome(tab);
        }
      } else if (type === "refused") {
        channel.post({ kind: "refused", ending: { code: next.code, reason: next.reason, number: 1008 } });
      } else if (type === "subscribe-refused") {
        // Tabs whose subscription is confirmed learn it here, the others by the answer to their command.
        shared.delete(next.subject);
        channel.post({ kind: "event", event: { op: "unsubscribed", subject: next.subject, reason: next.error.code } });
      } else if (/failed|token/.test(type)) {
        channel.post({ kind: "status", status: JSON.parse(JSON.stringify(next)) as Status });
      }
    },
  });
  const { _publishes } = (client as EngineClient)._engine;

  const answer = (tab: string, ...events: ServerEvent[]) => channel.post({ kind: "events", tab, events });

  const postPositions = () => {
    for (const [subject, one] of shared) {
      const { position: at } = one.subscription;
      if (!isPattern(subject) || !at || at === one.at) continue;
      one.at = at;
      channel.post({ kind: "event", event: { op: "position", subject, at } });
    }
  };

  const welcome = (tab: string) => channel.post({ kind: "welcome", tab, hub, status });

  /** An error without a code is one of the network: with `command-rate` the tab asks again. */
  const failure = (id: number | undefined, subject: string, error: Partial<BelfryError>): ServerEvent => ({
    op: "error",
    id,
    subject,
    code: error.code ?? "command-rate",
    reason: `${error.message}`,
    after: error.retryAfter || undefined,
  });

  function receive(note: Note): void {
    if (note.kind === "hello") {
      if (!tabs.has(note.tab)) gone(note.tab, () => forget(note.tab));
      tabs.add(note.tab);
      if (connected) welcome(note.tab);
    } else if (note.kind === "bye") {
      forget(note.tab);
    } else if (note.kind === "command" && tabs.has(note.tab)) {
      obey(note.tab, note.command);
    }
  }

  function forget(tab: string): void {
    if (!tabs.delete(tab)) return;
    for (const subject of [...shared.keys()]) leave(tab, subject);
  }

  function leave(tab: string, subject: string): void {
    const one = shared.get(subject);
    if (!one?.tabs.delete(tab) || one.tabs.size) return;
    shared.delete(subject);
    one.subscription.unsubscribe();
  }

  function obey(tab: string, command: Command): void {
    const { id } = command;
    switch (command.op) {
      case "connect":
        answer(tab, { op: "connected", id, session: "", node: "", ping: 25_000, maxMessage: 0 });
        break;
      case "ping":
        answer(tab, { op: "pong", id });
        break;
      case "publish":
        publish(tab, command);
        break;
      case "subscribe":
        for (const subject of command.subjects) void subscribe(tab, subject, command);
        break;
      case "unsubscribe":
        for (const subject of command.subjects) {
          leave(tab, subject);
          answer(tab, { op: "unsubscribed", id, subject });
        }
        break;
      default:
        answer(tab, failure(id, command.subject, invalid("unsupported", "tabs that share a connection cannot watch")));
    }
  }

  function publish(tab: string, { id, subject, data, retain, msgId, headers, ttl, origin }: PublishCommand): void {
    _publishes._publish(subject, data, { retain, msgId, once: !msgId, headers, ttl, origin }).then(
      (at) => {
        const [epoch, seq] = parsePosition(at);
        answer(tab, { op: "published", id, epoch, seq });
      },
      (error) => answer(tab, failure(id, subject, error)),
    );
  }

  async function subscribe(tab: string, subject: string, command: SubscribeCommand): Promise<void> {
    const { id, from, history } = command;
    const known = shared.get(subject);
    const one = known ?? begin(subject, command);
    one.tabs.add(tab);
    try {
      const first = await one.subscription.ready();
      if (isPattern(subject)) return await joinPattern(tab, one, !known, command);
      const at = one.subscription.position ?? first.position;
      const [epoch, seq] = at ? parsePosition(at) : [];
      const earlier = known && at ? await read(subject, from, history) : [];
      const recovered = earlier[0]?.op === "gap" ? "gap" : "complete";
      const recovery = known ? (from ? recovered : "none") : first.recovery;
      if (one.tabs.has(tab)) {
        answer(tab, { op: "subscribed", id, subject, epoch, seq, recovery }, ...earlier, ...one.retained.values());
      }
    } catch (error) {
      answer(tab, failure(id, subject, error as BelfryError));
    }
  }

  /** Answers the subscription of a pattern. The missed messages are read for this tab only, because positions have no order. */
  async function joinPattern(tab: string, one: Shared, isNew: boolean, { id, from }: SubscribeCommand): Promise<void> {
    const { subscription, retained } = one;
    const { subject, position } = subscription;
    const give = (...events: ServerEvent[]) => one.tabs.has(tab) && answer(tab, ...events);
    if (from && !position) throw invalid("wildcard-not-allowed", `${subject} has no position`);
    let at = isNew && !from ? position : undefined;
    let recovery: Recovery = "none";
    if (from) {
      recovery = "complete";
      for (let more = true; more && one.tabs.has(tab); ) {
        const { answer: polled, size } = await get<Polled>("poll", subject, { subject, from: at ?? from, wait: "0ms" });
        const events = (polled.messages ?? []).map(
          (message) => ({ ...decodeJson(JSON.stringify(message)), only: subject }) as ServerEvent,
        );
        if (events.some(({ op }) => op === "gap")) recovery = "gap";
        at = polled.at;
        // Without a position the tab begins again with a new subscription.
        if (!at) throw invalid("wildcard-not-allowed", `${subject} has no position any more`);
        more = size >= POLL_BYTES;
        give(...events, { op: "position", subject, at });
      }
    } else if (position && !isNew) {
      // The position of the shared subscription may precede the beginning of this one.
      at = (await get<Polled>("poll", subject, { subject, wait: "0ms" })).answer.at;
    }
    give({ op: "subscribed", id, subject, recovery, at }, ...(from ? [] : retained.values()));
  }

  function begin(subject: string, { from: given, history, conflate }: SubscribeCommand): Shared {
    // A pattern begins now for all tabs, and each reads what it missed.
    const from = isPattern(subject) ? undefined : given;
    const tabs = new Set<string>();
    const retained = new Map<string, WireMessage>();
    const onMessage = (message: Message<Uint8Array>) => {
      const event = wire(message);
      if (event.retained && subject.includes("*") && (retained.size < RETAINED_MAX || retained.has(event.subject))) {
        retained.set(event.subject, { ...event, type: "snapshot" });
      }
      channel.post({ kind: "event", event });
    };
    const onGap = (gap: Gap) => {
      const event: ServerEvent = gap.to
        ? { op: "gap", subject: gap.subject, from: gap.from, to: gap.to, reason: gap.reason }
        : one.at
          ? { op: "gap", subject, to: "0:0", reason: gap.reason }
          : // A pattern that is confirmed again announces by itself that messages of unknown subjects are missing.
            { op: "subscribed", subject, recovery: "none" };
      channel.post({ kind: "event", event });
    };
    const subscription = client.subscribe(subject, { from, history, conflate, decode: bytes, onMessage, onGap });
    const one: Shared = { subscription, tabs, retained };
    shared.set(subject, one);
    return one;
  }

  /** Reads what one tab needs of a subject that another tab has subscribed before. */
  async function read(subject: string, from: string | undefined, history = 0): Promise<ServerEvent[]> {
    const query = from ? { subject, from } : { subject, count: `${Math.max(history, 1)}` };
    const { messages = [] } = (await get<Polled>("history", subject, query)).answer;
    const events = messages.map((message) => decodeJson(JSON.stringify(message)));
    if (from || history) return events;
    // Only the retained message was wanted.
    return events.flatMap((event) =>
      event.op === "message" && event.retained ? [{ ...event, type: "snapshot" as const }] : [],
    );
  }

  /** Calls an HTTP path of the server. Rejects without a code if the same call may succeed soon. */
  async function get<T>(
    path: string,
    subject: string,
    query: Record<string, string>,
  ): Promise<{ answer: T; size: number }> {
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    const url = server.replace(/^ws/, "http").replace(/\/$/, "");
    const response = await fetch(`${url}/${path}?${new URLSearchParams(query)}`, { headers });
    const body = new Uint8Array(await response.arrayBuffer());
    const result = JSON.parse(text(body)) as T & { code?: string };
    const failed = `the history of ${subject} could not be read`;
    if (response.status === 429 || response.status >= 500) throw new Error(`${failed}: ${result.code}`);
    if (result.code) throw invalid(result.code, failed);
    return { answer: result, size: body.length };
  }

  channel.post({ kind: "leads", hub });

  return async () => {
    await client.close();
    channel.close();
  };
}
