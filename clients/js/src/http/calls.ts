import type { Ending, LinkOwner } from "../link.js";
import type { PublishCommand, ServerEvent } from "../protocol.js";

/** A refusal or failure of one request. `after` is the time in ms after which one request is accepted again. */
export interface CallFailure extends Error {
  readonly _ending: Ending;
  readonly _after: number;
}

export const callFailure = (_ending: Ending, _after = 0): CallFailure =>
  Object.assign(new Error(_ending.reason), { _ending, _after });

/** Returns a query of these pairs and of the fields that have a value. */
export const queryOf = (fields: object, pairs: string[][] = []): URLSearchParams =>
  new URLSearchParams([...pairs, ...Object.entries(fields).filter(([, value]) => value)]);

interface CallInit extends RequestInit {
  headers?: { [name: string]: string };
}

/** The HTTP requests of one link. */
export interface Calls {
  _token: string | undefined;
  /** Aborts when the link is closed; nothing is reported any more. */
  readonly _end: AbortSignal;
  _close(): void;
  /** Begins a round of requests: aborts those of the previous round. The end of the link aborts this one too. */
  _nextRound(): AbortSignal;
  /** Requests; throws a `CallFailure` unless the status is 200. */
  _get(target: string, init?: CallInit, signal?: AbortSignal): Promise<Response>;
  /** Ends the link because of an exception, unless the link was closed. */
  _fail(error: unknown): void;
  /** Publishes, one message after the other, so that they arrive in order. */
  _publish(command: PublishCommand): void;
}

export function createCalls(owner: LinkOwner): Calls {
  const end = new AbortController();
  const base = owner._url.replace(/^ws/, "http").replace(/\/$/, "");
  /** The latest publish, with those before it. */
  let publishing = Promise.resolve();
  let round = new AbortController();
  let answered = false;

  const calls: Calls = {
    _token: owner._token,
    _end: end.signal,
    _close() {
      end.abort();
      round.abort();
    },
    _nextRound() {
      round.abort();
      return (round = new AbortController()).signal;
    },
    async _get(target, init = {}, signal = end.signal) {
      const headers = { ...init.headers, ...(calls._token && { Authorization: `Bearer ${calls._token}` }) };
      const request = () => fetch(base + target, { ...init, headers, signal, cache: "no-store" });
      const repeats = answered && !init.method;
      let response: Response;
      try {
        // The server closes idle connections. A request that was sent just then is repeated; browsers do this themselves.
        response = await request().catch((error) => (repeats && !signal.aborted ? request() : Promise.reject(error)));
      } catch (error) {
        throw callFailure({ code: "unreachable", reason: `${error}` });
      }
      answered = true;
      if (response.status === 200) return response;
      throw await refusal(response);
    },
    _fail(error) {
      if (end.signal.aborted) return;
      calls._close();
      owner._onEnd((error as CallFailure)._ending ?? { code: "connection-lost", reason: `${error}` });
    },
    _publish(command) {
      publishing = publishing
        .then(() => post(command))
        .then(owner._onEvent)
        .catch(calls._fail);
    },
  };

  async function post({
    id,
    subject,
    data,
    retain,
    msgId,
    headers = {},
    ttl,
    origin,
  }: PublishCommand): Promise<ServerEvent> {
    try {
      const init = { method: "POST", body: data as Uint8Array<ArrayBuffer> };
      const pairs = Object.entries(headers).map(([name, value]) => ["header", `${name}=${value}`]);
      const { epoch, seq } = (await (
        await calls._get(`/publish?${queryOf({ subject, retain, msgId, ttl, origin }, pairs)}`, init)
      ).json()) as Position;
      return { op: "published", id, epoch, seq };
    } catch (error) {
      const { _ending, _after } = error as CallFailure;
      if (!_ending?.number) throw error;
      const { code, reason, number } = _ending;
      // These concern the connection and not the request: the outcome is unknown, as after a broken connection.
      const ofConnection = /^(drain|shutdown|not-ready|slow-consumer|ping-timeout|handshake-timeout)$/;
      if (number === 401 || ofConnection.test(code)) throw error;
      return { op: "error", id, code, reason, after: _after };
    }
  }

  return calls;
}

interface Position {
  epoch: number;
  seq: number;
}

async function refusal(response: Response): Promise<CallFailure> {
  const { status, statusText, headers } = response;
  // An answer that is not one of Belfry has only the status.
  const {
    code = `http-${status}`,
    reason = statusText,
    after = 0,
  } = (await response.json().catch(() => ({}))) as {
    code?: string;
    reason?: string;
    after?: number;
  };
  const retryAfter = Number(headers.get("Retry-After")) * 1000 || 0;
  return callFailure({ code, reason, number: status, retryAfter }, after);
}

/** Lets reading wait while the application is full. */
export interface Gate {
  _pause(pause: boolean): void;
  _pass(): Promise<void>;
}

export function createGate(): Gate {
  let open: Promise<void> | undefined;
  let release = () => {};
  return {
    _pause(pause) {
      release();
      open = pause
        ? new Promise((resolve) => {
            release = resolve;
          })
        : undefined;
    },
    async _pass() {
      while (open) await open;
    },
  };
}
