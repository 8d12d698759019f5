import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

const build = (folder: string): { [file: string]: Buffer } => {
  execFileSync("node", ["scripts/build.mjs", folder]);
  return Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(`${folder}/${file}`)]));
};

test("two builds have equal bytes, and all files together are small", () => {
  const one = build("build/reproduced/one");
  const two = build("build/reproduced/two");
  assert.deepEqual(Object.keys(one).sort(), ["app.css", "app.js", "icon.svg", "index.html"]);
  for (const file of Object.keys(one)) assert.ok(two[file] && one[file]?.equals(two[file]), file);
  const total = Object.values(one).reduce((sum, bytes) => sum + gzipSync(bytes, { level: 9 }).length, 0);
  assert.ok(total < 100_000, `${total} bytes after gzip`);
});

test("the pages name no other host and have no inline script or style", () => {
  const { "index.html": page, "app.css": css } = build("build/reproduced/one");
  assert.doesNotMatch(`${page}${css}`, /https?:|\/\/[a-z]|url\(/i);
  assert.doesNotMatch(`${page}`, /<style|style=|\son[a-z]+=|<script(?! src="app.js" defer><\/script>)/i);
});
