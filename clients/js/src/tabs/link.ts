import type { Link, LinkOwner, Transport } from "../link.js";
import type { Command, ServerEvent } from "../protocol.js";
import { isPattern, matcher } from "../subjects.js";
import type { Status } from "../types.js";
import { type Note, openChannel } from "./channel.js";

/** Maximum size in bytes of the events that wait for the answers to subscriptions, and the part of each beside its data. */
const HELD_BYTES_MAX = 16 << 20;
const EVENT_BYTES = 200;

/**
 * The connection of one tab to the leading tab, which may be the same one. `alive` resolves when the tab holds the lock
 * that shows its life; before that the leader would take it for a tab that has ended.
 */
export function tabTransport(
  name: string,
  tab: string,
  alive: Promise<void>,
  onStatus: (status: Status) => void,
): Transport {
  const connect = (owner: LinkOwner): Link => {
    /** The subscriptions that the leader has not answered yet. */
    const waiting = new Map<string, { id: number | undefined; matches: (subject: string) => boolean }>();
    /** Events of their subjects, which follow the answers. */
    let held: ServerEvent[] = [];
    let heldBytes = 0;
    /** Patterns answered since their latest position, which may be that of an earlier time than the answer's. */
    const fresh = new Set<string>();
    let hub: string | undefined;
    let over = false;

    const end = () => {
      over = true;
      channel.post({ kind: "bye", tab });
      channel.close();
    };

    const pass = (event: ServerEvent) => over || owner._onEvent(event);

    const isHeld = ({ subject = "" }: { subject?: string | undefined }) =>
      [...waiting.values()].some(({ matches }) => matches(subject));

    /** Passes an event for all tabs on, or holds it. */
    const receiveShared = (event: ServerEvent) => {
      if (event.op === "position") {
        const { subject = "" } = event;
        if (!waiting.has(subject) && !fresh.delete(subject)) pass(event);
      } else if (!isHeld(event as { subject?: string })) {
        pass(event);
      } else if ((heldBytes += EVENT_BYTES + (event.op === "message" ? event.bytes.length : 0)) > HELD_BYTES_MAX) {
        // The subscriptions begin again, from the positions that they have reached.
        end();
        owner._onEnd({ code: "slow-consumer", reason: "too much arrived before the answer to a subscription" });
      } else {
        held.push(event);
      }
    };

    /** Passes the answers to subscriptions on, then what waited for them. */
    const release = (subjects: string[], answers: ServerEvent[] = []) => {
      for (const subject of subjects) waiting.delete(subject);
      // The client may subscribe again at once.
      for (const event of answers) pass(event);
      if (!subjects.length) return;
      const events = held;
      held = [];
      heldBytes = 0;
      for (const event of events) receiveShared(event);
    };

    const answered = (events: ServerEvent[]) => {
      const subjects = events.flatMap((event) =>
        // A late answer to an earlier request has another id.
        (event.op === "subscribed" || event.op === "error") && waiting.get(event.subject ?? "")?.id === event.id
          ? (event.subject ?? [])
          : [],
      );
      for (const subject of subjects) if (isPattern(subject)) fresh.add(subject);
      release(subjects, events);
    };

    const receive = (note: Note) => {
      if (over || ("tab" in note && note.tab !== tab)) return;
      switch (note.kind) {
        case "leads":
          if (!hub) {
            hello();
          } else if (hub !== note.hub) {
            end();
            owner._onEvent({ op: "reconnect", after: 0, reason: "leader-changed" });
            owner._onEnd({ code: "leader-changed", reason: "another tab has the connection now" });
          }
          break;
        case "welcome":
          if (hub) break;
          hub = note.hub;
          onStatus(note.status);
          owner._onOpen();
          break;
        case "events":
          answered(note.events);
          break;
        case "event":
          if (hub) receiveShared(note.event);
          break;
        case "status":
          if (hub) onStatus(note.status);
          break;
        case "refused":
          end();
          owner._onEnd(note.ending);
      }
    };

    const send = (command: Command) => {
      if (command.op === "subscribe") {
        for (const subject of command.subjects) {
          const pattern = isPattern(subject) && matcher(subject);
          const matches = pattern ? (other: string) => pattern.test(other) : (other: string) => other === subject;
          waiting.set(subject, { id: command.id, matches });
        }
      } else if (command.op === "unsubscribe") {
        release(command.subjects);
      }
      if (!over) channel.post({ kind: "command", tab, command });
    };

    const hello = () => void alive.then(() => over || channel.post({ kind: "hello", tab }));
    const channel = openChannel(name, receive);
    hello();
    return {
      _send: send,
      _isFull: () => false,
      _expectsReads: () => true,
      async _close() {
        if (!over) end();
      },
    };
  };
  // Like a poll, the leader reads for each subscription on its own, and omits nothing that another one has received.
  return { name: "longPoll", _connect: connect };
}
