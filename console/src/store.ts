import { ApiError } from "./api.js";
import { SecondStream } from "./stream.js";
import type { Hello, Line, Me, Second, State } from "./types.js";

/** Number of seconds that the pages show. */
export const SECONDS = 600;
/** Time in ms for which changes are collected before the pages refresh once. */
const TOGETHER = 40;

/** A failure of the stream: the time of the last data, the reason, and the time of the next attempt. */
export interface Outage {
  readonly sinceMillis: number;
  readonly reason: string;
  readonly nextAttemptMillis: number;
}

/**
 * Holds the data of the stream: at most 600 seconds and the latest state. Sends the event `change` once for lines that
 * arrive together. The stream is closed while the page is hidden. When the page is visible again, the store fetches
 * only the missing seconds.
 */
export class Store extends EventTarget {
  me: Me | undefined;
  hello: Hello | undefined;
  state: State | undefined;
  seconds: Second[] = [];
  outage: Outage | undefined;

  readonly #stream: SecondStream;
  #wanted = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #receivedMillis = Date.now();

  constructor() {
    super();
    this.#stream = new SecondStream({
      after: () => this.latest?.seq ?? 0,
      onLines: (lines) => this.#onLines(lines),
      onFailure: (error, pause) => this.#onFailure(error, pause),
    });
    document.addEventListener("visibilitychange", () => this.#follow());
    globalThis.addEventListener("online", () => this.#stream.running && this.#stream.restart());
  }

  get latest(): Second | undefined {
    return this.seconds.at(-1);
  }

  /** Whether the user may make changes. */
  get mayAct(): boolean {
    return this.me?.role === "act";
  }

  /** Time of the latest second by the server's clock; the pages compute ages from this time. */
  get nowMillis(): number {
    return this.latest?.time ?? Date.now();
  }

  open(me: Me): void {
    this.me = me;
    this.#wanted = true;
    this.#receivedMillis = Date.now();
    this.#follow();
    this.changed();
  }

  close(): void {
    this.me = undefined;
    this.#wanted = false;
    this.outage = undefined;
    this.#forget();
    this.#follow();
    this.changed();
  }

  changed(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.dispatchEvent(new Event("change"));
    }, TOGETHER);
  }

  #follow(): void {
    if (this.#wanted && document.visibilityState !== "hidden") this.#stream.start();
    else this.#stream.stop();
  }

  #onLines(lines: Line[]): void {
    for (const line of lines) {
      if (line.type === "hello") {
        const restarted = this.hello !== undefined && this.hello.run !== line.run;
        this.hello = line;
        if (restarted) {
          // The server restarted, so the numbers of the seconds begin again: fetch all seconds.
          this.#forget();
          this.#stream.restart();
          return;
        }
      } else if (line.type === "second") {
        if (line.seq > (this.latest?.seq ?? 0)) this.seconds.push(line);
      } else if (line.type === "state") this.state = line;
    }
    if (this.seconds.length > SECONDS) this.seconds.splice(0, this.seconds.length - SECONDS);
    this.outage = undefined;
    this.#receivedMillis = Date.now();
    this.changed();
  }

  #onFailure(error: unknown, pause: number): void {
    const reason = error instanceof ApiError ? error.message : "The connection to the server is lost.";
    this.outage = { sinceMillis: this.#receivedMillis, reason, nextAttemptMillis: Date.now() + pause };
    this.changed();
  }

  #forget(): void {
    this.seconds = [];
    this.state = undefined;
  }
}

export const store = new Store();
