import type { Environment } from "../../src/types.js";

interface Timer {
  readonly at: number;
  readonly call: () => void;
}

/** A clock that tests move by hand, with a chance that returns what tests say. */
export class FakeClock implements Environment {
  #now = 1_000_000;
  readonly #timers = new Map<number, Timer>();
  #next = 1;
  chance: () => number = () => 0.5;
  page: object = {};

  now = (): number => this.#now;
  random = (): number => this.chance();
  setTimeout = (call: () => void, ms: number): unknown => {
    this.#timers.set(this.#next, { at: this.#now + ms, call });
    return this.#next++;
  };
  clearTimeout = (timer: unknown): void => {
    this.#timers.delete(timer as number);
  };

  get timers(): number {
    return this.#timers.size;
  }

  /** Lets time pass; each timer runs at its own time. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (let due = this.#due(end); due; due = this.#due(end)) {
      this.#now = Math.max(this.#now, due[1].at);
      this.#timers.delete(due[0]);
      due[1].call();
      await settle();
    }
    this.#now = end;
    await settle();
  }

  /** Jumps like a device that slept: timers that are due run after the jump. */
  async sleep(ms: number): Promise<void> {
    this.#now += ms;
    await this.pass(0);
  }

  #due(end: number): [number, Timer] | undefined {
    return [...this.#timers].filter(([, timer]) => timer.at <= end).sort((a, b) => a[1].at - b[1].at)[0];
  }
}

/** Lets promises settle. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}
