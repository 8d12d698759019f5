import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { Browser } from "../support/chromium.js";
import { Example } from "../support/example.js";
import { stopAll, until } from "../support/server.js";

const ROOM = "/rooms/lobby";
/** Time for what waits: members leave after 5 s, and a token expires. */
const SLOW = 30_000;

let chat: Example;
let browser: Browser;
let ada: Page;
let bob: Page;
/** Errors and warnings of the pages; Chromium reports violations of the content policy there. */
const problems: string[] = [];
/** Errors in the console of Chromium about refused requests and lost connections, which the tests cause. */
const EXPECTED = /Failed to load resource|WebSocket connection to .* failed/;

const startBackend = () =>
  chat.startBackend(
    ...["--port", `${chat.port(8080)}`, "--belfry", `ws://127.0.0.1:${chat.port(8800)}`],
    ...["--api", `http://127.0.0.1:${chat.port(8801)}`, "--client", resolve("dist/belfry.min.js")],
  );

before(async () => {
  chat = await Example.copy("chat", 8800, 8801, 8080);
  await startBackend();
  await chat.startServer();
  browser = await Browser.start();
  ada = await open("ada", "lovelace");
  bob = await open("bob", "builder");
});

after(async () => {
  await browser?.stop();
  await stopAll();
});

async function enter(page: Page, name: string, password: string): Promise<void> {
  await page.locator("#name").fill(name);
  await page.locator("#password").fill(password);
  await page.locator("#password").press("Enter");
}

const report = (line: string) => EXPECTED.test(line) || problems.push(line);

const connected = (page: Page) => page.locator("#status", { hasText: /^connected$/ }).waitFor();

async function open(name: string, password: string): Promise<Page> {
  const page = await browser.context.newPage();
  page.on("console", (line) => ["error", "warning"].includes(line.type()) && report(line.text()));
  page.on("pageerror", (error) => report(`${error}`));
  await page.goto(chat.page);
  await enter(page, name, password);
  await connected(page);
  return page;
}

async function say(page: Page, text: string): Promise<void> {
  await page.locator("#text").fill(text);
  await page.locator("#text").press("Enter");
}

/** Waits for a message of this user. */
const hears = (page: Page, name: string, text: string) =>
  page
    .locator("#messages .message", { has: page.locator(".name", { hasText: name }) })
    .getByText(text)
    .waitFor();

const notices = (page: Page, text: string) => page.locator("#messages .notice", { hasText: text });

const shows = (page: Page, id: string, text: string | RegExp) => page.locator(`#${id}`, { hasText: text }).waitFor();

const members = (page: Page) => page.locator("#members .name").allTextContents();

const hasMembers = (page: Page, ...names: string[]) =>
  until(async () => `${await members(page)}` === `${names}`, `the members are ${names}`, SLOW);

/** Returns a token as the backend makes it, with its secret or another one. */
function makeToken(claims: object, key = readFileSync(join(chat.folder, "data/token-secret"), "utf8").trim()): string {
  const signed = [{ alg: "HS256", typ: "JWT" }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
}

/** Loads the page with this token in place of its own. */
async function reloadWith(page: Page, token: string): Promise<void> {
  await page.evaluate((token) => {
    const login = JSON.parse(sessionStorage.getItem("login") ?? "{}") as object;
    sessionStorage.setItem("login", JSON.stringify({ ...login, token }));
  }, token);
  await page.reload();
}

const seconds = () => Math.floor(Date.now() / 1000);

const tokenOf = (page: Page) =>
  page.evaluate(() => (JSON.parse(sessionStorage.getItem("login") ?? "{}") as { token: string }).token);

/** Publishes over HTTP with a token, as another program could. */
const publish = (token: string, more = "") =>
  fetch(`http://127.0.0.1:${chat.port(8800)}/publish?subject=${ROOM}${more}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
    body: "by another program",
  }).then((answer) => answer.json() as Promise<{ code?: string; reason?: string }>);

/** Sends a request to the backend as Belfry does, with a signature. */
async function sendAsBelfry(path: string, request: object, signature?: string): Promise<Response> {
  const secret = readFileSync(join(chat.folder, "data/webhook-secret"), "utf8").trim().replace("whsec_", "");
  const body = JSON.stringify(request);
  const time = seconds();
  const hmac = createHmac("sha256", Buffer.from(secret, "base64")).update(`test.${time}.${body}`);
  return fetch(`http://127.0.0.1:${chat.port(8080)}/belfry/${path}`, {
    method: "POST",
    headers: {
      "webhook-id": "test",
      "webhook-timestamp": `${time}`,
      "webhook-signature": signature ?? `v1,${hmac.digest("base64")}`,
    },
    body,
  });
}

