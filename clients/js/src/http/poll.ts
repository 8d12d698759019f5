import { decodeJson } from "../json.js";
import type { LinkOwner, Transport } from "../link.js";
import { parsePosition, position } from "../positions.js";
import type { ServerEvent, SubscribeCommand } from "../protocol.js";
import { isPattern } from "../subjects.js";
import { type Calls, type Gate, queryOf } from "./calls.js";
import { createHttpLink, type Receiving } from "./link.js";

interface PolledSubject {
  readonly subject: string;
  readonly _request: SubscribeCommand;
  _position: string | undefined;
  /** Whether the subscription was confirmed. */
  _confirmed: boolean;
}

interface Answer {
  epoch?: number;
  seq?: number;
  messages: object[];
}

function polling(owner: LinkOwner, calls: Calls, gate: Gate): Receiving {
  /** Browsers open six connections to a server; one remains for publishing and one for the page. */
  const POLLS_MAX = 4;
  const WAIT = 25_000;
  /** With more subjects than polls each poll takes turns. */
  const WAIT_IN_TURN = 1000;
  /** Time after which a request without an answer has failed, in addition to its wait. */
  const ANSWER = 10_000;

  let turns: PolledSubject[] = [];

  const events = ({ messages }: Answer): ServerEvent[] => messages.map((one) => decodeJson(JSON.stringify(one)));

  const query = ({ subject, _position: from }: PolledSubject, more: object) => queryOf({ subject, from, ...more });

  /** Continues after a position, if there is one. */
  const moveTo = (polled: PolledSubject, { epoch, seq }: { epoch?: number; seq?: number }) => {
    if (epoch !== undefined) polled._position = position(epoch, seq as number);
  };

  const ask = async (target: string, end: AbortSignal, wait = 0): Promise<Answer> => {
    const ms = wait + ANSWER;
    const timer = owner._env.setTimeout(() => calls._fail(new Error(`no answer within ${ms} ms`)), ms);
    try {
      return (await (await calls._get(target, {}, end)).json()) as Answer;
    } finally {
      owner._env.clearTimeout(timer);
    }
  };

  /** Begins to follow a subject: earlier messages first, then the position from which polls continue. */
  const begin = async (polled: PolledSubject, end: AbortSignal) => {
    const { subject, _request } = polled;
    const recovery = polled._position ? "complete" : "none";
    const earlier: ServerEvent[] = [];
    // Only plain subjects have a history.
    if (_request.history) {
      earlier.push(...events(await ask(`/history?${query(polled, { count: _request.history })}`, end)));
      const last = earlier.at(-1);
      if (last?.op === "message" && last.type === "history") moveTo(polled, last);
    }
    if (!polled._position) {
      const answer = await ask(`/poll?${query(polled, { wait: "0ms" })}`, end);
      earlier.push(...events(answer));
      moveTo(polled, answer);
    }
    if (end.aborted) return;
    const [epoch, seq] = polled._position ? parsePosition(polled._position) : [];
    owner._onEvent({ op: "subscribed", subject, epoch, seq, recovery });
    for (const event of earlier) owner._onEvent(event);
    polled._confirmed = true;
  };

  const poll = async (polled: PolledSubject, end: AbortSignal) => {
    const wait = turns.length > POLLS_MAX ? WAIT_IN_TURN : WAIT;
    const answer = await ask(`/poll?${query(polled, { wait: `${wait}ms` })}`, end, wait);
    if (end.aborted) return;
    owner._onEvent();
    for (const event of events(answer)) owner._onEvent(event);
    if (isPattern(polled.subject)) {
      // A pattern has no position, so messages between two polls are lost and the client announces a gap.
      owner._onEvent({ op: "subscribed", subject: polled.subject, recovery: "none" });
    } else moveTo(polled, answer);
  };

  const work = async (waiting: PolledSubject[], end: AbortSignal) => {
    for (let polled = waiting.shift(); polled && !end.aborted; polled = waiting.shift()) {
      await gate._pass();
      await (polled._confirmed ? poll : begin)(polled, end);
      waiting.push(polled);
    }
  };

  return {
    _opensEarly: true,
    async _follow(wanted, signal) {
      turns = wanted.flatMap((_request) =>
        _request.subjects.map((subject) => ({ subject, _request, _position: _request.from, _confirmed: false })),
      );
      const waiting = [...turns];
      await Promise.all(turns.slice(0, POLLS_MAX).map(() => work(waiting, signal)));
    },
  };
}

/** Asks again and again for the next messages, for networks that hold back streams; publishes by POST. */
export const longPoll: Transport = {
  name: "longPoll",
  _connect: (owner) => createHttpLink(owner, (calls, gate) => polling(owner, calls, gate)),
};
