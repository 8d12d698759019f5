import { connect } from "../../src/client.js";
import { jsonEncoding } from "../../src/json.js";
import type { Command } from "../../src/protocol.js";
import type { Client, ClientOptions, Status, WebSocketClass } from "../../src/types.js";
import { FakeClock, settle } from "./clock.js";

/** One WebSocket whose other end is the test. */
export class FakeSocket {
  readonly url: string;
  binaryType = "";
  bufferedAmount = 0;
  readyState = 0;
  onopen: () => void = () => {};
  onmessage: (event: { data: string }) => void = () => {};
  onclose: (event: { code: number; reason: string }) => void = () => {};
  onerror: () => void = () => {};
  refusal: unknown;
  readonly sent: Command[] = [];
  /** Commands that the test has not looked at. */
  fresh: Command[] = [];

  constructor(url: string) {
    this.url = url;
  }

  send(text: string): void {
    const command = JSON.parse(text) as Command;
    this.sent.push(command);
    this.fresh.push(command);
  }

  close(): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    queueMicrotask(() => this.onclose({ code: 1000, reason: "" }));
  }

  /** The server accepts the handshake and answers `connect`. */
  async accept(ping = 25_000): Promise<void> {
    await this.open();
    this.event({ op: "connected", session: "s", node: "n", ping, maxMessage: 65_536 });
    await settle();
  }

  async open(): Promise<void> {
    this.readyState = 1;
    this.onopen();
    await settle();
  }

  event(event: object): void {
    this.onmessage({ data: JSON.stringify(event) });
  }

  /** The connection ends. */
  async end(code = 1006, reason = ""): Promise<void> {
    this.readyState = 3;
    this.onclose({ code, reason });
    await settle();
  }

  /** Takes the commands of an op that were sent since the last look. */
  take<Op extends Command["op"]>(op: Op): Extract<Command, { op: Op }>[] {
    const taken = this.fresh.filter((command) => command.op === op);
    this.fresh = this.fresh.filter((command) => command.op !== op);
    return taken as Extract<Command, { op: Op }>[];
  }

  /** Answers all fresh subscribe commands with a position. */
  confirm(epoch: number, seq: number, recovery = "none"): void {
    for (const { id, subjects } of this.take("subscribe")) {
      for (const subject of subjects) {
        const at = subject.includes("*") ? {} : { epoch, seq };
        this.event({ op: "subscribed", id, subject, ...at, recovery });
      }
    }
  }

  message(subject: string, seq: number, more: object = {}): void {
    this.event({ op: "message", subject, data: `${seq}`, epoch: 7, seq, time: 0, ...more });
  }
}

/** A client on a clock and on sockets that the test controls. */
export class Bench {
  readonly clock = new FakeClock();
  readonly sockets: FakeSocket[] = [];
  readonly statuses: Status[] = [];
  readonly client: Client;

  constructor(options: Partial<ClientOptions> = {}, make = connect) {
    const { sockets } = this;
    const webSocket = class extends FakeSocket {
      constructor(url: string) {
        super(url);
        sockets.push(this);
      }
    } as unknown as WebSocketClass;
    this.client = make({
      servers: "ws://a.example",
      encoding: jsonEncoding,
      webSocket,
      environment: this.clock,
      onStatus: (status) => this.statuses.push(status),
      ...options,
    });
  }

  /** The latest socket. */
  get socket(): FakeSocket {
    const last = this.sockets.at(-1);
    if (!last) throw new Error("no socket was opened");
    return last;
  }

  async connected(): Promise<FakeSocket> {
    await settle();
    await this.socket.accept();
    return this.socket;
  }

  /** Lets pauses pass until another socket is opened. */
  async reopened(ms = 60_000): Promise<FakeSocket> {
    const before = this.sockets.length;
    for (let passed = 0; passed < ms && this.sockets.length === before; passed += 50) await this.clock.pass(50);
    if (this.sockets.length === before) throw new Error("no further socket was opened");
    return this.socket;
  }

  types(): string[] {
    return this.statuses.map((status) => status.type);
  }

  last<T extends Status["type"]>(type: T): Extract<Status, { type: T }> | undefined {
    return this.statuses.findLast((status) => status.type === type) as Extract<Status, { type: T }> | undefined;
  }
}

/** Collects what a subscription delivers, gaps as `from>to reason`. */
export function collecting(seen: string[]) {
  return {
    onMessage: (message: { data: string }) => seen.push(message.data),
    onGap: (gap: { subject: string; from: unknown; to: unknown; reason: string }) =>
      seen.push(`${gap.subject} ${gap.from}>${gap.to} ${gap.reason}`),
  };
}
