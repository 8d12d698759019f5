export { connect } from "./client.js";
export { BelfryError, type FailureKind } from "./errors.js";
export type { Transport } from "./link.js";
export { bytes, json, text } from "./payload.js";
export type { Position } from "./positions.js";
export type * from "./types.js";
export { watch } from "./watch.js";
export { webSocket } from "./websocket.js";
