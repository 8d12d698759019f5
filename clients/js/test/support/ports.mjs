import { createServer } from "node:net";

const FIRST = 10_000;
const COUNT = 5_000;

/** The port to try next, counted from the first. Processes that run at the same time search in different places. */
let next = Math.floor(Math.random() * COUNT);

function isFree(port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}

/**
 * Returns a free port of loopback. A server binds it later, and again after a restart. It is therefore below the ports
 * that an operating system gives to outgoing connections and for port 0, of which other tests take thousands.
 */
export async function freePort() {
  for (;;) {
    const port = FIRST + next;
    next = (next + 1) % COUNT;
    if (await isFree(port)) return port;
  }
}
