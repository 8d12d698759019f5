import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket, connect as tcp } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./ports.mjs";

/** The tests of clients/js and of console run in their folders. */
const PROGRAM = existsSync("../bin/belfry") ? "../bin/belfry" : "../../bin/belfry";

/** Servers that tests started and have not stopped. A failed test must not keep the run from ending. */
export const started = new Set<{ stop(): Promise<unknown> }>();

export async function stopAll(): Promise<void> {
  await Promise.all([...started].map((one) => one.stop()));
}

/** A Belfry server in its own process and folder. */
export class TestServer {
  readonly port: number;
  readonly #folder: string;
  readonly #settings: string[];
  #process: ChildProcess | undefined;

  private constructor(port: number, folder: string, settings: string[]) {
    this.port = port;
    this.#folder = folder;
    this.#settings = settings;
    started.add(this);
  }

  static async start(...settings: string[]): Promise<TestServer> {
    const server = new TestServer(await freePort(), mkdtempSync(join(tmpdir(), "belfry-js-")), settings);
    await server.start();
    return server;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  get http(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.#process?.pid as number;
  }

  async start(): Promise<void> {
    const sets = [`Listen=127.0.0.1:${this.port}`, `LogFolder=${this.#folder}`, "Monitor=none", ...this.#settings];
    this.#process = spawn(PROGRAM, ["run", "--name", `js-${this.port}`, ...sets.flatMap((set) => ["--set", set])], {
      env: { ...process.env, BELFRY_AOT_CACHE: "keep" },
      stdio: "inherit",
    });
    for (let i = 0; i < 300; i++) {
      const ready = await fetch(`${this.http}/health/ready`).catch(() => undefined);
      if (ready?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await this.stop();
    throw new Error("the server did not become ready");
  }

  signal(name: NodeJS.Signals): void {
    this.#process?.kill(name);
  }

  async kill(name: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    if (!process || process.exitCode !== null) return;
    const ended = new Promise((resolve) => process.once("exit", resolve));
    process.kill(name);
    await ended;
  }

  async stop(): Promise<void> {
    started.delete(this);
    await this.kill("SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Publishes without the client under test. */
  async publish(subject: string, data: string, more = ""): Promise<string> {
    const target = `${this.http}/publish?subject=${encodeURIComponent(subject)}${more}`;
    const answer = await fetch(target, { method: "POST", body: data });
    const { epoch, seq } = (await answer.json()) as { epoch: number; seq: number };
    return `${epoch}:${seq}`;
  }
}

/** A proxy in front of a server that can cut, hold back or refuse connections. */
export class CuttingProxy {
  readonly #server: Server;
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  port = 0;
  /** Number of WebSocket handshakes that were accepted. */
  upgrades = 0;
  /** Connections of WebSockets that are open. */
  readonly #webSockets = new Set<Socket>();
  refuses = false;
  /** Holds back everything that the server sends. */
  holds = false;
  /** Swallows the head of a WebSocket handshake, like some proxies. */
  swallowsUpgrades = false;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((client) => this.#accept(client));
  }

  static async start(target: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target);
    started.add(proxy);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    proxy.port = (proxy.#server.address() as { port: number }).port;
    return proxy;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  #accept(client: Socket): void {
    if (this.refuses) {
      client.destroy();
      return;
    }
    const server = tcp(this.#target, "127.0.0.1");
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.on("data", (data) => {
        if (from === server && this.holds) return;
        if (from === client && /^upgrade: websocket/im.test(data.toString("latin1"))) {
          if (this.swallowsUpgrades) {
            to.destroy();
            return;
          }
          this.upgrades++;
          this.#webSockets.add(client);
        }
        to.write(data);
      });
      from.on("error", () => {});
      from.on("close", () => {
        this.#sockets.delete(from);
        this.#webSockets.delete(from);
        // A half-open connection stays so, although the server gave it up.
        if (!this.holds || from === client) to.destroy();
      });
    }
  }

  /** Cuts all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  get open(): number {
    return this.#webSockets.size;
  }

  async stop(): Promise<void> {
    started.delete(this);
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Waits until a condition holds. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = "the condition",
  ms = 10_000,
): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end; ) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`${what} did not hold within ${ms} ms`);
}
