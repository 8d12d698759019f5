import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { freePort } from "./ports.mjs";
import { started, until } from "./server.js";

const ROOT = resolve("../..");
const START = 60_000;

/** A folder of `docs/examples` with a backend `app.py` and a server of `chat.conf`, copied; only the ports are replaced by free ones. */
export class Example {
  readonly folder = mkdtempSync(join(tmpdir(), "belfry-example-"));
  /** The free port for each port that the files name. */
  readonly ports = new Map<number, number>();
  readonly #processes = new Map<string, ChildProcess>();

  private constructor(name: string) {
    cpSync(join(ROOT, "docs/examples", name), this.folder, { recursive: true });
    started.add(this);
  }

  static async copy(name: string, ...ports: number[]): Promise<Example> {
    const example = new Example(name);
    const file = join(example.folder, "chat.conf");
    let settings = readFileSync(file, "utf8");
    for (const port of ports) {
      const free = await freePort();
      example.ports.set(port, free);
      settings = settings.replaceAll(`:${port}`, `:${free}`);
    }
    writeFileSync(file, settings);
    return example;
  }

  port(written: number): number {
    return this.ports.get(written) as number;
  }

  /** The address of the page. */
  get page(): string {
    return `http://localhost:${this.port(8080)}/`;
  }

  async startServer(): Promise<void> {
    const more = ["Monitor=none", `LogFolder=${this.folder}/logs`].flatMap((set) => ["--set", set]);
    const name = `example-${this.port(8800)}`;
    this.#start("server", join(ROOT, "bin/belfry"), "run", "--name", name, "-c", "chat.conf", ...more);
    const ready = () => fetch(`http://127.0.0.1:${this.port(8800)}/health/ready`).then((answer) => answer.ok);
    await until(() => ready().catch(() => false), "the server is ready", START);
  }

  async startBackend(...options: string[]): Promise<void> {
    this.#start("backend", "python3", "app.py", ...options);
    const ready = () => fetch(`http://127.0.0.1:${this.port(8080)}/`).then((answer) => answer.ok);
    await until(() => ready().catch(() => false), "the backend is ready", START);
  }

  #start(which: string, program: string, ...options: string[]): void {
    const env = { ...process.env, BELFRY_AOT_CACHE: "keep", PYTHONDONTWRITEBYTECODE: "1" };
    this.#processes.set(which, spawn(program, options, { cwd: this.folder, env, stdio: "inherit" }));
  }

  /** Kills the server or the backend as a power failure would. */
  async kill(which: "server" | "backend"): Promise<void> {
    const process = this.#processes.get(which);
    this.#processes.delete(which);
    if (!process || process.exitCode !== null) return;
    const ended = new Promise((resolve) => process.once("exit", resolve));
    process.kill("SIGKILL");
    await ended;
  }

  async stop(): Promise<void> {
    started.delete(this);
    await Promise.all([this.kill("server"), this.kill("backend")]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
