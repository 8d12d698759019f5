import { BelfryError, invalid } from "../errors.js";
import { encodePayload } from "../payload.js";
import type { Payload } from "../types.js";

export { BelfryError } from "../errors.js";
export type { Payload } from "../types.js";

/** Where the server API is, and one of the keys of `Api.KeyFile`. A key must never be sent to browsers. */
export interface ApiOptions {
  /** Address of `Api.Listen`, such as `http://127.0.0.1:4001`. */
  readonly url: string;
  readonly key: string;
  /** Time in ms after which a call fails; 30,000 by default. */
  readonly timeout?: number;
}

/** How a message is published. A repeat of `msgId` on the subject is not delivered again. */
export interface ApiPublishOptions {
  readonly retain?: boolean;
  readonly msgId?: string;
  /** Time in ms after which the server does not deliver the message any more, at most 365 days; 0 is no end. */
  readonly ttl?: number;
  /** Headers of the message, which the server checks. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A message of a batch. */
export interface ApiMessage extends ApiPublishOptions {
  readonly subject: string;
  readonly data: Payload;
}

/** The outcome of a publish: a position, or the code and the reason of a refusal. */
export interface ApiOutcome {
  readonly subject: string;
  readonly epoch?: number;
  readonly seq?: number;
  readonly code?: string;
  readonly reason?: string;
}

/** The sessions that a call concerns: those of a user, or one. */
export type ApiTarget = { readonly user: string } | { readonly session: string };

/** The tokens that a call revokes; times are in ms since 1970. `until` is when the last of them has expired. */
export type RevokedTokens = { readonly until: number } & (
  | { readonly user: string; readonly issuedBefore?: number }
  | { readonly jti: string }
  | { readonly issuedBefore: number }
);

/** A session of the server. `node` is present if the call concerned all nodes, `subjects` if it concerned one session. */
export interface SessionEntry {
  readonly node?: string;
  readonly session: string;
  readonly user?: string;
  readonly address: string;
  readonly format: string;
  readonly state: string;
  readonly subscriptions: number;
  readonly queuedBytes: number;
  readonly behindMessages: number;
  readonly behindBytes: number;
  readonly subjects?: readonly { subject: string; pattern: boolean; position?: string; behind: number }[];
}

/** A subject of the server; `subscribers` is the number of sessions that subscribe by name. */
export interface SubjectEntry {
  readonly subject: string;
  readonly epoch: number;
  readonly seq: number;
  readonly subscribers: number;
  readonly retainedSeq?: number;
}

/** Stored messages, oldest first; `more` is whether others follow. A message has `data`, or `base64` if it is no text. */
export interface StoredMessages {
  readonly subject: string;
  readonly epoch: number;
  readonly seq: number;
  readonly messages: readonly {
    seq: number;
    time: number;
    data?: string;
    base64?: string;
    headers?: Record<string, string>;
    retained?: boolean;
  }[];
  readonly more: boolean;
}

/** The members of a subject with presence; without `members` there are more than followers get. */
export interface SubjectMembers {
  readonly subject: string;
  readonly users: number;
  readonly sessions: number;
  readonly members?: readonly { user: string; sessions: number; info?: Record<string, unknown> }[];
}

/** A node that the called node knows. */
export interface NodeEntry {
  readonly node: string;
  readonly ready: boolean;
  readonly version: string;
  readonly sessions: number;
}

/** A node that did not execute a call. */
export interface MissingNode {
  readonly node: string;
  readonly code: string;
  readonly reason: string;
}

/** Some nodes did not execute a call; the others did. Repeat the call until no node is missing. */
export class IncompleteError extends BelfryError {
  declare readonly missing: readonly MissingNode[];
  /** The number that the call returns if all nodes execute it, as counted by the nodes that did. */
  declare readonly done: number;