const decision = async (type: string, user: string) =>
  (await sendAsBelfry("decide", { type, subject: ROOM, user, session: "s" })).json() as Promise<{ allow: boolean }>;

test("the chat refuses a wrong password with a clear message", async () => {
  const page = await browser.context.newPage();
  await page.goto(chat.page);
  for (const name of ["bob", "nobody", "constructor"]) {
    await enter(page, name, "");
    await enter(page, name, "wrong");
    await shows(page, "left", "Wrong name or password.");
  }
  await page.close();
});

test("a message of the chat arrives with the name of its user, live and from the history", async () => {
  await say(ada, "good morning");
  await hears(bob, "ada", "good morning");
  await say(bob, "hello ada");
  await hears(ada, "bob", "hello ada");
  await bob.reload();
  await connected(bob);
  await hears(bob, "ada", "good morning");
  await hears(bob, "bob", "hello ada");
  assert.equal(await bob.locator("#messages .own").count(), 1);
});

test("a text of a user is never HTML", async () => {
  const text = `<img src=x onerror="document.title='broken'"><script>document.title='broken'</script>`;
  await say(bob, text);
  await hears(ada, "bob", text);
  for (const page of [ada, bob]) {
    assert.equal(await page.locator("#messages img, #messages script").count(), 0);
    assert.equal(await page.title(), "Chat");
  }
});

test("nobody can write in the name of another user", async () => {
  const token = await tokenOf(bob);
  assert.equal((await publish(token, "&header=$publisher=ada")).code, "bad-headers");
  const claims = { sub: "ada", exp: seconds() + 60 };
  const [head = "", body = ""] = makeToken(claims).split(".");
  const forgeries = [
    makeToken(claims, "another secret"),
    `${head}.${body}.`,
    `${head}.${body}.${token.split(".")[2]}`,
    "x",
  ];
  for (const forged of forgeries) assert.equal((await publish(forged)).code, "unauthorized");
  assert.equal((await publish("")).code, "publish-denied");
  assert.equal((await publish(token)).code, undefined);
  await hears(ada, "bob", "by another program");
  assert.equal(await ada.locator("#messages .message", { hasText: "by another program" }).count(), 1);
});

test("the backend accepts signed requests of Belfry only", async () => {
  for (const path of ["decide", "events"]) {
    assert.equal((await sendAsBelfry(path, { type: "publish", user: "bob" }, "v1,AAAA")).status, 401);
    assert.equal((await sendAsBelfry(path, { type: "publish" }, "v2,\u00e4")).status, 401);
    assert.equal((await sendAsBelfry(path, {})).status, 400);
  }
  assert.equal((await decision("publish", "bob")).allow, true);
  assert.equal((await decision("another", "bob")).allow, false);
});

test("a token that expires is replaced, and an expired one ends the login", async () => {
  const page = await open("bob", "builder");
  const short = makeToken({ sub: "bob", exp: seconds() + 10 });
  await reloadWith(page, short);
  await connected(page);
  await until(async () => (await tokenOf(page)) !== short, "another token", SLOW);
  await until(async () => (await publish(short)).code === "unauthorized", "the end of the first token", SLOW);
  await say(page, "with another token");
  await hears(ada, "bob", "with another token");
  await reloadWith(page, makeToken({ sub: "bob", exp: seconds() - 1 }));
  await shows(page, "left", "The login has expired.");
  await page.close();
});

test("the members of the chat are those who are there", async () => {
  await hasMembers(ada, "ada", "bob");
  await hasMembers(bob, "ada", "bob");
  await shows(bob, "count", "2 here");
  assert.equal(await bob.locator("#members li", { hasText: "ada" }).locator(".badge").textContent(), "moderator");
  assert.equal(await bob.locator("#members button").count(), 0);
});

test("a muted user reads on, and cannot write until a moderator allows it", async () => {
  await ada.getByLabel("mute bob", { exact: true }).press("Enter");
  await notices(bob, "ada muted bob").waitFor();
  await say(bob, "may I?");
  await shows(bob, "problem", "Not sent: a moderator has muted you.");
  assert.equal(await bob.locator("#text").inputValue(), "may I?");
  assert.equal((await publish(await tokenOf(bob))).code, "publish-denied");
  await say(ada, "not now");
  await hears(bob, "ada", "not now");
  await ada.getByLabel("unmute bob", { exact: true }).press("Enter");
  await notices(bob, "ada unmuted bob").waitFor();
  await bob.locator("#text").press("Enter");
  await hears(ada, "bob", "may I?");
  assert.equal(await bob.locator("#problem").textContent(), "");
});

