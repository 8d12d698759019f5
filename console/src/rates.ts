import type { SubjectChild, SubjectPage } from "./types.js";

/** Messages and bytes per second of a branch; undefined until two answers are known. */
export interface Rate {
  readonly published: number;
  /** Bytes to all subscribers, by the mean size of the messages kept. */
  readonly bytesOut: number;
}

/** Computes rates from the differences of answers about the same branch. */
export class Rates {
  readonly #before = new Map<string, { readonly atMillis: number; readonly published: number; readonly rate?: Rate }>();

  /** Takes an answer; the rates of its children are then known from the second answer on. */
  add(page: SubjectPage): void {
    for (const child of page.children) {
      const path = `${page.under}/${child.name}`;
      const before = this.#before.get(path);
      const seconds = before ? (page.atMillis - before.atMillis) / 1000 : 0;
      // Answers within a second of each other, of two pages for example, give no useful difference.
      if (before && seconds < 0.5) continue;
      const entry = { atMillis: page.atMillis, published: child.published };
      this.#before.set(
        path,
        before ? { ...entry, rate: rateOf(child, child.published - before.published, seconds) } : entry,
      );
    }
  }

  of(under: string, name: string): Rate | undefined {
    return this.#before.get(`${under}/${name}`)?.rate;
  }

  clear(): void {
    this.#before.clear();
  }
}

function rateOf(child: SubjectChild, difference: number, seconds: number): Rate {
  const published = Math.max(0, difference) / seconds;
  const meanBytes = child.messages > 0 ? child.bytes / child.messages : 0;
  return { published, bytesOut: published * meanBytes * child.subscribers };
}
