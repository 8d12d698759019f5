import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { Browser } from "../../../clients/js/test/support/chromium.js";
import { PAGES } from "../../src/routes.js";
import { MockServer } from "../support/mock-server.js";
import { problems, watch } from "../support/problems.js";

const AXE = createRequire(`${process.cwd()}/package.json`).resolve("axe-core/axe.min.js");
const WIDTHS = [1400, 390];
const SCHEMES = ["light", "dark"] as const;
const DETAILS: { [page: string]: string } = { sessions: "?session=3f9a523ea3", subjects: "?open=/prices/eur" };

/** Pages whose lists are too long for a picture. */
const LONG = new Set<string>(["sessions", "subjects", "settings"]);

let mock: MockServer;
let browser: Browser;
let page: Page;

before(async () => {
  mkdirSync("build/pictures", { recursive: true });
  mock = await MockServer.start();
  browser = await Browser.start();
  page = await browser.context.newPage();
  watch(page);
  await page.goto(mock.page);
  await page.locator("main.now canvas.heat").waitFor();
});

after(async () => {
  await browser?.stop();
  await mock?.stop();
});

/** Returns the violations that axe finds. The content policy of the page does not apply in the isolated world. */
async function violations(): Promise<string[]> {
  const { readFileSync } = await import("node:fs");
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId } = await session.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id });
  const run = (expression: string) =>
    session.send("Runtime.evaluate", {
      expression,
      contextId: executionContextId,
      awaitPromise: true,
      returnByValue: true,
    });
  await run(readFileSync(AXE, "utf8"));
  const { result, exceptionDetails } = await run(`axe.run().then((found) => found.violations.map((each) =>
    each.id + ": " + each.nodes.slice(0, 3).map((node) => node.html.slice(0, 160) + " " + (node.any[0]?.message ?? "")).join(" | ")))`);
  await session.detach();
  assert.equal(exceptionDetails, undefined);
  return result.value as string[];
}

for (const name of PAGES) {
  for (const colorScheme of SCHEMES) {
    for (const width of WIDTHS) {
      // One window of each colour scheme: axe takes most of the time, and the width does not change the colours.
      const checked = (colorScheme === "light") === width > 800;
      test(`${name} in ${colorScheme} at ${width} pixels ${checked ? "has no violation of axe and " : ""}fits`, async () => {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await page.setViewportSize({ width, height: width > 800 ? 1000 : 844 });
        await page.goto(`${mock.page}#/${name}${DETAILS[name] ?? ""}`);
        await page.locator(`main.${name} h1`).waitFor();
        await page.waitForFunction(
          () => ![...document.querySelectorAll(".empty")].some((each) => /^(Waiting|Measuring)/.test(each.textContent)),
        );
        await page.waitForTimeout(name === "subjects" ? 2000 : 300);
        await page.screenshot({
          path: `build/pictures/${name}-${colorScheme}-${width}.png`,
          fullPage: !LONG.has(name),
          caret: "initial",
        });
        if (checked) assert.deepEqual(await violations(), []);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, "fits the window");
      });
    }
  }
}

test("the picture of the documentation is a page that is well", async () => {
  const well = await MockServer.start({ well: true });
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.setViewportSize({ width: 1400, height: 840 });
  await page.goto(well.page);
  await page.locator(".box").first().waitFor();
  await page.waitForTimeout(300);
  await page.screenshot({ path: "build/pictures/console.png", caret: "initial" });
  await well.stop();
});

test("no page violated its content policy or failed", () => assert.deepEqual(problems(page), []));
