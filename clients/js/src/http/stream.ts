import { decodeJson } from "../json.js";
import type { Link, LinkOwner, Transport } from "../link.js";
import type { Command, SubscribeCommand } from "../protocol.js";
import { isPattern } from "../subjects.js";
import { CallFailure, Calls, Gate } from "./calls.js";

/** Changes of subscriptions within this time lead to one new stream. */
const CHANGES = 10;

/** Returns the target of one stream for all subscriptions; it has one interval to conflate and one history. */
export function streamTarget(wanted: readonly SubscribeCommand[], ping?: number): string {
  const query = new URLSearchParams();
  const positions: string[] = [];
  for (const { subjects, from = "" } of wanted) {
    for (const subject of subjects) {
      query.append("subject", subject);
      if (!isPattern(subject)) positions.push(from);
    }
  }
  const history = Math.max(...wanted.map((command) => command.history ?? 0));
  // One interval for all: the shortest, or none if one subscription wants all messages.
  const conflate = Math.min(...wanted.map((command) => command.conflate ?? 0));
  if (positions.some(Boolean)) query.set("from", positions.join(","));
  if (history) query.set("history", `${history}`);
  if (conflate) query.set("conflate", `${conflate}`);
  if (ping) query.set("ping", `${ping}`);
  return `/subscribe?${query}`;
}

function connect(owner: LinkOwner): Link {
  const calls = new Calls(owner);
  const gate = new Gate();
  let stream: AbortSignal | undefined;
  let opened = false;
  let changing = false;
  let lastRead = owner._env.now();

  const open = () => {
    if (!opened) {
      opened = true;
      owner._onOpen(false);
    }
  };

  /** Opens a stream that resumes at the current positions, in place of the one before. */
  const follow = async () => {
    changing = false;
    const signal = calls.nextRound();
    stream = undefined;
    const wanted = owner._wanted();
    if (!wanted.length) {
      await calls.get("/health/ready");
      open();
      return;
    }
    stream = signal;
    try {
      const headers = { Accept: "application/x-ndjson" };
      const response = await calls.get(streamTarget(wanted, owner._requestedPing), { headers }, signal);
      const ping = Number(response.headers.get("Belfry-Ping"));
      if (ping) owner._onPing(ping);
      await read(response, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };

  const read = async (response: Response, end: AbortSignal) => {
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    let rest = "";
    let last: string | undefined;
    for (;;) {
      await gate.pass();
      const { done, value } = await reader.read();
      if (end.aborted || calls.closed) return;
      if (done) break;
      lastRead = owner._env.now();
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const event = line ? decodeJson(line) : undefined;
        last = event?.op === "error" && !event.subject ? event.code : undefined;
        // The first event, not the head, shows that no proxy holds the stream back.
        open();
        owner._onEvent(event);
        if (end.aborted || calls.closed) return;
      }
    }
    throw new CallFailure({ code: last ?? "connection-lost", reason: "the server ended the stream" });
  };

  const start = () => {
    follow().catch((error) => calls.fail(error));
  };

  const change = () => {
    if (changing) return;
    changing = true;
    owner._env.setTimeout(() => calls.closed || start(), CHANGES);
  };

  /** Shows that the server can be reached; a stream that was silent meanwhile is replaced. */
  const probe = async () => {
    await calls.get("/health/ready");
    if (calls.closed) return;
    owner._onEvent(undefined);
    if (stream && owner._env.now() - lastRead > owner._pingInterval) change();
  };

  const send = (command: Command) => {
    switch (command.op) {
      case "publish":
        calls.publish(command);
        break;
      case "connect":
        // A stream keeps the token with which it was opened.
        calls.token = command.token;
        change();
        break;
      case "subscribe":
      case "unsubscribe":
        change();
        break;
      case "ping":
        probe().catch((error) => calls.fail(error));
        break;
      case "watch":
        refuse(owner, command);
    }
  };

  start();
  return {
    _send: send,
    _isFull: () => false,
    _expectsReads: () => !!stream,
    _pauseReading: (pause) => gate.pause(pause),
    _oneStream: true,
    async _close() {
      calls.close();
    },
  };
}

/** HTTP has no notices of interest. */
export function refuse(owner: LinkOwner, { id, subject }: { id?: number | undefined; subject: string }): void {
  owner._env.setTimeout(
    () => owner._onEvent({ op: "error", id, code: "unsupported", reason: "watch needs a WebSocket", subject }),
    0,
  );
}

/** Receives over one HTTP response that does not end, as lines of JSON; publishes by POST. */
export const httpStream: Transport = { name: "httpStream", _connect: connect };
