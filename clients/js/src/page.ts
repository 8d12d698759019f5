import type { Engine } from "./core.js";
import { HIDDEN } from "./subscription.js";
import type { ClientOptions } from "./types.js";

type Listen = (type: string, listener: (event: { persisted?: boolean }) => void, options: object) => void;

interface Page {
  addEventListener?: Listen;
  readonly document?: { readonly visibilityState: string; addEventListener: Listen };
}

/**
 * Follows the life of a page or worker: a page that is visible again, or a network that is back, does not wait. Neither
 * `unload` nor `beforeunload` is used, because they disable the back/forward cache. Returns a function that ends it.
 */
export function followPage(engine: Engine, hidden: ClientOptions["hidden"]): () => void {
  const page = (engine._env.page ?? globalThis) as Page;
  const end = new AbortController();
  const document = page.document;
  const closeAfter = typeof hidden === "object" ? hidden.closeAfter : undefined;
  let closing: (() => void) | undefined;

  const listen = (to: { addEventListener?: Listen } | undefined, types: string, then: (persisted: boolean) => void) => {
    for (const type of types.split(" ")) {
      to?.addEventListener?.(type, (event) => then(!!event.persisted), { signal: end.signal });
    }
  };
  const visibility = () => {
    const isHidden = document?.visibilityState === "hidden";
    closing?.();
    if (isHidden && closeAfter !== undefined) closing = engine._later(() => engine._suspend(), closeAfter);
    for (const subscription of engine._registry._all.values())
      subscription._hold(HIDDEN, isHidden && hidden === "pause");
    if (!isHidden) engine._wake();
  };
  const wake = () => engine._wake(true);

  listen(page, "pageshow", (persisted) => persisted && engine._wake());
  // A page in the back/forward cache must not hold a socket.
  listen(page, "pagehide", (persisted) => persisted && engine._suspend());
  listen(page, "online", () => engine._networkChanged());
  listen(page, "online offline", wake);
  listen(document, "visibilitychange", visibility);
  listen(document, "resume", wake);
  return () => end.abort();
}
