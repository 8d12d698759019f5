export * from "./http/index.js";
export * from "./index.js";
