import {
  type Client,
  connect,
  type Gap,
  type Message,
  type Status,
  type Subscription,
} from "../../clients/js/src/index.js";

/** Number of rows kept of a subscription; the oldest rows are removed at twice this number. */
const ROWS = 200;
/** Time in ms for which the button cuts the connection. */
export const CUT = 3000;
/** Interval in ms at which new rows are shown. */
const REFRESH = 250;

/** A row of a list of messages: a message or a gap. */
export interface Row {
  readonly number: number;
  readonly time: number;
  readonly subject: string;
  readonly text: string;
  readonly note: string;
  readonly position: string;
}

/** The counts of the latest recovery after a cut. */
export interface Recovered {
  readonly beganMillis: number;
  resumedMillis: number;
  messages: number;
  gaps: number;
}

/**
 * A connection of the project's JavaScript client, with at most one subscription. Sends the event `change` at most four
 * times per second. The page must call `close`.
 */
export class Feed extends EventTarget {
  rows: Row[] = [];
  received = 0;
  status = "not connected";
  problem = "";
  recovery: Recovered | undefined;
  cutting = false;
  subject = "";

  #client: Client | undefined;
  #subscription: Subscription | undefined;
  #socket: WebSocket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  get connected(): boolean {
    return this.#client?.status === "connected";
  }

  get position(): string | undefined {
    return this.#subscription?.position;
  }

  /** Closes the previous connection, and opens a connection to the first server. */
  open(servers: readonly string[], token: string): void {
    this.close();
    const feed = this;
    /** A socket that `cut` can close. While the connection is cut, each new socket fails. */
    class CuttableSocket extends WebSocket {
      constructor(url: string, protocols?: string[]) {
        super(url, protocols);
        feed.#socket = this;
        if (feed.cutting) this.close();
      }
    }
    this.#client = connect({
      servers: servers.slice(0, 1),
      ...(token ? { token } : {}),
      webSocket: CuttableSocket as never,
      hidden: "pause",
      onStatus: (status) => this.#onStatus(status),
    });
  }

  close(): void {
    void this.#client?.close();
    this.#client = undefined;
    this.#subscription = undefined;
    this.status = "not connected";
    this.problem = this.subject = "";
    this.#changed();
  }

  /** Subscribes to another subject or pattern; throws if the client refuses the subject at once. */
  follow(subject: string, history: number): void {
    this.#subscription?.unsubscribe();
    this.rows = [];
    this.received = 0;
    this.problem = "";
    this.recovery = undefined;
    this.subject = subject;
    const subscription = this.#client?.subscribe(subject, {
      ...(subject.includes("*") ? {} : { history }),
      onMessage: (message: Message) => this.#onMessage(message),
      onGap: (gap: Gap) => this.#onGap(gap),
    });
    this.#subscription = subscription;
    subscription?.ready().catch(() => {}); // the client reports the failure as a status
    this.#changed();
  }

  unfollow(): void {
    this.#subscription?.unsubscribe();
    this.#subscription = undefined;
    this.subject = "";
    this.#changed();
  }

  async publish(subject: string, data: string, retain: boolean): Promise<string> {
    if (!this.#client) throw new Error("There is no connection.");
    return await this.#client.publish(subject, data, { retain });
  }

  /** Closes the socket. Each new socket fails for `CUT` ms, as in a network failure. */
  cut(): void {
    if (this.cutting) return;
    this.cutting = true;
    this.recovery = { beganMillis: Date.now(), resumedMillis: 0, messages: 0, gaps: 0 };
    this.#socket?.close();
    setTimeout(() => {
      this.cutting = false;
      this.#client?.reconnect();
      this.#changed();
    }, CUT);
    this.#changed();
  }

  #onStatus(status: Status): void {
    switch (status.type) {
      case "connecting":
        this.status = status.attempt ? `connecting, attempt ${status.attempt + 1}` : "connecting";
        break;
      case "connected":
        this.status = "connected";
        this.problem = "";
        break;
      case "disconnected":
        this.status = `disconnected: ${status.code}`;
        break;
      case "refused":
        this.status = "refused";
        this.problem = `${status.code}: ${status.reason}`;
        break;
      case "subscribed":
        if (this.recovery && !this.recovery.resumedMillis && !this.cutting) this.recovery.resumedMillis = Date.now();
        break;
      case "subscribe-refused":
        this.problem = status.error.message;
        this.subject = "";
        break;
      case "listener-failed":
        console.error(status.error);
    }
    this.#changed();
  }

  #onMessage(message: Message): void {
    if (message.type === "recovered" && this.recovery) this.recovery.messages++;
    const { time, subject, data, type, retained, position } = message;
    const note = type === "live" ? (retained ? "retained" : "") : type;
    this.#add({ time, subject, text: data, note, position });
  }

  #onGap({ subject, reason, from, to }: Gap): void {
    if (this.recovery) this.recovery.gaps++;
    const text = `Missing after ${from ?? "an unknown position"} up to ${to ?? "an unknown position"}: ${reason}`;
    this.#add({ time: Date.now(), subject, text, note: "gap", position: to ?? "" });
  }

  #add(row: Omit<Row, "number">): void {
    this.received++;
    this.rows.push({ number: this.received, ...row, text: row.text.slice(0, 2000) });
    if (this.rows.length > ROWS * 2) this.rows.splice(0, ROWS);
    this.#changed();
  }

  /** The latest rows, newest first. */
  latest(count = ROWS): Row[] {
    return this.rows.slice(-count).reverse();
  }

  #changed(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.dispatchEvent(new Event("change"));
    }, REFRESH);
  }
}
