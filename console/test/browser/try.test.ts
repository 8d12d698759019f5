import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { Browser } from "../../../clients/js/test/support/chromium.js";
import { stopAll, TestServer } from "../../../clients/js/test/support/server.js";
import { HOSTILE } from "../support/mock-data.js";
import { MockServer } from "../support/mock-server.js";
import { problems, watch } from "../support/problems.js";

// The page Try and the live tail use the project's client with a real server.
let belfry: TestServer;
let mock: MockServer;
let browser: Browser;
let page: Page;

before(async () => {
  belfry = await TestServer.start("AllowedOrigins=*");
  mock = await MockServer.start({ servers: [belfry.url] });
  browser = await Browser.start();
  page = await browser.context.newPage();
  watch(page);
  await page.goto(`${mock.page}#/try`);
});

after(async () => {
  await browser?.stop();
  await mock?.stop();
  await stopAll();
});

test("the page Try shows what it publishes, as text", async () => {
  await page.locator(".heading .badge", { hasText: "connected" }).waitFor();
  await page.locator("textarea").fill(HOSTILE);
  await page.getByRole("button", { name: "Publish" }).press("Enter");
  await page.locator(".messages .data", { hasText: HOSTILE }).waitFor();
  await page.locator(".result", { hasText: /^Stored at \d+:1 after/ }).waitFor();
});

test("the page Try shows that a cut connection loses nothing", async () => {
  await page.getByRole("button", { name: "Cut the connection" }).press("Enter");
  await page.locator("#recovery", { hasText: "The connection is cut." }).waitFor();
  await page
    .locator("#recovery", { hasText: /^Resumed after [\d.]+\ss: 3 messages recovered, nothing lost\.$/ })
    .waitFor();
  assert.equal(await page.locator(".messages li.recovered").count(), 3);
  await page.screenshot({ path: "build/pictures/try-recovered.png", fullPage: true, caret: "initial" });
});

test("the curl of the page Try publishes", async () => {
  const code = (await page.locator("pre").textContent()) ?? "";
  const [, url] = code.match(/'(http[^']*publish[^']*)'/) ?? [];
  const answer = await fetch(url ?? "", { method: "POST", body: "by curl" });
  assert.equal(answer.status, 200);
  await page.locator(".messages .data", { hasText: "by curl" }).waitFor();
});

test("the page Subjects follows a subject live", async () => {
  await page.goto(`${mock.page}#/subjects?tail=/try/console`);
  await page.locator(".drawer .messages .data", { hasText: "by curl" }).waitFor();
  await fetch(`${belfry.http}/publish?subject=/try/console`, { method: "POST", body: "live now" });
  await page.locator(".drawer .messages .data", { hasText: "live now" }).waitFor();
  await page.locator(".drawer h2").press("Escape");
  await page.locator(".drawer").waitFor({ state: "detached" });
});

test("the page Try reports a subject that is not valid", async () => {
  await page.goto(`${mock.page}#/try`);
  await page.locator("input[name=subject]").fill("no subject");
  await page.locator("input[name=subject]").press("Enter");
  await page.locator(".failure").first().waitFor();
});

test("the page Try keeps its content policy", () => {
  const kept = problems(page).filter(
    (line) => !line.includes("WebSocket is closed before the connection is established"),
  );
  assert.deepEqual(kept, []);
});
