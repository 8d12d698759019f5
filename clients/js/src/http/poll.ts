import { decodeJson } from "../json.js";
import type { Link, LinkOwner, Transport } from "../link.js";
import { parsePosition } from "../positions.js";
import type { Command, ServerEvent, SubscribeCommand } from "../protocol.js";
import { isPattern } from "../subjects.js";
import { Calls, Gate } from "./calls.js";
import { refuse } from "./stream.js";

/** Browsers open six connections to a server; one remains for publishing and one for the page. */
const POLLS_MAX = 4;
const WAIT = 25_000;
/** With more subjects than polls each poll takes turns. */
const WAIT_IN_TURN = 1000;
/** Time after which a request without an answer has failed, in addition to its wait. */
const ANSWER = 10_000;

interface PolledSubject {
  readonly subject: string;
  readonly request: SubscribeCommand;
  position: string | undefined;
  /** Whether the subscription was confirmed. */
  confirmed: boolean;
}

interface Answer {
  epoch?: number;
  seq?: number;
  messages: object[];
}

function connect(owner: LinkOwner): Link {
  const calls = new Calls(owner);
  const gate = new Gate();
  let turns: PolledSubject[] = [];
  let opened = false;
  let changing = false;

  const events = ({ messages }: Answer): ServerEvent[] => messages.map((one) => decodeJson(JSON.stringify(one)));

  const query = (polled: PolledSubject, more: object) =>
    new URLSearchParams({ subject: polled.subject, ...(polled.position && { from: polled.position }), ...more });

  const ask = async (target: string, end?: AbortSignal, wait = 0): Promise<Answer> => {
    const timer = owner._env.setTimeout(() => calls.fail(new Error(`no answer to ${target}`)), wait + ANSWER);
    try {
      return (await (await calls.get(target, {}, end)).json()) as Answer;
    } finally {
      owner._env.clearTimeout(timer);
    }
  };

  /** Begins to follow a subject: earlier messages first, then the position from which polls continue. */
  const begin = async (polled: PolledSubject, end: AbortSignal) => {
    const { subject, request } = polled;
    const resumed = !!polled.position;
    const earlier: ServerEvent[] = [];
    if (request.history && !isPattern(subject)) {
      earlier.push(...events(await ask(`/history?${query(polled, { count: request.history })}`, end)));
      const last = earlier.at(-1);
      if (last?.op === "message" && last.type === "history") polled.position = `${last.epoch}:${last.seq}`;
    }
    if (!polled.position) {
      const answer = await ask(`/poll?${query(polled, { wait: "0ms" })}`, end);
      earlier.push(...events(answer));
      if (answer.epoch !== undefined) polled.position = `${answer.epoch}:${answer.seq}`;
    }
    if (end.aborted) return;
    const [epoch, seq] = polled.position ? parsePosition(polled.position) : [];
    const recovery = resumed ? "complete" : "none";
    owner._onEvent({ op: "subscribed", subject, epoch, seq, recovery });
    for (const event of earlier) owner._onEvent(event);
    polled.confirmed = true;
  };

  const poll = async (polled: PolledSubject, end: AbortSignal) => {
    const wait = turns.length > POLLS_MAX ? WAIT_IN_TURN : WAIT;
    const answer = await ask(`/poll?${query(polled, { wait: `${wait}ms` })}`, end, wait);
    if (end.aborted) return;
    owner._onEvent(undefined);
    for (const event of events(answer)) owner._onEvent(event);
    if (isPattern(polled.subject)) {
      // A pattern has no position, so messages between two polls are lost and the client announces a gap.
      owner._onEvent({ op: "subscribed", subject: polled.subject, recovery: "none" });
    } else if (answer.epoch !== undefined) polled.position = `${answer.epoch}:${answer.seq}`;
  };

  const work = async (waiting: PolledSubject[], end: AbortSignal) => {
    for (let polled = waiting.shift(); polled && !end.aborted; polled = waiting.shift()) {
      await gate.pass();
      await (polled.confirmed ? poll : begin)(polled, end);
      waiting.push(polled);
    }
  };

  const follow = async () => {
    changing = false;
    const signal = calls.nextRound();
    turns = owner
      ._wanted()
      .flatMap((request) =>
        request.subjects.map((subject) => ({ subject, request, position: request.from, confirmed: false })),
      );
    if (!opened) {
      await calls.get("/health/ready");
      opened = true;
      owner._onOpen(false);
    }
    const waiting = [...turns];
    try {
      await Promise.all(turns.slice(0, POLLS_MAX).map(() => work(waiting, signal)));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };

  const start = () => {
    follow().catch((error) => calls.fail(error));
  };

  const send = (command: Command) => {
    if (command.op === "publish") calls.publish(command);
    else if (command.op === "watch") refuse(owner, command);
    else if (command.op === "connect") calls.token = command.token;
    else if (command.op === "ping") {
      ask("/health/ready").then(
        () => calls.closed || owner._onEvent(undefined),
        (error) => calls.fail(error),
      );
    } else if (!changing) {
      changing = true;
      owner._env.setTimeout(() => calls.closed || start(), 0);
    }
  };

  start();
  return {
    _send: send,
    _isFull: () => false,
    _expectsReads: () => turns.length > 0,
    _pauseReading: (pause) => gate.pause(pause),
    _oneStream: true,
    async _close() {
      calls.close();
    },
  };
}

/** Asks again and again for the next messages, for networks that hold back streams; publishes by POST. */
export const longPoll: Transport = { name: "longPoll", _connect: connect };
