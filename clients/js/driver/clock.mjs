// Timers of a client that the driver counts, on a clock that it can move.

/** A monotonic clock plus an offset; timers follow the offset. */
export class DriverClock {
  #offset = 0;
  #timers = new Map();
  #next = 1;
  #base = Date.now() - performance.now();

  now = () => Math.round(this.#base + performance.now() + this.#offset);

  random = Math.random;

  setTimeout = (call, ms) => {
    const id = this.#next++;
    const timer = { call, at: this.now() + ms, real: undefined };
    this.#timers.set(id, timer);
    this.#arm(id, timer);
    return id;
  };

  clearTimeout = (id) => {
    clearTimeout(this.#timers.get(id)?.real);
    this.#timers.delete(id);
  };

  get timers() {
    return this.#timers.size;
  }

  /** Jumps; returns the time to the next timer. */
  skip(ms) {
    this.#offset += ms;
    const due = [...this.#timers].filter(([, timer]) => timer.at <= this.now()).sort((a, b) => a[1].at - b[1].at);
    for (const [id] of due) this.#run(id);
    for (const [id, timer] of this.#timers) this.#arm(id, timer);
    const times = [...this.#timers.values()].map((timer) => timer.at);
    return times.length ? Math.max(0, Math.min(...times) - this.now()) : undefined;
  }

  #arm(id, timer) {
    clearTimeout(timer.real);
    timer.real = setTimeout(() => this.#run(id), Math.max(0, timer.at - this.now()));
  }

  #run(id) {
    const timer = this.#timers.get(id);
    if (!timer) return;
    clearTimeout(timer.real);
    this.#timers.delete(id);
    timer.call();
  }
}
