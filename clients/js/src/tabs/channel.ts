import type { Ending } from "../link.js";
import type { Command, ServerEvent } from "../protocol.js";
import type { Status } from "../types.js";

/** A message between the tabs of one origin. A tab ignores messages that are addressed to another tab. */
export type Note =
  /** A tab begins to lead. */
  | { kind: "leads"; hub: string }
  /** A tab wants to be served. */
  | { kind: "hello"; tab: string }
  /** The leader serves a tab; its connection has been made. */
  | { kind: "welcome"; tab: string; hub: string; status: Status }
  | { kind: "command"; tab: string; command: Command }
  /** Answers to one tab. */
  | { kind: "events"; tab: string; events: ServerEvent[] }
  /** An event for all tabs. */
  | { kind: "event"; event: ServerEvent }
  | { kind: "status"; status: Status }
  /** The leader's client was refused permanently. */
  | { kind: "refused"; ending: Ending }
  | { kind: "bye"; tab: string };

export interface NoteChannel {
  post(note: Note): void;
  close(): void;
}

/** Opens the channel of a group of tabs. */
export function openChannel(name: string, receive: (note: Note) => void): NoteChannel {
  const channel = new BroadcastChannel(name);
  let open = true;
  channel.onmessage = ({ data }: { data: Note }) => receive(data);
  return {
    post: (note) => {
      if (open) channel.postMessage(note);
    },
    close: () => {
      open = false;
      channel.close();
    },
  };
}
