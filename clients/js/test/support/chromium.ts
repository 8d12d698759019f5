import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright-core";

const FLAGS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking " +
  "--disable-component-update --disable-sync";

/** A browser without a window, with a profile of its own. */
export class Browser {
  readonly context: BrowserContext;
  readonly #profile: string;

  private constructor(context: BrowserContext, profile: string) {
    this.context = context;
    this.#profile = profile;
  }

  static async start(): Promise<Browser> {
    const profile = mkdtempSync(join(tmpdir(), "belfry-chromium-"));
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      headless: true,
      args: FLAGS.split(" "),
      // Playwright's default would hide how pages leave the back/forward cache.
      ignoreDefaultArgs: ["--disable-back-forward-cache"],
    });
    return new Browser(context, profile);
  }

  async stop(): Promise<void> {
    await this.context.close();
    rmSync(this.#profile, { recursive: true, force: true });
  }
}
