import type { Ending, LinkOwner } from "../link.js";
import type { PublishCommand, ServerEvent } from "../protocol.js";

/** Codes that concern the connection and not the request: the outcome is unknown, as after a broken connection. */
const OF_CONNECTION = /^(drain|shutdown|not-ready|slow-consumer|ping-timeout|handshake-timeout)$/;

/** A refusal or failure of one request. */
export class CallFailure extends Error {
  readonly ending: Ending;
  /** Time in ms after which one request is accepted again. */
  readonly after: number;

  constructor(ending: Ending, after = 0) {
    super(ending.reason);
    this.ending = ending;
    this.after = after;
  }
}

/** The HTTP requests of one link. */
export class Calls {
  readonly #owner: LinkOwner;
  readonly #end = new AbortController();
  #round = new AbortController();
  readonly #base: string;
  readonly #queue: PublishCommand[] = [];
  #publishing = false;
  #answered = false;
  token: string | undefined;

  constructor(owner: LinkOwner) {
    this.#owner = owner;
    this.#base = owner._url.replace(/^ws/, "http").replace(/\/$/, "");
    this.token = owner._token;
  }

  get closed(): boolean {
    return this.#end.signal.aborted;
  }

  /** Aborts everything; nothing is reported any more. */
  close(): void {
    this.#end.abort();
    this.#round.abort();
  }

  /** Begins a round of requests: aborts those of the previous round. The end of the link aborts this one too. */
  nextRound(): AbortSignal {
    this.#round.abort();
    this.#round = new AbortController();
    if (this.closed) this.#round.abort();
    return this.#round.signal;
  }

  /** Requests; throws a `CallFailure` unless the status is 200. */
  async get(target: string, init: RequestInit = {}, signal = this.#end.signal): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.token) headers.set("Authorization", `Bearer ${this.token}`);
    const request = () => fetch(this.#base + target, { ...init, headers, signal, cache: "no-store" });
    const repeats = this.#answered && !init.method;
    let response: Response;
    try {
      // The server closes idle connections. A request that was sent just then is repeated; browsers do this themselves.
      response = await request().catch((error) => (repeats && !signal.aborted ? request() : Promise.reject(error)));
    } catch (error) {
      throw new CallFailure({ code: "unreachable", reason: `${error}` });
    }
    this.#answered = true;
    if (response.status === 200) return response;
    throw await refusal(response);
  }

  /** Ends the link because of an exception, unless the link was closed. */
  fail(error: unknown): void {
    if (this.closed) return;
    this.close();
    this.#owner._onEnd(error instanceof CallFailure ? error.ending : { code: "connection-lost", reason: `${error}` });
  }

  /** Publishes, one message after the other, so that they arrive in order. */
  publish(command: PublishCommand): void {
    this.#queue.push(command);
    if (!this.#publishing) void this.#publishAll();
  }

  async #publishAll(): Promise<void> {
    this.#publishing = true;
    for (let command = this.#queue.shift(); command && !this.closed; command = this.#queue.shift()) {
      try {
        this.#owner._onEvent(await this.#post(command));
      } catch (error) {
        this.fail(error);
      }
    }
    this.#publishing = false;
  }

  async #post({ id, subject, data, retain, msgId }: PublishCommand): Promise<ServerEvent> {
    const query = new URLSearchParams({ subject });
    if (retain) query.set("retain", "true");
    if (msgId) query.set("msgId", msgId);
    try {
      const response = await this.get(`/publish?${query}`, { method: "POST", body: data as Uint8Array<ArrayBuffer> });
      const { epoch, seq } = (await response.json()) as { epoch: number; seq: number };
      return { op: "published", id, epoch, seq };
    } catch (error) {
      if (!(error instanceof CallFailure) || !error.ending.number) throw error;
      const { code, reason, number } = error.ending;
      if (number === 401 || OF_CONNECTION.test(code)) throw error;
      return { op: "error", id, code, reason, after: error.after };
    }
  }
}

async function refusal(response: Response): Promise<CallFailure> {
  const retryAfter = Number(response.headers.get("Retry-After") ?? 0) * 1000 || 0;
  let body: { code?: string; reason?: string; after?: number } = {};
  try {
    body = (await response.json()) as typeof body;
  } catch {
    // Not an answer of Belfry: the status is enough.
  }
  const { code = `http-${response.status}`, reason = response.statusText, after = 0 } = body;
  return new CallFailure({ code, reason, number: response.status, retryAfter }, after);
}

/** Lets reading wait while the application is full. */
export class Gate {
  #open: Promise<void> | undefined;
  #release: () => void = () => {};

  pause(pause: boolean): void {
    if (pause && !this.#open) {
      this.#open = new Promise((resolve) => {
        this.#release = resolve;
      });
    } else if (!pause) {
      this.#open = undefined;
      this.#release();
    }
  }

  async pass(): Promise<void> {
    while (this.#open) await this.#open;
  }
}
