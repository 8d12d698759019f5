import { connect } from "../client.js";
import { type BelfryError, invalid } from "../errors.js";
import { httpStream, longPoll } from "../http/index.js";
import type { Transport } from "../link.js";
import { checkSubject } from "../subjects.js";
import type {
  Client,
  Message,
  ReconnectPolicy,
  Status,
  SubscribeOptions,
  Subscription,
  WebSocketClass,
} from "../types.js";
import { webSocket } from "../websocket.js";

const WEIGHT = /^(\d{1,3})\s+(.*)$/;
/** The weight of a server of weight 0: chosen only if all others failed recently, or by rare chance. */
const WEIGHT_MIN = 0.001;
/** Codes of a publish that the server refused because of permissions. */
const DENIED = /^(publish-denied|unauthorized|token-expired)$/;

/** A field of a message of MigratoryData. */
export interface MigratoryDataField {
  name: string;
  value: string;
}

/** A message as MigratoryData's client has it. */
export interface MigratoryDataMessage {
  subject: string;
  content: string;
  /** Returned as `info` of the status that reports the outcome of a publish. */
  closure?: string | undefined;
  /** Empty in received messages. A message to publish must have none, because Belfry's messages have no fields. */
  fields?: MigratoryDataField[] | undefined;
  /** Whether the message is the retained message of the subject. */
  snapshot?: boolean | undefined;
  /** Whether the message was published while the client was disconnected. */
  recovery?: boolean | undefined;
  /** Not supported. */
  replyToSubject?: string | undefined;
  /** Whether the server keeps the message for later subscribers; default true, as with MigratoryData. */
  retained?: boolean | undefined;
}

/** A status: the name of a `NOTIFY_` constant, and its information, such as a subject. */
export interface StatusEvent {
  type: string;
  info: string;
}

/**
 * The class of MigratoryData's JavaScript client, version 5, over a Belfry server. Applications change the import and
 * the servers; differences are listed in docs/how-to/move-from-migratorydata.md.
 */
export class MigratoryDataClient {
  static readonly NOTIFY_SERVER_UP = "NOTIFY_SERVER_UP";
  static readonly NOTIFY_SERVER_DOWN = "NOTIFY_SERVER_DOWN";
  static readonly NOTIFY_DATA_SYNC = "NOTIFY_DATA_SYNC";
  static readonly NOTIFY_DATA_RESYNC = "NOTIFY_DATA_RESYNC";
  static readonly NOTIFY_SUBSCRIBE_ALLOW = "NOTIFY_SUBSCRIBE_ALLOW";
  static readonly NOTIFY_SUBSCRIBE_DENY = "NOTIFY_SUBSCRIBE_DENY";
  static readonly NOTIFY_SUBSCRIBE_TIMEOUT = "NOTIFY_SUBSCRIBE_TIMEOUT";
  static readonly NOTIFY_PUBLISH_OK = "NOTIFY_PUBLISH_OK";
  static readonly NOTIFY_PUBLISH_DENIED = "NOTIFY_PUBLISH_DENIED";
  static readonly NOTIFY_PUBLISH_FAILED = "NOTIFY_PUBLISH_FAILED";
  /** Never reported. */
  static readonly NOTIFY_RECONNECT_RATE_EXCEEDED = "NOTIFY_RECONNECT_RATE_EXCEEDED";
  /** Never reported. */
  static readonly NOTIFY_UNSUPPORTED_BROWSER = "NOTIFY_UNSUPPORTED_BROWSER";
  static readonly CONSTANT_WINDOW_BACKOFF = "CONSTANT_WINDOW_BACKOFF";
  static readonly TRUNCATED_EXPONENTIAL_BACKOFF = "TRUNCATED_EXPONENTIAL_BACKOFF";
  static readonly TRANSPORT_HTTP = "TRANSPORT_HTTP";
  static readonly TRANSPORT_WEBSOCKET = "TRANSPORT_WEBSOCKET";

  readonly #webSocket: WebSocketClass | undefined;
  readonly #subjects = new Map<string, SubscribeOptions<string>>();
  readonly #subscriptions = new Map<string, Subscription>();
  /** Subjects that were confirmed once; a further confirmation follows a reconnect. */
  readonly #confirmed = new Set<string>();
  #client: Client | undefined;
  #servers: { url: string; weight: number }[] = [];
  #token: string | undefined;
  #transports: Transport[];
  #onMessage: (message: MigratoryDataMessage) => void = () => {};
  #onStatus: (event: StatusEvent) => void = () => {};
  #onLog: (text: string) => void = () => {};
  #failures = 0;
  #failuresToReport = 1;
  #quickAttempts: number | undefined;
  #quickSeconds: number | undefined;
  #interval: number | undefined;
  #longest: number | undefined;
  #constant = false;

