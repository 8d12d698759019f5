import type { Command, Encoding, ServerEvent } from "./protocol.js";

const encoder = new TextEncoder();
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function textOrBase64(data: Uint8Array): { data: string } | { base64: string } {
  try {
    return { data: strict.decode(data) };
  } catch {
    return { base64: btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join("")) };
  }
}

function encode(command: Command): string {
  if (command.op !== "publish") return JSON.stringify(command);
  const { data, ...rest } = command;
  return JSON.stringify({ ...rest, ...textOrBase64(data) });
}

type JsonMessage = { data?: string; base64?: string };

/** Parses one event in JSON, as a text frame or a line of a stream. */
export function decodeJson(text: string): ServerEvent {
  const event = JSON.parse(text) as ServerEvent;
  if (event.op !== "message") return event;
  const { data, base64 } = event as JsonMessage;
  const bytes =
    data === undefined ? Uint8Array.from(atob(base64 as string), (c) => c.charCodeAt(0)) : encoder.encode(data);
  const { subject, epoch, seq, time, prev = -1, type = "live", retained = false, headers = {} } = event;
  return { op: "message", subject, bytes, epoch, seq, prev, time, type, retained, headers };
}

/** The encoding `belfry.json.v1`, for debugging: its frames can be read in the browser's tools. */
export const jsonEncoding: Encoding = () => ({
  _protocol: "belfry.json.v1",
  _encode: encode,
  _decode: (frame) => decodeJson(frame as string),
});
