import { ApiError, request } from "./api.js";
import type { Line } from "./types.js";

/** Time in ms without data after which the stream counts as broken; a live stream has a line each second. */
const SILENCE = 6000;
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 10_000;

/** Receives the lines of the stream and the state of the connection. */
export interface StreamOwner {
  /** Returns the number of the last second received; the server sends the later seconds. */
  after(): number;
  onLines(lines: Line[]): void;
  /** The stream failed; the next attempt begins after `pause` ms. */
  onFailure(error: unknown, pause: number): void;
}

/**
 * Reads the stream of seconds, and opens it again when it ends. After failures, the pause before the next attempt grows
 * from 1 s to 10 s.
 */
export class SecondStream {
  readonly #owner: StreamOwner;
  #run: AbortController | undefined;

  constructor(owner: StreamOwner) {
    this.#owner = owner;
  }

  get running(): boolean {
    return this.#run !== undefined;
  }

  start(): void {
    if (this.#run) return;
    this.#run = new AbortController();
    void this.#read(this.#run.signal);
  }

  stop(): void {
    this.#run?.abort();
    this.#run = undefined;
  }

  restart(): void {
    this.stop();
    this.start();
  }

  async #read(signal: AbortSignal): Promise<void> {
    let pause = 0;
    while (!signal.aborted) {
      let failure: unknown;
      try {
        if (await this.#once(signal)) pause = 0;
        else failure = new ApiError(0, "empty", "The stream ended without data.");
      } catch (error) {
        failure = error;
      }
      if (signal.aborted) return;
      if (failure === undefined) continue;
      if (failure instanceof ApiError && failure.status === 401) {
        this.stop();
        return;
      }
      pause = Math.min(LONGEST_PAUSE, pause * 2 || FIRST_PAUSE);
      this.#owner.onFailure(failure, pause);
      await sleep(pause, signal);
    }
  }

  /** Reads one response to its end; returns whether it had lines. */
  async #once(signal: AbortSignal): Promise<boolean> {
    const attempt = new AbortController();
    const end = () => attempt.abort();
    signal.addEventListener("abort", end);
    let watchdog = setTimeout(end, SILENCE);
    try {
      const response = await request(`stream?after=${this.#owner.after()}`, { signal: attempt.signal });
      if (!response.body) return false;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      let any = false;
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return any;
        clearTimeout(watchdog);
        watchdog = setTimeout(end, SILENCE);
        const parts = (rest + value).split("\n");
        rest = parts.pop() ?? "";
        const lines = parts.filter((part) => part.trim()).map((part) => JSON.parse(part) as Line);
        if (lines.length && !signal.aborted) {
          any = true;
          this.#owner.onLines(lines);
        }
      }
    } finally {
      clearTimeout(watchdog);
      signal.removeEventListener("abort", end);
      attempt.abort();
    }
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
