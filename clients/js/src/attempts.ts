import { invalid } from "./errors.js";
import type { Ending, Transport } from "./link.js";
import { concernsServerOnly, isAboutToken } from "./refusals.js";
import type { ClientOptions, Environment } from "./types.js";
import { webSocket } from "./websocket.js";

export interface Server {
  readonly _url: string;
  readonly _weight: number;
  /** End of the avoidance after a failure; 0 if it is not avoided. */
  _until: number;
}

/** Chooses server, transport and time of each attempt. */
export interface Attempts {
  /** Number of attempts since the last stable connection. */
  _count: number;
  /** Time before which the server does not want to see this client. */
  _until: number;
  /** Returns the next server, at random by weight and one that did not fail recently if possible; and the transport. */
  _next(): [Server, Transport];
  /**
   * Records the end of a connection; returns the pause before the next attempt in ms. `proven` is whether the transport
   * delivered an event, undefined if it was not tried.
   */
  _pause(ending: Ending, server: Server, upFor: number, proven: boolean | undefined): number;
  _firstTransport(): void;
}

function parse(entry: string | { url: string; weight?: number | undefined }): Server {
  const { url, weight = 1 } = typeof entry === "string" ? { url: entry } : entry;
  const match = /^(ws|http)(s?:\/\/[^/?#@]+(\/[^?#]*)?)$/.exec(url);
  if (!match || !(weight >= 1)) {
    throw invalid("bad-server", `${url} is not a ws:// or wss:// URL of a weight >= 1`);
  }
  return { _url: `ws${match[2]}`, _weight: weight, _until: 0 };
}

export function createAttempts(options: ClientOptions, { now, random }: Environment): Attempts {
  const { transports = [webSocket] } = options;
  const {
    quickAttempts = 3,
    quickPause = 500,
    firstPause = 1000,
    longestPause = 30_000,
    stableAfter = 10_000,
    avoidFailedFor = 30_000,
  } = options.reconnect ?? {};
  const servers = [options.servers].flat().map(parse);
  if (!servers.length) throw invalid("bad-server", "no server is given");
  const available = () => servers.filter((server) => server._until <= now());
  let transportAt = 0;
  let transportFailures = 0;

  const attempts: Attempts = {
    _count: 0,
    _until: 0,
    _next() {
      let left = available().reduce((sum, server) => sum + server._weight, 0) * random();
      const server =
        available().find((server) => (left -= server._weight) < 0) ??
        // All are avoided: the one that was avoided the longest is next.
        servers.reduce((longest, server) => (server._until < longest._until ? server : longest));
      return [server, transports[transportAt % transports.length] as Transport];
    },
    _pause(ending, server, upFor, proven) {
      const { retryAfter = 0 } = ending;
      const aboutToken = isAboutToken(ending);
      const serverOnly = concernsServerOnly(ending);
      if (upFor >= stableAfter) attempts._count = 0;
      // A transport that delivered an event is kept until it fails twice; one that never did is replaced by the next.
      if (proven) transportFailures = -1;
      else if (proven === false && !serverOnly && !aboutToken && ++transportFailures > 0) transportAt++;
      server._until = now() + Math.max(avoidFailedFor, retryAfter);
      const asked = serverOnly && available().length ? 0 : retryAfter;
      // A refused token needs time to be replaced, and a server that asks clients to wait is overloaded: neither is
      // retried as quickly as a lost connection.
      if (aboutToken || asked) attempts._count = Math.max(attempts._count, quickAttempts);
      const slow = attempts._count++ - quickAttempts;
      const bound = slow < 0 ? quickPause : Math.min(longestPause, firstPause * 2 ** slow);
      // Clients that were refused together got the same time to wait; the random pause of each begins after it.
      attempts._until = now() + asked;
      return asked + Math.max(aboutToken ? firstPause : 0, Math.floor(random() * (bound + 1)));
    },
    _firstTransport() {
      transportAt = transportFailures = 0;
    },
  };
  return attempts;
}
