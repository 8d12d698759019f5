import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { WebSocket } from "ws";
import { connect, watch } from "../../src/index.js";
import { Browser } from "../support/chromium.js";
import { CuttingProxy, stopAll, TestServer, until } from "../support/server.js";

const SUBJECT = "/react/price";

let belfry: TestServer;
let proxy: CuttingProxy;
let pages: Server;
let browser: Browser;
let page: Page;
/** Whether the server has a subscription of the subject. */
let subscribed: boolean | undefined;
/** Errors and warnings of the page; React reports its own there. */
const problems: string[] = [];

const watching = new AbortController();

before(async () => {
  belfry = await TestServer.start("AllowedOrigins=*", "PubSubTightlyCoupled=true");
  proxy = await CuttingProxy.start(belfry.port);
  const { outputFiles } = await build({
    entryPoints: ["test/support/react-app.tsx"],
    bundle: true,
    format: "esm",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"development"' },
    write: false,
    logLevel: "error",
  });
  pages = createServer((request, response) => {
    const script = request.url === "/app.js";
    response.setHeader("Content-Type", script ? "text/javascript" : "text/html");
    response.end(
      script ? outputFiles[0]?.contents : '<!doctype html><body><script type="module" src="/app.js"></script>',
    );
  });
  await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
  const client = connect({
    servers: belfry.url,
    webSocket: WebSocket as unknown as typeof globalThis.WebSocket,
    signal: watching.signal,
  });
  watch(client, SUBJECT, (subscribers) => {
    subscribed = subscribers;
  });
  await until(() => subscribed === false, "no subscription before the page");
  browser = await Browser.start();
  page = await browser.context.newPage();
  page.on("console", (line) => ["error", "warning"].includes(line.type()) && problems.push(line.text()));
  page.on("pageerror", (error) => problems.push(`${error}`));
  const { port } = pages.address() as { port: number };
  await page.goto(`http://127.0.0.1:${port}/?${new URLSearchParams({ url: proxy.url, subject: SUBJECT })}`);
});

after(async () => {
  watching.abort();
  await browser?.stop();
  pages?.close();
  await stopAll();
});

const shows = (name: string, text: string) => page.locator(`.${name}`, { hasText: new RegExp(`^${text}$`) }).waitFor();
const count = (status: string) =>
  page.evaluate(
    (status) => (window as unknown as { statuses: string[] }).statuses.filter((one) => one === status).length,
    status,
  );

test("components in StrictMode share one socket and one subscription", async () => {
  await shows("latest", "ready");
  await until(() => subscribed === true, "a subscription");
  assert.equal(proxy.open, 1);
  assert.equal(await count("subscribed"), 1);
  assert.equal(await count("unsubscribed"), 0);
  // StrictMode mounts twice, so the client of the first time was closed.
  assert.equal(await count("closed"), 1);
});

test("rendered components show each message", async () => {
  for (const text of ["100", "101"]) {
    await belfry.publish(SUBJECT, text);
    await shows("latest", text);
    await shows("all", text);
  }
});

test("unmounted components leave no subscription; mounted again, they subscribe again", async () => {
  await page.locator("button", { hasText: "hide" }).click();
  await until(() => subscribed === false, "the end of the subscription");
  assert.equal(await page.locator("p").count(), 0);
  assert.equal(await count("unsubscribed"), 1);
  assert.equal(proxy.open, 1);
  await page.locator("button", { hasText: "show" }).click();
  await shows("latest", "ready");
  await belfry.publish(SUBJECT, "102");
  await shows("latest", "102");
});

test("an unmounted page leaves no subscription and no socket", async () => {
  await page.evaluate(() => (window as unknown as { unmount(): void }).unmount());
  await until(() => subscribed === false && proxy.open === 0, "no subscription and no socket");
  assert.equal(await page.locator("p").count(), 0);
});

test("the rendered page reports no error and no warning of React", () => {
  assert.deepEqual(problems, []);
});
