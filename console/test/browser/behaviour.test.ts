import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import type { Page } from "playwright-core";
import { Browser } from "../../../clients/js/test/support/chromium.js";
import { HOSTILE } from "../support/mock-data.js";
import { type MockOptions, MockServer } from "../support/mock-server.js";
import { problems, watch } from "../support/problems.js";

let browser: Browser;
const opened: { mock: MockServer; page: Page }[] = [];

before(async () => {
  browser = await Browser.start();
});

afterEach(async () => {
  for (const { mock, page } of opened.splice(0)) {
    await page.close();
    await mock.stop();
  }
});

after(async () => {
  await browser?.stop();
});

async function open(options: MockOptions = {}, hash = ""): Promise<{ mock: MockServer; page: Page }> {
  const mock = await MockServer.start(options);
  const page = await browser.context.newPage();
  watch(page);
  opened.push({ mock, page });
  await page.goto(`${mock.page}${hash}`);
  return { mock, page };
}

async function until(condition: () => boolean | Promise<boolean>, what: string, ms = 20_000): Promise<void> {
  for (const end = Date.now() + ms; !(await condition()); ) {
    assert.ok(Date.now() < end, `no ${what} within ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const text = async (page: Page, selector: string) => (await page.locator(selector).first().textContent()) ?? "";
/** Returns the text of an element, with a single space for any whitespace or thin separator. */
const plain = async (page: Page, selector: string) => (await text(page, selector)).replace(/\s+/g, " ").trim();
const colour = (page: Page, selector: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => getComputedStyle(element).color);

/** Makes the page hidden or visible. Headless Chromium has no tabs to switch. */
const hide = (page: Page, hidden: boolean) =>
  page.evaluate(
    (state) => {
      Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    },
    hidden ? "hidden" : "visible",
  );

test("a server without problems is well", async () => {
  const { page } = await open({ well: true });
  await page.locator(".sentence", { hasText: "All is well." }).waitFor();
  assert.equal(await page.title(), "Now · Belfry");
});

test("hostile names stay text on every page", async () => {
  const { page } = await open();
  for (const [hash, selector] of [
    ["#/now", ".rows.brief a"],
    ["#/now", ".events span"],
    ["#/sessions", "table.list a"],
    [`#/sessions?session=${encodeURIComponent(HOSTILE)}`, ".drawer h2"],
    [`#/sessions?session=${encodeURIComponent(HOSTILE)}`, ".drawer table a"],
    ["#/subjects?open=/prices/eur", "table.tree .name"],
    [`#/subjects?tail=/prices/eur/${encodeURIComponent(HOSTILE)}`, ".drawer h2"],
    [`#/try?subject=/${encodeURIComponent(HOSTILE)}`, ".card label"],
    [`#/settings?filter=${encodeURIComponent("<img")}`, "table.settings code"],
  ] as const) {
    await page.goto(`${page.url().split("#")[0]}${hash}`);
    await page.locator(selector, { hasText: HOSTILE }).first().waitFor();
    assert.equal(await page.locator("img, script:not([src='app.js'])").count(), 0, hash);
  }
  assert.deepEqual(problems(page), []);
});

test("a cut stream turns the figures grey and shows since when", async () => {
  const { mock, page } = await open();
  await page.locator(".figure b").first().waitFor();
  const before = await colour(page, ".figure b");
  mock.cut();
  await page.locator(".outage", { hasText: /^\s*No data since \d\d:\d\d:\d\d\./ }).waitFor();
  assert.match(await plain(page, ".live"), /no data/);
  assert.notEqual(await colour(page, ".figure b"), before);
  assert.equal(await colour(page, ".figure b"), await colour(page, ".figure h2"));
  mock.restore();
  await page.locator(".outage").waitFor({ state: "detached" });
  assert.equal(await colour(page, ".figure b"), before);
  assert.ok(
    mock.streams.slice(1).every((after) => after >= 600),
    "only the missing seconds are requested",
  );
});

