import { spawn } from "node:child_process";
import { started, until } from "./server.js";

const START = 120_000;

/** A run of `bin/belfry demo`. */
export class Demo {
  readonly #process = spawn("../../bin/belfry", ["demo", "--clients", "50"], {
    env: { ...process.env, BELFRY_AOT_CACHE: "keep" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  readonly #ended = new Promise<number | null>((resolve) => this.#process.once("close", resolve));
  output = "";

  private constructor() {
    started.add(this);
    this.#process.stdout.setEncoding("utf8").on("data", (text) => {
      this.output += text;
    });
  }

  /** Starts a demo and waits until its subscribers receive messages. */
  static async start(): Promise<Demo> {
    const demo = new Demo();
    const ready = () => demo.output.includes("latency") || demo.#process.exitCode !== null;
    await until(ready, "the demo runs", START);
    return demo;
  }

  /** The address of the page that the demo printed. */
  get page(): string {
    return /http:\S+\?subject=\S+/.exec(this.output)?.[0] ?? "";
  }

  /** Ends the demo in order, and returns its exit code. */
  async stop(): Promise<number | null> {
    started.delete(this);
    this.#process.kill("SIGTERM");
    return this.#ended;
  }
}
