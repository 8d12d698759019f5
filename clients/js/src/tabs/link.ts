import type { Link, LinkOwner, Transport } from "../link.js";
import type { Command, ServerEvent } from "../protocol.js";
import type { Status } from "../types.js";
import { type Note, openChannel } from "./channel.js";

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
    /** Messages of subjects whose subscription the leader has not answered yet. */
    const waiting = new Map<string, ServerEvent[]>();
    let hub: string | undefined;
    let over = false;

    const end = () => {
      over = true;
      channel.post({ kind: "bye", tab });
      channel.close();
    };

    const answered = (events: ServerEvent[]) => {
      for (const event of events) {
        owner._onEvent(event);
        if (over) return;
      }
      for (const event of events) {
        const subject = (event.op === "subscribed" || event.op === "error") && event.subject;
        if (!subject) continue;
        const held = waiting.get(subject);
        waiting.delete(subject);
        for (const one of held ?? []) owner._onEvent(one);
      }
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
        case "event": {
          const held = "subject" in note.event && note.event.subject && waiting.get(note.event.subject);
          if (held) held.push(note.event);
          else if (hub) owner._onEvent(note.event);
          break;
        }
        case "status":
          if (hub) onStatus(note.status);
          break;
        case "refused":
          end();
          owner._onEnd(note.ending);
      }
    };

    const send = (command: Command) => {
      if (command.op === "subscribe") for (const subject of command.subjects) waiting.set(subject, []);
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
  return { name: "webSocket", _connect: connect };
}
