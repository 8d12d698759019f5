import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { extname } from "node:path";
import type { Line, Second, SubjectChild } from "../../src/types.js";
import { HOSTILE, hello, second, seeded, sessions, state } from "./mock-data.js";
import { SETTINGS } from "./mock-settings.js";

const TYPES: { [extension: string]: string } = {
  ".js": "text/javascript",
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};
const STREAM_MILLIS = 20_000;

export interface MockOptions {
  /** Whether the server has no problem. */
  well?: boolean;
  role?: "look" | "act";
  /** Whether a login is needed. */
  login?: boolean;
  /** Whether a login may make changes. */
  changes?: boolean;
  /** Interval in ms at which the mock server makes a second; a value below 1,000 shortens long tests. */
  tickMillis?: number;
  /** Addresses of a real server for the page Try. */
  servers?: string[];
}

/** Serves the console's HTTP interface with generated data, and records the requests of a page. */
export class MockServer {
  readonly options: MockOptions;
  readonly requests: string[] = [];
  readonly violations: string[] = [];
  origin = "";
  run = "a1";
  reachable = true;
  disconnected: string[] = [];
  readonly #server: Server;
  readonly #streams = new Set<ServerResponse>();
  readonly #seconds: Second[] = [];
  readonly #startedMillis = Date.now() - 400_000_000;
  readonly #sessions = sessions();
  #seq = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #loggedIn = false;