  /** Pass a WebSocket class, such as that of the package `ws`, for Node.js before version 22; otherwise HTTP is used there. */
  constructor(webSocketClass?: WebSocketClass) {
    this.#webSocket = webSocketClass;
    const hasWebSocket = webSocketClass ?? globalThis.WebSocket;
    this.#transports = hasWebSocket ? [webSocket, httpStream, longPoll] : [httpStream, longPoll];
  }

  /** Sets the servers, such as `https://a.example`, each after an optional weight from 0 to 100 and a space. */
  setServers(servers: string[]): void {
    this.#servers = servers.map((server) => {
      const [, weight = "100", address = server] = WEIGHT.exec(server) ?? [];
      const url = /^\w+:\/\//.test(address) ? address.replace(/^http/, "ws") : `ws://${address}`;
      return { url, weight: Number(weight) || WEIGHT_MIN };
    });
  }

  /** Sets the token for the next connection. */
  setEntitlementToken(token: string): void {
    this.#token = token;
  }

  setMessageHandler(handler: (message: MigratoryDataMessage) => void): void {
    this.#onMessage = handler;
  }

  setStatusHandler(handler: (event: StatusEvent) => void): void {
    this.#onStatus = handler;
  }

  /** The handler receives a line of JSON for every status of Belfry's client. */
  setLogHandler(handler: (text: string) => void): void {
    this.#onLog = handler;
  }

  /** Chooses between WebSocket with HTTP as the fallback, and HTTP alone. */
  setTransport(transport: string): void {
    const { TRANSPORT_HTTP, TRANSPORT_WEBSOCKET } = MigratoryDataClient;
    if (transport !== TRANSPORT_HTTP && transport !== TRANSPORT_WEBSOCKET) {
      throw invalid("bad-transport", `unknown transport ${transport}`);
    }
    this.#transports = transport === TRANSPORT_HTTP ? [httpStream, longPoll] : [webSocket, httpStream, longPoll];
  }

  /** Has no effect: the runtime resolves names. */
  setDnsOptions(_options: object): void {}

  notifyAfterReconnectRetries(retries: number): void {
    this.#failuresToReport = retries;
  }

  setQuickReconnectMaxRetries(retries: number): void {
    this.#quickAttempts = retries;
  }

  setQuickReconnectInitialDelay(seconds: number): void {
    this.#quickSeconds = seconds;
  }

  setReconnectTimeInterval(seconds: number): void {
    this.#interval = seconds;
  }

  setReconnectMaxDelay(seconds: number): void {
    this.#longest = seconds;
  }

  setReconnectPolicy(policy: string): void {
    const { CONSTANT_WINDOW_BACKOFF, TRUNCATED_EXPONENTIAL_BACKOFF } = MigratoryDataClient;
    if (policy !== CONSTANT_WINDOW_BACKOFF && policy !== TRUNCATED_EXPONENTIAL_BACKOFF) {
      throw invalid("bad-policy", `unknown reconnect policy ${policy}`);
    }
    this.#constant = policy === CONSTANT_WINDOW_BACKOFF;
  }

  connect(): void {
    if (this.#client) return;
    this.#failures = 0;
    this.#client = connect({
      servers: this.#servers,
      transports: this.#transports,
      webSocket: this.#webSocket,
      token: this.#token,
      reconnect: this.#reconnect(),
      onStatus: (status) => this.#status(status),
    });
    for (const subject of this.#subjects.keys()) this.#follow(subject);
  }

  /** Closes the connection. The subjects are kept and subscribed again by the next `connect`. */
  disconnect(): void {
    this.#client?.close();
    this.#client = undefined;
    this.#subscriptions.clear();
    this.#confirmed.clear();
  }

  subscribe(subjects: string[]): void {
    this.#subscribe(subjects, {});
  }

  /** Like `subscribe`, but at most one message of each subject in the time, which is rounded to 100 ms. */
  subscribeWithConflation(subjects: string[], conflationMillis: number): void {
    const conflate = Math.round(conflationMillis / 100) * 100;
    this.#subscribe(subjects, conflate ? { conflate } : {});
  }

  /** Like `subscribe`, but the latest messages of each subject first. */
  subscribeWithHistory(subjects: string[], numberOfHistoricalMessages: number): void {
    const history = numberOfHistoricalMessages;
    this.#subscribe(subjects, history ? { history } : {});
  }

  unsubscribe(subjects: string[]): void {
    for (const subject of subjects) {
      this.#subscriptions.get(subject)?.unsubscribe();
      this.#forget(subject);
    }
  }

  getSubjects(): string[] {
    return [...this.#subjects.keys()];
  }

  /** Returns a text for people who look for a fault. */
  getInfo(): string {
    const servers = this.#servers.map(({ url, weight }) => `${weight} ${url}`).join(", ");
    return `Servers: ${servers}\nSubjects: ${this.getSubjects()}\nConnection status: ${this.#client?.status ?? "closed"}`;
  }

  /** Publishes; the outcome is reported as a status if the message has a `closure`. */
  publish(message: MigratoryDataMessage): void {
    const { subject, content, closure, fields, replyToSubject, retained = true } = message;
    if (fields?.length || replyToSubject) {
      throw invalid("unsupported", "fields and replyToSubject of a message are not supported");
    }
    const { NOTIFY_PUBLISH_OK, NOTIFY_PUBLISH_DENIED, NOTIFY_PUBLISH_FAILED } = MigratoryDataClient;
    const report = (type: string) => closure === undefined || this.#onStatus({ type, info: closure });
    if (!this.#client) {
      report(NOTIFY_PUBLISH_FAILED);
      return;
    }
    this.#client.publish(subject, content, { retain: retained }).then(
      () => report(NOTIFY_PUBLISH_OK),
      (error: BelfryError) => report(DENIED.test(error.code) ? NOTIFY_PUBLISH_DENIED : NOTIFY_PUBLISH_FAILED),
    );
  }

  #subscribe(subjects: string[], options: SubscribeOptions<string>): void {
    for (const subject of subjects) {
      if (this.#subjects.has(subject)) continue;
      checkSubject(subject, true);
      this.#subjects.set(subject, { ...options, onMessage: (message) => this.#onMessage(converted(message)) });
      this.#follow(subject);
    }
  }

  #follow(subject: string): void {
    const subscription = this.#client?.subscribe(subject, this.#subjects.get(subject));
    if (subscription) this.#subscriptions.set(subject, subscription);
  }

  #forget(subject: string): void {
    this.#subjects.delete(subject);
    this.#subscriptions.delete(subject);
    this.#confirmed.delete(subject);
  }

  #reconnect(): Partial<ReconnectPolicy> {
    const policy: Partial<ReconnectPolicy> = {};
    if (this.#quickAttempts !== undefined) policy.quickAttempts = this.#quickAttempts;
    if (this.#quickSeconds !== undefined) policy.quickPause = this.#quickSeconds * 1000;
    if (this.#interval !== undefined) policy.firstPause = policy.longestPause = this.#interval * 1000;
    if (this.#longest !== undefined && !this.#constant) policy.longestPause = this.#longest * 1000;
    return policy;
  }

  #status(status: Status): void {
    this.#onLog(JSON.stringify(status));
    const report = (type: string, info: string) => this.#onStatus({ type, info });
    switch (status.type) {
      case "connected":
        this.#failures = 0;
        report(MigratoryDataClient.NOTIFY_SERVER_UP, status.server);
        break;
      case "disconnected":
      case "refused":
        if (++this.#failures === this.#failuresToReport) report(MigratoryDataClient.NOTIFY_SERVER_DOWN, status.server);
        break;
      case "subscribed":
        report(this.#confirmation(status), status.subject);
        break;
      case "subscribe-refused": {
        const { subject, error } = status;
        const late = error.code === "decide-timeout";
        this.#forget(subject);
        report(MigratoryDataClient[late ? "NOTIFY_SUBSCRIBE_TIMEOUT" : "NOTIFY_SUBSCRIBE_DENY"], subject);
      }
    }
  }

  /** The first confirmation of a subject allows it; a later one reports what a reconnect recovered. */
  #confirmation({ subject, recovery }: Extract<Status, { type: "subscribed" }>): string {
    if (!this.#confirmed.has(subject)) {
      this.#confirmed.add(subject);
      return MigratoryDataClient.NOTIFY_SUBSCRIBE_ALLOW;
    }
    return MigratoryDataClient[recovery === "complete" ? "NOTIFY_DATA_SYNC" : "NOTIFY_DATA_RESYNC"];
  }
}

function converted({ subject, data, type, retained }: Message): MigratoryDataMessage {
  const snapshot = type === "snapshot";
  return { subject, content: data, fields: [], snapshot, recovery: type === "recovered", retained };
}
