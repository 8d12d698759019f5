import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Demo } from "../support/demo.js";
import { stopAll } from "../support/server.js";

let demo: Demo;

before(async () => {
  demo = await Demo.start();
});

after(stopAll);

async function get(path: string, type: string): Promise<string> {
  const response = await fetch(new URL(path, demo.page));
  assert.deepEqual([response.status, response.headers.get("content-type")], [200, type], path);
  return response.text();
}

test("the demo serves its page and the built client", async () => {
  assert.match(demo.output, /page with live messages: http:\S+\n/);
  await get(demo.page, "text/html; charset=utf-8");
  await get("page.css", "text/css; charset=utf-8");
  await get("icon.svg", "image/svg+xml");
  await get("page.js", "text/javascript; charset=utf-8");
  const client = await get("belfry.min.js", "text/javascript; charset=utf-8");
  assert.equal(client, readFileSync("dist/belfry.min.js", "utf8"));
});

test("the page permits only its own server and no inline code", async () => {
  const page = await get(demo.page, "text/html; charset=utf-8");
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? "";
  assert.match(policy, /default-src 'none'/);
  for (const rule of policy.split("; ")) assert.match(rule, /^[a-z-]+ '(none|self)'$/);
  assert.doesNotMatch(page, /<script(?![^>]* src=)|<style| style=| on[a-z]+=|https?:/);
});

test("requests of the page do not disturb the figures of the demo", async () => {
  assert.equal(await demo.stop(), 0, demo.output);
  assert.match(demo.output, /lost +0\n/);
  assert.match(demo.output, /nothing was lost/);
});
