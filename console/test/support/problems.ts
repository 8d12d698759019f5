import type { Page } from "playwright-core";

const LINES = new WeakMap<Page, string[]>();

/** Records errors and violations of the content policy that the page reports. */
export function watch(page: Page): void {
  const lines: string[] = [];
  LINES.set(page, lines);
  page.on("console", (line) => ["error", "warning"].includes(line.type()) && lines.push(line.text()));
  page.on("pageerror", (error) => lines.push(`${error}`));
  page.on("dialog", (dialog) => {
    lines.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
}

export const problems = (page: Page): string[] => LINES.get(page) ?? [];
