import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { Browser } from "../support/chromium.js";
import { Demo } from "../support/demo.js";
import { stopAll, until } from "../support/server.js";

let demo: Demo;
let browser: Browser;
let page: Page;
/** Lines of the page's console; Chromium reports violations of the content policy there. */
const console: string[] = [];

before(async () => {
  demo = await Demo.start();
  browser = await Browser.start();
  page = await browser.context.newPage();
  page.on("console", (line) => console.push(line.text()));
  page.on("pageerror", (error) => console.push(`${error}`));
  await page.goto(demo.page);
});

after(async () => {
  await browser?.stop();
  await stopAll();
});

const text = async (selector: string) => (await page.locator(selector).first().textContent()) ?? "";
const figure = async (id: string) => Number((await text(`#${id}`)).replace(/ ms|,/g, ""));

test("the page of the demo shows live messages with rate and latency", async () => {
  await page.locator("#status", { hasText: /^connected$/ }).waitFor();
  await page.locator("#messages li").nth(12).waitFor();
  assert.match(await text("#messages .data"), /^\d+\.\d\d$/);
  assert.equal(await text("#following"), "following /demo/price");
  await page.locator("#latency", { hasText: "ms" }).waitFor();
  // The page computes its figures twice a second.
  await until(async () => (await figure("rate")) > 0, "a rate above 0", 15_000);
  await until(async () => (await figure("received")) > 12, "more than 12 messages", 15_000);
});

test("the page of the demo publishes with the keyboard alone", async () => {
  await page.locator("#subject").focus();
  for (const key of ["Tab", "Tab"]) await page.keyboard.press(key);
  await page.keyboard.press("Control+A");
  await page.keyboard.type("hello <b>from</b> the test");
  await page.keyboard.press("Enter");
  await page.locator("#messages li.own .data", { hasText: "hello <b>from</b> the test" }).waitFor();
  await page.locator("#published", { hasText: /^stored at \d+:\d+ after [\d.]+ ms$/ }).waitFor();
});

test("the page of the demo shows that a cut connection loses nothing", async () => {
  await page.locator("#cut").focus();
  await page.keyboard.press("Enter");
  await page.locator("#status", { hasText: /disconnected|connecting/ }).waitFor();
  await page
    .locator("#recovery", { hasText: /^Resumed after [\d.]+ s: [1-9]\d* messages? recovered, 0\slost\.$/ })
    .waitFor();
  await page.locator("#messages .note", { hasText: "recovered" }).first().waitFor();
  assert.equal(await figure("lost"), 0);
});

test("the page of the demo follows another subject and reports a refusal", async () => {
  for (const [subject, result] of [
    ["/demo/*", "following /demo/*"],
    ["no subject", "bad-subject: no subject"],
  ] as const) {
    await page.locator("#subject").fill(subject);
    await page.locator("#subject").press("Enter");
    await page.locator("#following", { hasText: result }).waitFor();
  }
});

test("the page of the demo fits narrow and wide windows", async () => {
  for (const width of [390, 1400]) {
    await page.setViewportSize({ width, height: 900 });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
  }
});

test("the page of the demo keeps its content policy", () => {
  assert.deepEqual(
    console.filter((line) => !line.includes("WebSocket is closed before the connection is established")),
    [],
  );
});
