import { type Engine, HIDDEN } from "./core.js";
import type { ClientOptions } from "./types.js";

type Listeners = { [type: string]: (event: { persisted?: boolean }) => void };

interface Target {
  addEventListener?(type: string, listener: Listeners[string], options: object): void;
}

interface Page extends Target {
  readonly document?: Target & { readonly visibilityState: string };
}

/**
 * Follows the life of a page or worker: a page that is visible again, or a network that is back, does not wait. Neither
 * `unload` nor `beforeunload` is used, because they disable the back/forward cache. Returns a function that ends it.
 */
export function followPage(engine: Engine, hidden: ClientOptions["hidden"]): () => void {
  const page = (engine._env.page ?? globalThis) as Page;
  const end = new AbortController();
  const { signal } = end;
  const { document } = page;
  let closing: (() => void) | undefined;

  const listen = (target: Target | undefined, listeners: Listeners) => {
    for (const type in listeners) target?.addEventListener?.(type, listeners[type] as Listeners[string], { signal });
  };
  const wake = () => engine._wake(true);

  listen(page, {
    pageshow: ({ persisted }) => persisted && engine._wake(),
    // A page in the back/forward cache must not hold a socket.
    pagehide: ({ persisted }) => persisted && engine._suspend(),
    online() {
      engine._networkChanged();
      wake();
    },
    offline: wake,
  });
  listen(document, {
    visibilitychange() {
      const isHidden = document?.visibilityState === "hidden";
      closing?.();
      if (isHidden && typeof hidden === "object") closing = engine._later(() => engine._suspend(), hidden.closeAfter);
      for (const subscription of engine._registry._all.values()) {
        subscription._hold(HIDDEN, isHidden && hidden === "pause");
      }
      if (!isHidden) engine._wake();
    },
    resume: wake,
  });
  return () => end.abort();
}