test("only a moderator can moderate", async () => {
  const answer = await bob.evaluate(() =>
    fetch("/moderate", {
      method: "POST",
      headers: { Authorization: `Bearer ${JSON.parse(sessionStorage.getItem("login") ?? "").token}` },
      body: JSON.stringify({ act: "mute", user: "ada" }),
    }).then((answer) => answer.status),
  );
  assert.equal(answer, 403);
});

test("a ban disconnects the user, and refuses each later command and login", async () => {
  const focused = ada.getByLabel("mute bob", { exact: true });
  await focused.focus();
  const cleo = await open("cleo", "patra");
  await hasMembers(ada, "ada", "bob", "cleo");
  assert.ok(await focused.evaluate((button) => button === document.activeElement), "the list changed under the focus");
  const token = await tokenOf(cleo);
  assert.equal((await publish(token)).code, undefined);
  await ada.getByLabel("ban cleo", { exact: true }).press("Enter");
  await shows(cleo, "left", "A moderator has banned you.");
  assert.equal((await publish(token)).code, "unauthorized");
  assert.equal((await decision("publish", "cleo")).allow, false);
  assert.equal((await decision("subscribe", "cleo")).allow, false);
  await enter(cleo, "cleo", "patra");
  await shows(cleo, "left", "A moderator has banned you.");
  await notices(bob, "ada banned cleo").waitFor();
  await notices(bob, "cleo left").waitFor({ timeout: SLOW });
  await hasMembers(ada, "ada", "bob");
  await cleo.close();
});

test("without its backend the chat refuses messages and says so, and works again with it", async () => {
  await chat.kill("backend");
  await say(bob, "anybody?");
  await shows(bob, "problem", "Not sent: the backend of the chat does not answer. Try again soon.");
  await startBackend();
  // A server that met five failures waits for Decide.PauseTime, 5 s; one failure is not enough.
  await bob.locator("#text").press("Enter");
  await hears(ada, "bob", "anybody?");
  assert.equal(await ada.locator("#messages .message", { hasText: "anybody?" }).count(), 1);
  assert.equal((await decision("publish", "cleo")).allow, false);
  await ada.getByLabel("unban cleo", { exact: true }).press("Enter");
  await notices(bob, "ada unbanned cleo").waitFor();
  assert.equal((await decision("publish", "cleo")).allow, true);
});

test("after a restart of Belfry the pages resume, and nothing is missing", async () => {
  await chat.kill("server");
  await shows(ada, "status", "connection lost, reconnecting");
  await chat.startServer();
  for (const page of [ada, bob]) await connected(page);
  await say(ada, "still there?");
  await hears(bob, "ada", "still there?");
  assert.equal(await bob.locator("#messages .message", { hasText: "good morning" }).count(), 1);
  assert.equal(await notices(bob, "missing").count(), 0);
  await hasMembers(bob, "ada", "bob");
});

test("the page of the chat fits narrow and wide windows, in light and dark", async () => {
  await say(ada, `a long word: ${"x".repeat(300)}`);
  await hears(bob, "ada", "a long word");
  for (const colorScheme of ["light", "dark"] as const) {
    await ada.emulateMedia({ colorScheme });
    for (const width of [360, 1400]) {
      await ada.setViewportSize({ width, height: 800 });
      assert.equal(await ada.evaluate(() => document.documentElement.scrollWidth), width);
      await ada.screenshot({ path: `build/chat-${colorScheme}-${width}.png` });
    }
  }
});

test("a user who closes the page leaves the members, and one event tells it", async () => {
  await bob.reload();
  await connected(bob);
  await bob.close();
  await notices(ada, "bob left").waitFor({ timeout: SLOW });
  await hasMembers(ada, "ada");
  const session = { time: Date.now(), session: "s", user: "bob", code: "client-closed" };
  const batch = { node: "n", run: 1, events: [{ seq: 1, type: "session.closed", ...session }] };
  for (let i = 0; i < 2; i++) assert.equal((await sendAsBelfry("events", batch)).status, 200);
  await until(async () => (await notices(ada, "bob left").count()) === 2, "the notice of the test", SLOW);
  // A backend that was restarted has forgotten the number; Belfry has not forgotten the msgId.
  await chat.kill("backend");
  await startBackend();
  assert.equal((await sendAsBelfry("events", batch)).status, 200);
  const later = { ...batch, events: [{ ...batch.events[0], seq: 2, user: "cleo" }] };
  assert.equal((await sendAsBelfry("events", later)).status, 200);
  await until(async () => (await notices(ada, "cleo left").count()) === 2, "the notice about cleo", SLOW);
  await say(ada, "alone");
  await hears(ada, "ada", "alone");
  assert.equal(await notices(ada, "bob left").count(), 2);
});

test("the pages of the chat report no problem", () => {
  assert.deepEqual(problems, []);
});