test("attempts after a failure have growing pauses", async () => {
  const { mock, page } = await open();
  await page.locator(".figure b").first().waitFor();
  mock.cut();
  await page.locator(".outage").waitFor();
  const first = mock.streams.length;
  await page.waitForTimeout(6500);
  // The attempts follow after 1 s and 2 s more. The browser itself repeats a request whose connection broke.
  assert.ok(mock.streams.length - first <= 4, `${mock.streams.length - first} attempts`);
});

test("a hidden page fetches nothing and then only the missing seconds", async () => {
  const { mock, page } = await open({ tickMillis: 200 });
  await page.locator(".figure b").first().waitFor();
  await page.locator(".box").first().waitFor();
  await hide(page, true);
  await page.waitForTimeout(300);
  const count = mock.requests.length;
  const hiddenAt = mock.latest.seq;
  await page.waitForTimeout(5000);
  assert.deepEqual(mock.requests.slice(count), []);
  await hide(page, false);
  await until(() => mock.requests.length > count, "request");
  const after = mock.streams.at(-1) ?? 0;
  assert.ok(after > 600 && after <= hiddenAt && after >= hiddenAt - 3, `after=${after}, hidden at ${hiddenAt}`);
  const end = mock.latest.seq;
  await until(
    async () => Number(await page.locator("canvas.heat").getAttribute("aria-valuenow")) >= 600,
    "600 seconds",
  );
  await until(() => mock.latest.seq > end + 3, "seconds");
  assert.equal(mock.streams.filter((each) => each === 0).length, 1);
});

test("a restarted server is followed from its first second", async () => {
  const { mock, page } = await open();
  await page.locator(".figure b").first().waitFor();
  mock.restart();
  await until(async () => Number(await page.locator("canvas.heat").getAttribute("aria-valuemax")) < 10, "few seconds");
  assert.ok(mock.streams.filter((after) => after === 0).length >= 2);
});

test("the keyboard alone freezes a second and reaches every page", async () => {
  const { page } = await open();
  const heat = page.locator("canvas.heat");
  await heat.waitFor();
  await heat.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("PageUp");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  const frozen = await plain(page, ".second h2");
  assert.match(frozen, /^The second \d\d:\d\d:\d\d$/);
  await page.waitForTimeout(2500);
  assert.equal(await plain(page, ".second h2"), frozen);
  assert.match((await heat.getAttribute("aria-valuetext")) ?? "", /median .* p99 .* maximum/);
  await page.keyboard.press("Escape");
  await page.locator(".second h2", { hasText: "This second" }).waitFor();

  const main = page.locator("main");
  for (const [index, name] of ["sessions", "subjects", "try", "cluster", "promises", "settings", "now"].entries()) {
    await page.locator(".skip").focus();
    for (let tab = 0; tab <= (index + 1) % 7; tab++) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator(`main.${name}`).waitFor();
    await until(() => main.evaluate((element) => element === document.activeElement), `focus on ${name}`);
  }
  assert.deepEqual(problems(page), []);
});

test("a click freezes the second with the spike and its collection", async () => {
  const { page } = await open();
  const heat = page.locator("canvas.heat");
  await heat.waitFor();
  // The garbage collection is in second 395 of 600. The plot begins to the right of its axis.
  const box = await heat.boundingBox();
  assert.ok(box);
  await heat.click({ position: { x: 52 + ((box.width - 96) * 394.5) / 600, y: 120 } });
  const details = await plain(page, ".second");
  assert.match(details, /The second \d\d:\d\d:\d\d/);
  for (let step = 0; step < 8 && !(await plain(page, ".second")).includes("212 ms"); step++) {
    await heat.press("ArrowLeft");
  }
  assert.match(await plain(page, ".second"), /GC ?G1 Young Generation 212 ms/);
  assert.match(await plain(page, ".second"), /Refusals ?connect-rate \d+/);
});

