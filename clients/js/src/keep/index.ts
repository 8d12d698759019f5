import type { Link, LinkOwner, Transport } from "../link.js";
import { encodeText } from "../payload.js";
import { parsePosition } from "../positions.js";
import type { Command, ServerEvent, SubscribeCommand } from "../protocol.js";
import { isPattern, withoutKey } from "../subjects.js";
import type { Environment } from "../types.js";

export type { Transport } from "../link.js";

/** Maximum number of positions in one command. */
const POSITIONS_MAX = 1000;
/** Positions may be so many times as long as a message. A command of more than six times its length ends the session. */
const SIZE_FACTOR = 4;

/** A subscription of one connection. */
interface Requested {
  /** Id of the latest request that has no answer; 0 if the server confirmed the subscription. */
  _request: number;
  readonly _conflate: number | undefined;
}

/** The latest session of a client that the server accepted. */
interface Session {
  /** Empty if the server does not keep the session. */
  _id: string;
  /** Time in ms for which the server keeps it. */
  _keep: number;
  /** Maximum size in bytes of a message. */
  _maxMessage: number;
  /** Time at which the server forgets it; infinite while it is connected. */
  _until: number;
  /** The subscriptions by subject; without those that ended, and without patterns. */
  _subscriptions: ReadonlyMap<string, Requested>;
}

/**
 * Makes a transport that asks the server to keep the session after a lost connection. The next connection then continues
 * it with one command, from the positions of all subjects, if client and server agree on the subjects; otherwise
 * everything is subscribed again. The server keeps no patterns: each is subscribed again, from its position of
 * `connectPatterns`. For `webSocket`; other transports stay as they are.
 */
export function keepSession(transport: Transport): Transport {
  /** Several clients may have the same transports; each has an environment of its own. */
  const sessions = new WeakMap<Environment, Session>();
  return {
    name: transport.name,
    _connect(owner) {
      const session = sessions.get(owner._env) ?? {
        _id: "",
        _keep: 0,
        _maxMessage: 0,
        _until: 0,
        _subscriptions: new Map(),
      };
      sessions.set(owner._env, session);
      return connect(transport, owner, session);
    },
  };
}

/** Connects; `session` is the one before, until the server has answered. */
function connect(transport: Transport, owner: LinkOwner, session: Session): Link {
  const { now } = owner._env;
  const subscriptions = new Map<string, Requested>();
  /** The requests that need not be sent if the session continues. */
  let continued: SubscribeCommand[] = [];
  /** Later commands, which wait until the server has answered whether it continues; otherwise undefined. */
  let held: Command[] | undefined;

  const send = (command: Command) => {
    if (command.op === "subscribe" || command.op === "unsubscribe") {
      const conflate = command.op === "subscribe" ? command.conflate : undefined;
      for (const subject of command.subjects) {
        if (!isPattern(subject))
          subscriptions.set(withoutKey(subject), { _request: command.id as number, _conflate: conflate });
      }
    }
    if (held) held.push(command);
    else link._send(command);
  };

  /** Whether the lost session has exactly these subscriptions, all confirmed, and each has a position. */
  const canContinue = (wanted: SubscribeCommand[], positions: string[]) => {
    const { _id, _maxMessage, _until, _subscriptions } = session;
    const isServed = ({ subjects: [subject = ""], conflate }: SubscribeCommand) => {
      const served = _subscriptions.get(withoutKey(subject));
      return served?._request === 0 && served._conflate === conflate;
    };
    // A command with a position has one subject.
    const { length } = wanted;
    return (
      _id &&
      now() <= _until &&
      length &&
      length <= POSITIONS_MAX &&
      length === _subscriptions.size &&
      encodeText(JSON.stringify(positions)).length <= SIZE_FACTOR * _maxMessage &&
      wanted.every(isServed)
    );
  };

  /** Sends `connect`, and the other commands unless they depend on its answer. */
  const open = ([first, ...others]: Command[]) => {
    if (first?.op !== "connect") return;
    const requests = others.filter((command) => command.op === "subscribe");
    const wanted = requests.filter(({ subjects }) => !subjects.some(isPattern));
    const positions = wanted.flatMap(({ subjects, from = "" }) => [...subjects.map(withoutKey), from]);
    // A pattern without a position needs bridges, which are subjects.
    if (requests.every(({ from }) => from) && canContinue(wanted, positions)) {
      continued = wanted;
      held = others.filter((command) => !wanted.includes(command as SubscribeCommand));
      link._send({ ...first, session: session._id, positions });
    } else {
      held = undefined;
      for (const command of [{ ...first, session: "" }, ...others]) link._send(command);
    }
  };

  const connected = (event: Extract<ServerEvent, { op: "connected" }>) => {
    const { keep = 0, maxMessage, resumed } = event;
    session._id = keep ? event.session : "";
    session._keep = keep;
    session._maxMessage = maxMessage;
    session._until = Number.POSITIVE_INFINITY;
    session._subscriptions = subscriptions;
    const requests = continued;
    const waiting = held ?? [];
    continued = [];
    held = undefined;
    for (const command of resumed ? waiting : [...requests, ...waiting]) link._send(command);
    owner._onEvent(event);
    if (!resumed) return;
    // The server confirms the session as a whole, and the client each subscription.
    for (const { id, subjects, from = "" } of requests) {
      const [epoch, seq] = parsePosition(from);
      for (const subject of subjects.map(withoutKey))
        receive({ op: "subscribed", id, subject, epoch, seq, recovery: "complete" });
    }
  };

  /** Records which subscriptions the server has. */
  const record = (event: ServerEvent) => {
    if (event.op !== "subscribed" && event.op !== "unsubscribed" && event.op !== "error") return;
    const { id = 0, subject = "" } = event;
    const requested = subscriptions.get(subject);
    if (requested?._request !== id) return;
    if (event.op === "subscribed") requested._request = 0;
    // A command that is refused for a rate is sent again.
    else if (event.op === "unsubscribed" || event.code !== "command-rate") subscriptions.delete(subject);
  };

  const receive = (event: ServerEvent | undefined) => {
    if (event?.op === "connected") {
      connected(event);
    } else {
      if (event) record(event);
      owner._onEvent(event);
    }
  };

  const link = transport._connect({
    ...owner,
    _onOpen(ping) {
      if (ping === undefined) {
        const commands: Command[] = [];
        held = commands;
        owner._onOpen();
        open(commands);
      } else {
        owner._onOpen(ping);
      }
    },
    _onEvent: receive,
    _onEnd(ending) {
      // Another connection has the session now.
      if (ending.code === "session-taken") session._id = "";
      owner._onEnd(ending);
    },
  });

  return {
    ...link,
    _send: send,
    _close() {
      if (session._subscriptions === subscriptions) session._until = now() + session._keep;
      return link._close();
    },
  };
}
