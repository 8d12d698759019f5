/** Calls when a signal aborts, soon if it already has. Returns a function that ends this. */
export function onAbort(signal: AbortSignal | undefined, call: () => void): () => void {
  signal?.addEventListener("abort", call);
  if (signal?.aborted) queueMicrotask(call);
  return () => signal?.removeEventListener("abort", call);
}
