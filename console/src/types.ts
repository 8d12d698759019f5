// The JSON that the server sends below /console/api/.

/** Counts by code. */
export type ByCode = { readonly [code: string]: number };

export interface Hello {
  readonly type: "hello";
  readonly node: string;
  readonly version: string;
  readonly startedMillis: number;
  /** Upper bounds of the latency buckets in microseconds. A last bucket without a bound follows. */
  readonly latencyBounds: readonly number[];
  readonly lanes: readonly { readonly lane: number; readonly workgroup: string }[];
  readonly kept: number;
  /** The random id of this run of the server; a restart changes it. */
  readonly run: string;
}

/** Delivery latency in microseconds. The times are absent if nothing was delivered. */
export interface Latency {
  readonly p50?: number;
  readonly p90?: number;
  readonly p99?: number;
  readonly p999?: number;
  readonly max?: number;
  readonly count?: number;
}

/** The figures of a lane in one second: sessions, in, out, bytesOut, lagMaxMicros, inboxBytes, queuedBytes, slow. */
export type LaneSecond = readonly [number, number, number, number, number, number, number, number];

export interface SlowSession {
  readonly session: string;
  readonly address: string;
  readonly state: string;
  readonly behindMessages: number;
  readonly behindBytes: number;
  readonly policy?: string;
  readonly subjects?: number;
  readonly queuedBytes?: number;
  readonly sinceMillis?: number;
}

export interface Second {
  readonly type: "second";
  readonly seq: number;
  readonly time: number;
  readonly sessions: number;
  readonly opened: number;
  readonly closed: number;
  readonly in: number;
  readonly out: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly slow: number;
  readonly queuedBytes: number;
  readonly subjects: number;
  readonly subscriptions: number;
  readonly latency: Latency;
  readonly buckets: readonly (readonly [bucket: number, count: number])[];
  readonly lanes: readonly LaneSecond[];
  readonly closes: ByCode;
  readonly refusals: ByCode;
  readonly drops: ByCode;
  readonly conflations: ByCode;
  readonly recovered: number;
  readonly recoveredWithGap: number;
  readonly publishesRefused: number;
  readonly heapUsed: number;
  readonly heapMax: number;
  readonly direct: number;
  readonly cpu: number;
  readonly gc: readonly { readonly name: string; readonly millis: number }[];
  readonly slowest: readonly SlowSession[];
  readonly events: readonly { readonly kind: string; readonly text: string }[];
}

export type Severity = "critical" | "warning" | "info";

export interface Alert {
  readonly name: string;
  readonly severity: Severity;
  readonly title: string;
  readonly reason: string;
  readonly nextStep: string;
  readonly sinceMillis: number;
}

export interface NodeState {
  readonly node: string;
  readonly self: boolean;
  readonly ready: boolean;
  readonly reason: string | null;
  readonly version: string;
  readonly sessions: number;
  readonly in: number;
  readonly out: number;
  readonly bytesOut: number;
  readonly p99?: number;
  readonly loopLagMax: number;
  readonly alerts: number;
  readonly worst: string | null;
  readonly seenMillis: number;
  readonly stale: boolean;
}

export interface Totals {
  readonly sessionsOpened: number;
  readonly publishesIn: number;
  readonly messagesOut: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly recovered: number;
  readonly recoveredWithGap: number;
  readonly dropped: number;
  readonly conflated: number;
  readonly publishesRefused: number;
  readonly duplicates: number;
  readonly early: number;
}

export interface State {
  readonly type: "state";
  readonly ready: boolean;
  readonly reason: string | null;
  readonly warning: string | null;
  readonly alerts: readonly Alert[];
  readonly totals: Totals;
  readonly refusals: ByCode;
  readonly closes: ByCode;
  readonly drops: ByCode;
  readonly conflations: ByCode;
  readonly latencyMinute: Latency;
  readonly loopLagP99: number;
  readonly loopLagMax: number;
  readonly slowest: readonly SlowSession[];
  readonly tls?: { readonly provider: string; readonly certificateExpires: string };
  readonly cluster?: {
    readonly stale: boolean;
    readonly staleReason?: string;
    readonly lagByPartition: { readonly [partition: string]: number };
  };
  readonly nodes: readonly NodeState[];
}

export type Line = Hello | Second | State;

export type Role = "look" | "act";

export interface Me {
  readonly node: string;
  readonly version: string;
  readonly role: Role;
  /** Whether the console needs a login. */
  readonly login: boolean;
  /** Whether a login with a second password may make changes. */
  readonly changes: boolean;
}

export interface SessionRow {
  readonly session: string;
  /** Name of the user; null for an anonymous client. */
  readonly user: string | null;
  readonly address: string;
  readonly lane: number;
  /** Transport and encoding. */
  readonly format: string;
  readonly state: string;
  readonly subscriptions: number;
  readonly queuedBytes: number;
  readonly behindMessages: number;
  readonly behindBytes: number;
}

export interface SessionPage {
  readonly total: number;
  readonly matching: number;
  readonly complete: boolean;
  readonly page: number;
  readonly size: number;
  readonly sessions: readonly SessionRow[];
}

export interface SessionDetail extends SessionRow {
  readonly subjects: readonly {
    readonly subject: string;
    readonly pattern: boolean;
    readonly position: string | null;
    readonly behind: number;
  }[];
  readonly more: boolean;
}

export interface SubjectChild {
  readonly name: string;
  readonly subject: boolean;
  /** Number of subjects below this one. */
  readonly below: number;
  readonly subscribers: number;
  readonly published: number;
  /** Rates per second of the whole branch: messages published, messages delivered, and bytes delivered. */
  readonly in: number;
  readonly out: number;
  readonly bytesOut: number;
  /** The stored messages of the subject itself; absent for a branch without a subject. */
  readonly messages?: number;
  readonly bytes?: number;
  readonly oldestMillis?: number;
}

export interface SubjectPage {
  readonly under: string;
  readonly complete: boolean;
  readonly total: number;
  readonly page: number;
  readonly size: number;
  readonly atMillis: number;
  readonly children: readonly SubjectChild[];
}

export interface Settings {
  readonly settings: readonly {
    readonly key: string;
    readonly chapter: string;
    readonly value: string | null;
    readonly source: string;
    readonly default: string | null;
    readonly reload: boolean;
    readonly sentence: string;
  }[];
  /** Problems that the doctor found, with the command that fixes each. */
  readonly doctor: readonly { readonly severity: string; readonly text: string; readonly fix?: string | null }[];
  readonly certificateExpires: string | null;
}

export interface TryAnswer {
  /** Addresses of listeners to which the page may connect. */
  readonly servers: readonly string[];
}
