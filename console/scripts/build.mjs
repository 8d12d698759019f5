// Builds the pages into build/site, or the folder given, and checks their size.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { codes } from "./sources.mjs";

/** Largest size in bytes of all files together after gzip -9. */
const LIMIT = 100_000;

const site = process.argv[2] ?? "build/site";
rmSync(site, { recursive: true, force: true });
mkdirSync(site, { recursive: true });
const common = { bundle: true, minify: true, target: "es2022", legalComments: "none", charset: "utf8" };
await build({
  ...common,
  entryPoints: ["src/main.ts"],
  format: "iife",
  conditions: ["production"],
  plugins: [codes],
  outfile: join(site, "app.js"),
});
await build({ ...common, entryPoints: ["src/app.css"], outfile: join(site, "app.css") });
copyFileSync("src/index.html", join(site, "index.html"));
copyFileSync("src/icon.svg", join(site, "icon.svg"));

const size = (file) => gzipSync(readFileSync(join(site, file)), { level: 9 }).length;
const sizes = readdirSync(site)
  .sort()
  .map((file) => [file, size(file)]);
const total = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
console.log(`console: ${total} bytes after gzip, at most ${LIMIT} (${sizes.map((each) => each.join(" ")).join(", ")})`);
if (total > LIMIT) throw new Error(`the console is ${total - LIMIT} bytes too large`);
