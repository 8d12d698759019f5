import { invalid } from "./errors.js";
import type { Ending, Transport } from "./link.js";
import { concernsServerOnly, isAboutToken } from "./refusals.js";
import type { ClientOptions, Environment } from "./types.js";
import { webSocket } from "./websocket.js";

interface Server {
  readonly _url: string;
  readonly _weight: number;
  /** End of the avoidance; 0 if it is not avoided. */
  _until: number;
}

/** Chooses server, transport and time of each attempt. */
export interface Attempts {
  /** Returns the next server, at random by weight; servers that failed recently are avoided. */
  _server(): string;
  _transport(): Transport;
  /** Returns the number of attempts since the last stable connection. */
  _count(): number;
  /** Returns the time before which the server does not want to see this client; not in the past. */
  _notBefore(): number;
  _worked(url: string): void;
  /**
   * Records the end of a connection; returns the pause before the next attempt in ms. `proven` is whether the transport
   * delivered an event, undefined if it was not tried.
   */
  _pause(ending: Ending, url: string, upFor: number, proven: boolean | undefined): number;
  _reset(): void;
  _firstTransport(): void;
}

function parse(entry: string | { url: string; weight?: number | undefined }): Server {
  const { url, weight = 1 } = typeof entry === "string" ? { url: entry } : entry;
  const match = /^(ws|http)(s?:\/\/[^/?#@]+(\/[^?#]*)?)$/.exec(url);
  if (!match || !(weight >= 1))
    throw invalid("bad-server", `${url} is not ws://host:port or wss://host of a weight >= 1`);
  return { _url: `ws${match[2]}`, _weight: weight, _until: 0 };
}

export function createAttempts(options: ClientOptions, { now, random }: Environment): Attempts {
  const { transports = [webSocket] } = options;
  const policy = {
    quickAttempts: 3,
    quickPause: 500,
    firstPause: 1000,
    longestPause: 30_000,
    stableAfter: 10_000,
    avoidFailedFor: 30_000,
    ...options.reconnect,
  };
  const { quickAttempts, firstPause } = policy;
  const servers = [options.servers].flat().map(parse);
  if (!servers.length) throw invalid("bad-server", "at least one server is needed");
  const available = () => servers.filter((server) => server._until <= now());
  let count = 0;
  let notBefore = 0;
  let transportAt = 0;
  let transportFailures = 0;

  const avoid = (url: string, until: number) => {
    for (const server of servers) if (server._url === url) server._until = until;
  };

  return {
    _server() {
      let left = available().reduce((sum, server) => sum + server._weight, 0) * random();
      for (const server of available()) {
        left -= server._weight;
        if (left < 0) return server._url;
      }
      // All are avoided: the one that was avoided the longest is next.
      return servers.reduce((longest, server) => (server._until < longest._until ? server : longest))._url;
    },
    _transport: () => transports[transportAt % transports.length] as Transport,
    _count: () => count,
    _notBefore: () => Math.max(notBefore, now()),
    _worked: (url) => avoid(url, 0),
    _pause(ending, url, upFor, proven) {
      const { retryAfter = 0 } = ending;
      const aboutToken = isAboutToken(ending);
      const serverOnly = concernsServerOnly(ending);
      if (upFor >= policy.stableAfter) count = 0;
      // A transport that delivered an event is kept until it fails twice; one that never did is replaced by the next.
      if (proven) transportFailures = -1;
      else if (proven === false && !serverOnly && !aboutToken && ++transportFailures > 0) transportAt++;
      avoid(url, now() + Math.max(policy.avoidFailedFor, retryAfter));
      const asked = serverOnly && available().length ? 0 : retryAfter;
      // A refused token needs time to be replaced, and a server that asks clients to wait is overloaded: neither is
      // retried as quickly as a lost connection.
      if (aboutToken || asked) count = Math.max(count, quickAttempts);
      const bound =
        count < quickAttempts
          ? policy.quickPause
          : Math.min(policy.longestPause, firstPause * 2 ** (count - quickAttempts));
      count++;
      // Clients that were refused together got the same time to wait; the random pause of each begins after it.
      notBefore = now() + asked;
      return asked + Math.max(aboutToken ? firstPause : 0, Math.floor(random() * (bound + 1)));
    },
    _reset() {
      count = 0;
    },
    _firstTransport() {
      transportAt = transportFailures = 0;
    },
  };
}