  constructor(done: number, missing: readonly MissingNode[]) {
    super("unknown", "node-unreachable", missing.map(({ node, reason }) => `${node}: ${reason}`).join("; "));
    this.missing = missing;
    this.done = done;
  }
}

type Query = Record<string, string | undefined>;
type Answer = Record<string, unknown>;

/**
 * The server API of a node, for backends in Node.js, Deno and Bun. A refused call fails with a `BelfryError` that has the code. No call
 * is repeated: after another error the outcome of a publish is unknown, and a repeat with the same `msgId` is delivered once.
 */
export class BelfryApi {
  readonly #url: string;
  readonly #key: string;
  readonly #timeout: number;

  constructor({ url, key, timeout = 30_000 }: ApiOptions) {
    if (!/^https?:\/\/./.test(url)) throw invalid("bad-request", `url must be http://HOST:PORT, not ${url}`);
    this.#url = url.replace(/\/+$/, "");
    this.#key = key;
    this.#timeout = timeout;
  }

  /** Publishes one message and returns its position. */
  async publish(subject: string, data: Payload, options: ApiPublishOptions = {}): Promise<ApiOutcome> {
    return (await this.#post("/v1/publish", { subject, ...content(data, options) })) as unknown as ApiOutcome;
  }

  /** Publishes a batch, at most `Api.BatchLines` messages, and returns an outcome for each, in order. */
  async publishAll(messages: Iterable<ApiMessage>): Promise<ApiOutcome[]> {
    const batch = [...messages];
    if (!batch.length) return [];
    const body = batch.map(({ subject, data, ...options }) => line({ subject, ...content(data, options) })).join("");
    const lines = (await this.#call("POST", "/v1/publish", body, "application/x-ndjson")).trimEnd().split("\n");
    return batch.map(({ subject }, i) => ({ subject, ...(JSON.parse(lines[i] as string) as object) }));
  }

  /** Publishes one message to at most 1,000 subjects and returns an outcome for each, in order. */
  async broadcast(subjects: Iterable<string>, data: Payload, options: ApiPublishOptions = {}): Promise<ApiOutcome[]> {
    const names = [...subjects];
    const { results } = await this.#post("/v1/broadcast", { subjects: names, ...content(data, options) });
    return names.map((subject, i) => ({ subject, ...(results as object[])[i] }));
  }

  /** Returns stored messages of a subject, oldest first, after the position `epoch:seq`. */
  async history(subject: string, { after, limit }: { after?: string; limit?: number } = {}): Promise<StoredMessages> {
    const answer = await this.#get("/v1/history", { subject, after, limit: limit?.toString() });
    return answer as unknown as StoredMessages;
  }

  /** Returns the members of a subject with presence. */
  async presence(subject: string): Promise<SubjectMembers> {
    return (await this.#get("/v1/presence", { subject })) as unknown as SubjectMembers;
  }

  /** Removes the stored messages of a subject, the retained one too, and returns the position of the removal. */
  async removeHistory(subject: string): Promise<ApiOutcome> {
    return JSON.parse(await this.#call("DELETE", `/v1/history${query({ subject })}`)) as ApiOutcome;
  }

  /** Returns subjects; it reads page after page, and fails with an `IncompleteError` where a node did not answer. */
  subjects(pattern?: string): AsyncGenerator<SubjectEntry, undefined> {
    return this.#pages<SubjectEntry>("/v1/subjects", "subjects", { pattern });
  }

  /** Returns those of at most 1,000 subjects that exist. */
  async subjectsNamed(subjects: Iterable<string>): Promise<SubjectEntry[]> {
    const answer = await this.#post("/v1/subjects", { subjects: [...subjects] });
    const found = answer.subjects as SubjectEntry[];
    requireComplete(answer, found.length);
    return found;
  }

  /** Returns sessions; it reads page after page, and fails with an `IncompleteError` where those of a node are missing. */
  sessions(
    filter: { user?: string; subject?: string; state?: "ready" | "slow" | "detached" } = {},
  ): AsyncGenerator<SessionEntry, undefined> {
    return this.#pages<SessionEntry>("/v1/sessions", "sessions", filter);
  }

  /** Returns one session with its subscriptions. */
  async session(name: string): Promise<SessionEntry> {
    return (await this.#get(`/v1/sessions/${encodeURIComponent(name)}`)) as unknown as SessionEntry;
  }

  /** Closes sessions and returns their number. With `reconnect` the clients return by themselves. */
  async disconnect(
    target: ApiTarget,
    options: { reason?: string; reconnect?: boolean; except?: string } = {},
  ): Promise<number> {
    return complete(await this.#post("/v1/disconnect", { ...target, ...options }), "disconnected");
  }

  /** Subscribes sessions to these subjects and patterns, within their permissions, and returns how many were begun. */
  async subscribe(target: ApiTarget, subjects: Iterable<string>): Promise<number> {
    return complete(await this.#post("/v1/subscribe", { ...target, subjects: [...subjects] }), "subscribed");
  }

  /** Ends subscriptions to these subjects and patterns, and returns their number. */
  async unsubscribe(target: ApiTarget, subjects: Iterable<string>): Promise<number> {
    return complete(await this.#post("/v1/unsubscribe", { ...target, subjects: [...subjects] }), "unsubscribed");
  }

  /** Revokes tokens, and returns the number of the sessions that were closed. */
  async revoke(tokens: RevokedTokens): Promise<number> {
    return complete(await this.#post("/v1/revoke", tokens), "disconnected");
  }

  /** Returns the nodes that the called node knows. */
  async nodes(): Promise<NodeEntry[]> {
    return (await this.#get("/v1/nodes")).nodes as NodeEntry[];
  }

  /** Asks the sessions of a node to reconnect elsewhere, spread over a time in ms. */
  async drain(node: string, overMillis = 10_000): Promise<void> {
    await this.#post(`/v1/nodes/${encodeURIComponent(node)}/drain`, { overMillis });
  }

  async *#pages<T>(path: string, name: string, parameters: Query): AsyncGenerator<T, undefined> {
    let after: string | undefined;
    do {
      const page = await this.#get(path, { ...parameters, limit: "1000", after });
      const entries = page[name] as T[];
      yield* entries;
      after = page.next as string | undefined;
      requireComplete(page, entries.length);
    } while (after !== undefined);
  }

  async #get(path: string, parameters: Query = {}): Promise<Answer> {
    return JSON.parse(await this.#call("GET", path + query(parameters))) as Answer;
  }

  async #post(path: string, body: object): Promise<Answer> {
    return JSON.parse(await this.#call("POST", path, line(body))) as Answer;
  }

  async #call(method: string, target: string, body?: string, type = "application/json"): Promise<string> {
    const answer = await fetch(this.#url + target, {
      method,
      headers: { Authorization: `Bearer ${this.#key}`, ...(body !== undefined && { "Content-Type": type }) },
      body: body ?? null,
      redirect: "error",
      signal: AbortSignal.timeout(this.#timeout),
    });
    const text = await answer.text();
    if (answer.status === 200) return text;
    throw fault(text);
  }
}

const line = (members: object): string => `${JSON.stringify(members)}\n`;

function content(data: Payload, { retain, msgId, ttl, headers }: ApiPublishOptions): object {
  const own = typeof data === "string" ? { data } : { base64: base64(encodePayload(data)) };
  return { ...own, retain, msgId, ttl, headers };
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

function query(parameters: Query): string {
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return given.length ? `?${new URLSearchParams(given)}` : "";
}

function complete(answer: Answer, name: string): number {
  const number = answer[name] as number;
  requireComplete(answer, number);
  return number;
}

function requireComplete({ failed }: Answer, done: number): void {
  const missing = (failed ?? []) as MissingNode[];
  if (missing.length) throw new IncompleteError(done, missing);
}

function fault(text: string): BelfryError {
  try {
    const { code, reason } = JSON.parse(text) as { code?: unknown; reason?: unknown };
    if (typeof code === "string") return new BelfryError("refused", code, `${reason}`);
  } catch {
    // Answered below.
  }
  return new BelfryError("unknown", "bad-http", "the answer is not one of the server API");
}
