import { sha256 } from "./requests/sha256.js";

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

/** Returns random bytes as base64url. */
export const randomText = (bytes: number): string => base64url(crypto.getRandomValues(new Uint8Array(bytes)));

/** Returns what others see of a secret key: the first bytes of its hash, as base64url. */
export const nameOf = (key: string, bytes: number): string => base64url(sha256(key).subarray(0, bytes));
