import { useSyncExternalStore } from "react";
import type { Client } from "../types.js";
import { empty, type SubjectState, storeOf, type UseSubjectOptions } from "./store.js";

export type { SubjectState, UseSubjectOptions } from "./store.js";

/**
 * Subscribes a subject or pattern while a component is mounted, and renders it after changes, at most once per frame.
 * Components that use the same subject of a client share one subscription; the options of the first one apply. On a
 * server the state is empty.
 */
export function useSubject<T = string>(
  client: Client,
  subject: string,
  options: UseSubjectOptions<T> = {},
): SubjectState<T> {
  const store = storeOf<T>(client, subject, options);
  return useSyncExternalStore(store.subscribe, store.get, empty<T>);
}
