import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { Browser } from "../support/chromium.js";
import { Example } from "../support/example.js";
import { stopAll } from "../support/server.js";

let tutorial: Example;
let browser: Browser;
let guest: Page;
let alice: Page;

const belfry = () => `127.0.0.1:${tutorial.port(8800)}`;

before(async () => {
  tutorial = await Example.copy("web-application", 8800, 8080);
  writeFileSync(join(tutorial.folder, "chat.secret"), `${randomBytes(32).toString("hex")}\n`, { mode: 0o600 });
  await tutorial.startServer();
  browser = await Browser.start();
});

after(async () => {
  await browser?.stop();
  await stopAll();
});

async function open(): Promise<Page> {
  const page = await browser.context.newPage();
  await page.goto(`${tutorial.page}?belfry=ws://${belfry()}/`);
  await shows(page, "state", /^connected/);
  return page;
}

const shows = (page: Page, id: string, text: string | RegExp) => page.locator(`#${id}`, { hasText: text }).waitFor();

async function say(page: Page, text: string): Promise<void> {
  await page.locator("#text").fill(text);
  await page.locator("#text").press("Enter");
}

/** Calls Belfry and returns the code of the refusal; undefined if there is none. */
async function call(token: string, target: string, body?: string, origin?: string): Promise<string | undefined> {
  const headers = { Authorization: `Bearer ${token}`, ...(origin && { Origin: origin }) };
  const request = body === undefined ? { headers } : { method: "POST", headers, body };
  const answer = await fetch(`http://${belfry()}${target}`, request);
  return ((await answer.json()) as { code?: string }).code;
}

test("both programs of the tutorial make tokens with which the application publishes and guests read", async () => {
  const make = (...words: string[]) =>
    execFileSync(words[0] as string, words.slice(1), { cwd: tutorial.folder })
      .toString()
      .trim();
  const app = make("python3", "make_token.py", "app", "/rooms/*", "/rooms/*");
  const message = '{"from":"alice","text":"hi"}';
  assert.equal(await call(app, "/publish?subject=/rooms/lobby", message), undefined);
  for (const program of [
    ["python3", "make_token.py"],
    ["node", "make_token.mjs"],
  ]) {
    const reader = make(...program, "guest", "/rooms/*");
    assert.equal(await call(reader, "/history?subject=/rooms/lobby&count=10"), undefined);
    assert.equal(await call(reader, "/publish?subject=/rooms/lobby", message), "publish-denied");
    assert.equal(
      await call(reader, "/history?subject=/rooms/lobby", undefined, "http://evil.example"),
      "origin-denied",
    );
    const writer = make(...program, "alice", "/rooms/**", "/rooms/*/alice");
    assert.equal(await call(writer, "/publish?subject=/rooms/lobby/alice", "hi"), undefined);
    assert.equal(await call(writer, "/publish?subject=/rooms/lobby/bob", "hi"), "publish-denied");
  }
});

test("a guest of the tutorial reads, and a user who logged in writes", async () => {
  await tutorial.startBackend(`${tutorial.port(8080)}`, `http://${belfry()}`);
  guest = await open();
  await shows(guest, "messages", "alice: hi");
  await say(guest, "may I?");
  await shows(guest, "state", "log in first");
  alice = await open();
  await alice.locator("#name").fill("alice");
  await alice.locator("#password").fill("wonderland");
  // The page already shows that it is connected, as a guest.
  const loggedIn = alice.waitForResponse(/\/login$/);
  await alice.locator("#password").press("Enter");
  await loggedIn;
  await shows(alice, "state", /^connected/);
  await say(alice, "good morning");
  await shows(guest, "messages", "alice: good morning");
});

test("the page of the tutorial resumes after a restart of the server", async () => {
  await tutorial.kill("server");
  await shows(guest, "state", /^reconnecting/);
  await tutorial.startServer();
  for (const page of [guest, alice]) await shows(page, "state", "connected, recovery complete");
  await say(alice, "still there?");
  await shows(guest, "messages", "alice: still there?");
  assert.equal(await guest.locator("#messages li", { hasText: "good morning" }).count(), 1);
});