test("sessions are searched, sorted and paged by the server", async () => {
  const { mock, page } = await open({}, "#/sessions");
  await page.locator("table.list tbody tr").nth(99).waitFor();
  assert.match(await plain(page, ".heading p"), /15 000 of 15 000 sessions/);
  await page.getByRole("button", { name: "Next" }).click();
  await page.locator(".pager", { hasText: "2 of 150" }).waitFor();
  await page.locator("input[type=search]").fill("10.4.0.0");
  await page.locator(".heading p", { hasText: /^\d of/ }).waitFor();
  assert.match(page.url(), /#\/sessions\?search=10\.4\.0\.0$/);
  await page.locator("select").selectOption("subscriptions");
  await until(
    () => mock.requests.some((path) => path.includes("search=10.4.0.0&sort=subscriptions")),
    "sorted request",
  );
});

test("the role look may not disconnect, and the page says why", async () => {
  const { page } = await open({ role: "look" }, `#/sessions?session=${encodeURIComponent(HOSTILE)}`);
  const button = page.locator(".drawer .action button");
  await button.waitFor();
  assert.ok(await button.isDisabled());
  assert.match(await plain(page, "#why-not"), /may only look/);
});

test("the role act disconnects after a question", async () => {
  const { mock, page } = await open({ role: "act" }, `#/sessions?session=${encodeURIComponent(HOSTILE)}`);
  await page.getByRole("button", { name: "Disconnect…" }).press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Keep it");
  await page.getByRole("button", { name: "Disconnect now" }).press("Enter");
  await page.locator(".drawer", { hasText: "The session was disconnected." }).waitFor();
  assert.deepEqual(mock.disconnected, [HOSTILE]);
  await page.locator(".drawer h2").press("Escape");
  await page.locator(".drawer").waitFor({ state: "detached" });
});

test("the login asks again after a wrong password", async () => {
  const { page } = await open({ login: true });
  await page.locator("input[name=username]").fill("admin");
  await page.locator("input[name=password]").fill("wrong");
  await page.keyboard.press("Enter");
  await page.locator(".failure", { hasText: "The name or the password is wrong." }).waitFor();
  await page.locator("input[name=password]").fill("secret");
  await page.keyboard.press("Enter");
  await page.locator(".figure b").first().waitFor();
  await page.getByRole("button", { name: "Log out" }).click();
  await page.locator("input[name=username]").waitFor();
});

test("without a monitor password, a login is offered for changes", async () => {
  const { page } = await open({ changes: true });
  await page.getByRole("button", { name: "Log in for changes" }).click();
  await page.locator("input[name=username]").waitFor();
});

test("settings are filtered by words, and the address keeps the filter", async () => {
  const { page } = await open({}, "#/settings");
  await page.locator("input[type=search]").fill("history disk");
  await page.locator("table.settings th > code", { hasText: "History.DiskBytes" }).waitFor();
  assert.match(page.url(), /filter=history\+disk/);
  await page.locator("input[type=search]").fill("");
  await page.locator("input[type=checkbox]").check();
  await page.locator(".heading p", { hasText: /^7 of/ }).waitFor();
});

test("an open page keeps its memory", async () => {
  const seconds = Number(process.env.BELFRY_CONSOLE_SECONDS ?? 20);
  // The mock server sends a second every 20 ms. For a long run in real time, set the variable to 1000.
  const tickMillis = Number(process.env.BELFRY_CONSOLE_TICK_MILLIS ?? 20);
  const { mock, page } = await open({ tickMillis });
  await page.locator(".figure b").first().waitFor();
  const session = await page.context().newCDPSession(page);
  const heap = async () => {
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    const { nodes } = await session.send("Memory.getDOMCounters");
    return { usedSize, nodes };
  };
  await page.waitForTimeout(4000);
  const before = await heap();
  const seq = mock.latest.seq;
  await page.waitForTimeout(seconds * 1000);
  const after = await heap();
  assert.ok(mock.latest.seq - seq > (seconds * 200) / tickMillis, `${mock.latest.seq - seq} seconds arrived`);
  assert.ok(after.usedSize - before.usedSize < 4_000_000, `${before.usedSize} to ${after.usedSize} bytes`);
  assert.ok(after.nodes - before.nodes < 2000, `${before.nodes} to ${after.nodes} nodes`);
});
