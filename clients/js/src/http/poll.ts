import { decodeJson } from "../json.js";
import type { LinkOwner, Transport } from "../link.js";
import { parsePosition, position } from "../positions.js";
import type { ServerEvent, SubscribeCommand, WireMessage } from "../protocol.js";
import { isPattern } from "../subjects.js";
import { type Calls, type Gate, queryOf } from "./calls.js";
import { createHttpLink, type Receiving } from "./link.js";

interface PolledSubject {
  /** The subject as a request names it: an inbox with its key. */
  readonly subject: string;
  readonly _request: SubscribeCommand;
  _position: string | undefined;
  /** Whether the subscription was confirmed. */
  _confirmed: boolean;
}

interface Answer {
  subject: string;
  epoch?: number;
  seq?: number;
  /** Position of a pattern; absent if the server has none. */
  at?: string;
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

  /** Requests what follows the position of a subject, if it has one. */
  const ask = async (
    path: string,
    { subject, _position: from }: PolledSubject,
    more: object,
    end: AbortSignal,
    wait = 0,
  ): Promise<Answer> => {
    const ms = wait + ANSWER;
    const timer = owner._env.setTimeout(() => calls._fail(new Error(`no answer within ${ms} ms`)), ms);
    try {
      return (await (await calls._get(`${path}?${queryOf({ subject, from, ...more })}`, {}, end)).json()) as Answer;
    } finally {
      owner._env.clearTimeout(timer);
    }
  };

  /** Requests the next messages of a subject. The first time its subscription is confirmed, with its earlier messages. */
  const poll = async (polled: PolledSubject, end: AbortSignal) => {
    const { _request, _position, _confirmed } = polled;
    const { history } = _request;
    let earlier: object[] = [];
    // Only plain subjects have a history.
    if (!_confirmed && history) {
      earlier = (await ask("/history", polled, { count: history }, end)).messages;
      const last = earlier.at(-1) as WireMessage | undefined;
      if (last?.type === "history") polled._position = position(last.epoch, last.seq);
    }
    const before = polled._position;
    const ms = _confirmed ? (turns.length > POLLS_MAX ? WAIT_IN_TURN : WAIT) : 0;
    const { messages, subject, at, epoch, seq } = await ask("/poll", polled, { wait: `${ms}ms` }, end, ms);
    if (end.aborted) return;
    owner._onEvent();
    polled._confirmed = true;
    // Each subscription has a session of its own.
    const events = [...earlier, ...messages].map(
      (one) => ({ ...decodeJson(JSON.stringify(one)), only: subject }) as ServerEvent,
    );
    const recovery = !_position ? "none" : events[0]?.op === "gap" ? "gap" : "complete";
    if (isPattern(subject)) {
      polled._position = at;
      // Without a position messages between two polls are lost, and the client announces a gap.
      events.push(
        _confirmed && _position && at ? { op: "position", at, subject } : { op: "subscribed", subject, recovery, at },
      );
    } else {
      polled._position = position(epoch as number, seq as number);
      if (!_confirmed) {
        const [epoch, seq] = parsePosition(before ?? polled._position);
        events.unshift({ op: "subscribed", subject, epoch, seq, recovery });
      }
    }
    for (const event of events) owner._onEvent(event);
  };

  const work = async (waiting: PolledSubject[], end: AbortSignal) => {
    while (!end.aborted) {
      // There are at most as many workers as subjects, so there is one for each.
      const polled = waiting.shift() as PolledSubject;
      await gate._pass();
      await poll(polled, end);
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
