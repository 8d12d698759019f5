import { connect } from "../client.js";
import type { Client, ClientOptions, Status } from "../types.js";
import { lead } from "./hub.js";
import { tabTransport } from "./link.js";

/** The options of a client, and the group of tabs that share its connection. */
export interface TabsOptions extends ClientOptions {
  /** Name of the group of tabs that share a connection; default: the servers. */
  group?: string | undefined;
  /**
   * Makes the clients; default: `connect`. With `connectPatterns` of `belfry-client/patterns` patterns have positions. All tabs
   * of a group use the same.
   */
  connect?: ((options: ClientOptions) => Client) | undefined;
}

/**
 * Connects like `connect`, but all tabs and windows of an origin share one connection. One tab, elected by a Web Lock,
 * has it; when this tab is closed, another takes over and resumes from the positions of all. Without Web Locks or
 * BroadcastChannel, such as outside a secure context, each tab has its own connection.
 */
export function connectTabs(options: TabsOptions): Client {
  const { locks } = globalThis.navigator ?? {};
  const { connect: make = connect } = options;
  if (!locks || !("BroadcastChannel" in globalThis)) return make(options);
  // The number is that of the notes between tabs: pages of an earlier release do not understand others.
  const name = `belfry 1 ${options.group ?? JSON.stringify(options.servers)}`;
  const tab = crypto.randomUUID();
  const { onStatus } = options;
  let latest: Client["status"] = "connecting";
  let stopLeading: (() => Promise<void>) | undefined;
  let release: () => void = () => {};
  const end = new AbortController();

  const report = (status: Status) => {
    if (status.type === "connecting" || status.type === "connected" || status.type === "disconnected") {
      latest = status.type;
    }
    onStatus?.(status);
  };

  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  // While a tab lives it holds a lock of its own, which shows the leader when it has ended.
  const alive = new Promise<void>((resolve) => {
    void locks.request(`${name} ${tab}`, () => {
      resolve();
      return held;
    });
  });
  const client = make({
    ...options,
    token: undefined,
    signal: undefined,
    reconnect: { quickPause: 50, firstPause: 50, longestPause: 1000 },
    transports: [tabTransport(name, tab, alive, report)],
    onStatus(status) {
      // The state of the shared connection is reported instead of that of the way to the leading tab.
      if (!/^(connecting|connected|disconnected|reconnect-asked)$/.test(status.type)) report(status);
    },
  });

  locks
    .request(name, { signal: end.signal }, () => {
      if (end.signal.aborted) return undefined;
      const gone = (other: string, then: () => void) => {
        locks.request(`${name} ${other}`, { signal: end.signal }, then).catch(() => {});
      };
      stopLeading = lead(name, options, make, gone);
      return held;
    })
    .catch(() => {});

  const close = async () => {
    options.signal?.removeEventListener("abort", close);
    end.abort();
    await client.close();
    await stopLeading?.();
    release();
  };
  options.signal?.addEventListener("abort", close);

  const { status: _ignored, ...rest } = Object.getOwnPropertyDescriptors(client);
  return Object.defineProperties({} as Client, {
    ...rest,
    status: {
      get: () => (client.status === "refused" || client.status === "closed" ? client.status : latest),
      enumerable: true,
    },
    close: { value: close, enumerable: true },
    [Symbol.asyncDispose]: { value: close },
  });
}
