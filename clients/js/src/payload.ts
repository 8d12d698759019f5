import { invalid } from "./errors.js";
import type { Headers, Payload } from "./types.js";

const encoder = new TextEncoder();
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Decodes a payload as text; the default. */
export const text = (bytes: Uint8Array): string => utf8.decode(bytes);

/** Decodes a payload as JSON. The type is not checked. */
export const json = <T = unknown>(bytes: Uint8Array): T => JSON.parse(text(bytes)) as T;

/** Leaves a payload as bytes. */
export const bytes = (payload: Uint8Array): Uint8Array => payload;

export const encodeText = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);

export function encodePayload(data: Payload): Uint8Array {
  if (data instanceof Uint8Array) return data;
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  return encodeText(typeof data === "string" ? data : JSON.stringify(data));
}

/** Returns the bytes of headers as the server counts them. Throws if their number, a name or their size is not allowed. */
export function headersLength(headers: Headers = {}): number {
  const all = Object.entries(headers);
  let length = 0;
  for (const [name, value] of all) {
    const bytes = encodeText(name).length;
    length += 3 + bytes + encodeText(value).length;
    if (!bytes || bytes > 64 || name[0] === "$" || length > 65_535 || all[16]) throw invalid("bad-headers", name);
  }
  return length;
}