  constructor(options: MockOptions = {}) {
    this.options = options;
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async start(options: MockOptions = {}): Promise<MockServer> {
    const mock = new MockServer(options);
    const now = Date.now();
    for (let back = 599; back >= 0; back--) mock.#add(now - back * 1000);
    await new Promise<void>((resolve) => mock.#server.listen(0, "127.0.0.1", resolve));
    mock.origin = `http://127.0.0.1:${(mock.#server.address() as { port: number }).port}`;
    mock.#timer = setInterval(() => mock.tick(), options.tickMillis ?? 1000);
    return mock;
  }

  get page(): string {
    return `${this.origin}/console/`;
  }

  get latest(): Second {
    return this.#seconds.at(-1) as Second;
  }

  /** The parameter `after` of each request of the stream since the start. */
  get streams(): number[] {
    return this.requests.flatMap((path) => (path.includes("/stream?") ? [Number(path.split("after=")[1])] : []));
  }

  /** Makes the next second and sends it to all streams. */
  tick(): void {
    this.#add(this.latest.time + 1000);
    for (const stream of this.#streams) {
      write(stream, this.latest);
      write(stream, state(this.latest, this.options.well ?? false));
    }
  }

  /** Breaks all streams, and answers no request until `restore`. */
  cut(): void {
    this.reachable = false;
    for (const stream of this.#streams) stream.destroy();
  }

  restore(): void {
    this.reachable = true;
  }

  /** Restarts the numbers of the seconds, as a restart of the server does. */
  restart(): void {
    this.run = `${this.run}b`;
    this.#seconds.length = 0;
    this.#seq = 0;
    this.#add(Date.now());
    for (const stream of this.#streams) stream.destroy();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #add(time: number): void {
    this.#seq++;
    const next = second(this.options.well ? ((this.#seq - 1) % 370) + 1 : this.#seq, time);
    this.#seconds.push({ ...next, seq: this.#seq });
    if (this.#seconds.length > 600) this.#seconds.shift();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", this.origin);
    this.requests.push(`${request.method} ${url.pathname}${url.search}`);
    if (!this.reachable) {
      response.destroy();
      return;
    }
    const sockets = (this.options.servers ?? [this.origin.replace("http", "ws")]).join(" ");
    response.setHeader(
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
        `connect-src 'self' ${sockets}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; ` +
        "require-trusted-types-for 'script'; trusted-types lit-html",
    );
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Referrer-Policy", "no-referrer");
    response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
    if (url.pathname.startsWith("/console/api/")) this.#api(url, request, response);
    else this.#file(url.pathname, response);
  }

  #file(path: string, response: ServerResponse): void {
    const name = path === "/console/" ? "index.html" : path.replace("/console/", "");
    response.setHeader("Cache-Control", "no-cache");
    if (!/^[a-z.]+$/.test(name)) {
      response.writeHead(404).end();
      return;
    }
    try {
      const body = readFileSync(`build/site/${name}`);
      response.setHeader("Content-Type", TYPES[extname(name)] ?? "text/plain");
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  }

  #api(url: URL, request: IncomingMessage, response: ServerResponse): void {
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("Content-Type", "application/json");
    const name = url.pathname.slice("/console/api/".length);
    const parameter = (key: string) => url.searchParams.get(key) ?? "";
    const json = (body: object, status = 200) => response.writeHead(status).end(JSON.stringify(body));
    if (request.method === "POST") {
      let text = "";
      request.on("data", (part) => (text += part));
      request.on("end", () => this.#post(name, JSON.parse(text) as { [key: string]: string }, json, response));
      return;
    }
    if (this.options.login && !this.#loggedIn) {
      json({ code: "unauthorized", reason: "Log in first." }, 401);
      return;
    }
    switch (name) {
      case "me":
        json({
          node: "push-1:8800",
          version: "1.2",
          role: this.options.role ?? "look",
          login: this.options.login ?? false,
          changes: this.options.changes ?? false,
        });
        return;
      case "stream":
        this.#stream(Number(parameter("after")) || 0, response);
        return;
      case "sessions":
        json(this.#sessionPage(parameter("search"), parameter("sort"), Number(parameter("page"))));
        return;
      case "session": {
        const found = this.#sessions.find(({ session }) => session === parameter("name"));
        if (!found) json({ code: "not-found", reason: "No such session." }, 404);
        else json({ ...found, subjects: subjectsOf(found.behindMessages), more: false });
        return;
      }
      case "subjects":
        json(this.#subjects(parameter("under"), Number(parameter("page"))));
        return;
      case "settings":
        json({ ...SETTINGS, certificateExpires: new Date(Date.now() + 24 * 86_400_000).toISOString() });
        return;
      case "try":
        json({ servers: this.options.servers ?? [] });
        return;
      default:
        json({ code: "not-found", reason: name }, 404);
    }
  }

  #post(
    name: string,
    body: { [key: string]: string },
    json: (body: object, status?: number) => unknown,
    response: ServerResponse,
  ): void {
    if (name === "login") {
      this.#loggedIn = body.username === "admin" && body.password === "secret";
      if (this.#loggedIn) json({ role: this.options.role ?? "look" });
      else json({ code: "unauthorized", reason: "wrong" }, 401);
    } else if (name === "logout") {
      this.#loggedIn = false;
      response.writeHead(204).end();
    } else if (name === "disconnect" && this.options.role === "act") {
      this.disconnected.push(body.session ?? "");
      json({ disconnected: true });
    } else json({ code: "forbidden", reason: "This login may only look." }, 403);
  }

  #stream(after: number, response: ServerResponse): void {
    response.setHeader("Content-Type", "application/x-ndjson");
    response.writeHead(200);
    write(response, hello(this.run, this.#startedMillis));
    for (const each of this.#seconds) if (each.seq > after) write(response, each);
    if (after === 0) write(response, state(this.latest, this.options.well ?? false));
    this.#streams.add(response);
    const end = setTimeout(() => response.end(), STREAM_MILLIS);
    response.on("close", () => {
      clearTimeout(end);
      this.#streams.delete(response);
    });
  }

  #sessionPage(search: string, sort: string, page: number) {
    const matching = this.#sessions.filter(
      ({ session, user, address }) => session.includes(search) || user?.includes(search) || address.includes(search),
    );
    if (sort === "subscriptions") matching.sort((a, b) => b.subscriptions - a.subscriptions);
    else if (sort === "connected") matching.reverse();
    const rows = matching.slice(page * 100, (page + 1) * 100);
    return { total: this.#sessions.length, matching: matching.length, complete: true, page, size: 100, sessions: rows };
  }

  #subjects(under: string, page: number) {
    const atMillis = Date.now();
    const seconds = (atMillis - this.#startedMillis) / 1000;
    const children = childrenOf(under).map((child): SubjectChild => {
      const random = seeded(
        child.length * 131 + (child.codePointAt(0) ?? 0) + under.length * 17 + child.charCodeAt(child.length - 1) * 3,
      );
      const rate = 1 + 160 * random() ** 4;
      const leaf = under.split("/").length > 2;
      const subscribers = Math.ceil((leaf ? 40 : 900) * random());
      const size = Math.round(200 + 900 * random());
      return {
        name: child,
        subject: leaf,
        below: leaf ? 0 : Math.ceil(240 * random()),
        subscribers,
        published: Math.round(seconds * rate),
        in: rate,
        out: rate * subscribers,
        bytesOut: Math.round(rate * subscribers * size),
        ...(leaf ? { messages: 100, bytes: 100 * size, oldestMillis: atMillis - Math.round(100_000 / rate) } : {}),
      };
    });
    const size = 200;
    return {
      under,
      complete: true,
      total: children.length,
      page,
      size,
      atMillis,
      children: children.slice(page * size, (page + 1) * size),
    };
  }
}

const ROOTS = ["prices", "orders", "news", "rooms", "scores", "devices", "alerts", HOSTILE];
const NAMES = [
  "eur",
  "usd",
  "gbp",
  "jpy",
  "chf",
  "aud",
  "nzd",
  "sek",
  "nok",
  "dkk",
  "pln",
  "czk",
  "huf",
  "ron",
  "try",
  "zar",
];

function childrenOf(under: string): string[] {
  if (!under) return ROOTS;
  if (under.split("/").length === 2) return NAMES;
  return Array.from({ length: 340 }, (_, index) => (index === 3 ? HOSTILE : `${index}`));
}

const subjectsOf = (behind: number) => [
  { subject: "/prices/eur/17", pattern: false, position: behind ? "1763940000000:48110" : null, behind },
  { subject: "/news/*", pattern: true, position: null, behind: 0 },
  { subject: `/orders/${HOSTILE}`, pattern: false, position: null, behind: 0 },
];

function write(response: ServerResponse, line: Line): void {
  response.write(`${JSON.stringify(line)}\n`);
}
