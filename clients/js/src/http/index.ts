export { jsonEncoding } from "../json.js";
export type { Transport } from "../link.js";
export type { Encoding } from "../protocol.js";
export { longPoll } from "./poll.js";
export { withRefusals } from "./refusals.js";
export { httpStream } from "./stream.js";
