// Tests the archive as an application gets it.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { installArchive, run, startServer } from "../support/app.mjs";

let folder;
let app;
let server;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "belfry-package-"));
  app = installArchive(folder);
});

after(() => {
  server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("the archive has the license, the readme and no sources or tests", () => {
  const installed = join(app, "node_modules/belfry-client");
  assert.deepEqual(readdirSync(installed).sort(), ["LICENSE", "README.md", "dist", "package.json"]);
  assert.deepEqual(Object.keys(JSON.parse(readFileSync(join(installed, "package.json"))).dependencies ?? {}), []);
});

test("publint finds nothing to complain of", () => {
  assert.match(run("npx", ["publint", "--strict"]), /All good!/);
});

test("attw finds every declaration for ES modules", () => {
  run("npx", ["attw", "--pack", ".", "--profile", "esm-only", "--exclude-entrypoints", "./package.json"]);
});

test("the examples are type correct", () => {
  cpSync("examples", join(app, "examples"), { recursive: true });
  const compilerOptions = {
    target: "ES2022",
    module: "NodeNext",
    lib: ["ES2022", "DOM", "ESNext.Disposable"],
    types: ["node"],
    jsx: "react-jsx",
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: false,
  };
  writeFileSync(join(app, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["examples"] }));
  run("node", [resolve("node_modules/typescript/bin/tsc"), "-p", app]);
});

test("the script for a page works without a bundler", async () => {
  const code = readFileSync(join(app, "node_modules/belfry-client/dist/belfry.min.js"), "utf8");
  const belfry = new Function(`${code}; return belfry;`)();
  assert.equal(typeof belfry.connect, "function");
  assert.equal(belfry.httpStream.name, "httpStream");
});

test("the package can be required by CommonJS of a current Node.js", { skip: !process.features.require_module }, () => {
  const code = 'console.log(typeof require("belfry-client").connect)';
  assert.equal(run("node", ["-e", code], { cwd: app }).trim(), "function");
});

test("the program of the readme runs", async () => {
  server = await startServer(folder);
  const [, program] = /```js\n([\s\S]*?)```/.exec(readFileSync("README.md", "utf8"));
  writeFileSync(join(app, "hello.mjs"), program);
  const env = { ...process.env, BELFRY: server.url };
  const output = run("node", ["hello.mjs"], { cwd: app, env, timeout: 20_000 });
  assert.match(
    output,
    /^\* connecting\n\* connected\n\* subscribed\npublished at \d+:1\n\/hello\/world Good morning \d+:1\n/,
  );
});
