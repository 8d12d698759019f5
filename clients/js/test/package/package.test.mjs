// Tests the archive as an application gets it.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";

const run = (command, args, options) => execFileSync(command, args, { encoding: "utf8", stdio: "pipe", ...options });

let folder;
let server;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "belfry-package-"));
  const [{ filename }] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", folder]));
  mkdirSync(join(folder, "app"));
  writeFileSync(join(folder, "app/package.json"), '{"type":"module","private":true}');
  run("npm", ["install", "--offline", "--no-audit", "--no-fund", "--omit=peer", join(folder, filename)], {
    cwd: join(folder, "app"),
  });
  mkdirSync(join(folder, "app/node_modules/@types"), { recursive: true });
  for (const name of ["ws", "react", "@types/ws", "@types/react", "@types/node", "csstype", "undici-types"]) {
    symlinkSync(resolve("node_modules", name), join(folder, "app/node_modules", name));
  }
});

after(() => {
  server?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

test("the archive has the license, the readme and no sources or tests", () => {
  const installed = join(folder, "app/node_modules/belfry-client");
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
  const app = join(folder, "app");
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
  const code = readFileSync(join(folder, "app/node_modules/belfry-client/dist/belfry.min.js"), "utf8");
  const belfry = new Function(`${code}; return belfry;`)();
  assert.equal(typeof belfry.connect, "function");
  assert.equal(belfry.httpStream.name, "httpStream");
});

test("the package can be required by CommonJS of a current Node.js", { skip: !process.features.require_module }, () => {
  const code = 'console.log(typeof require("belfry-client").connect)';
  assert.equal(run("node", ["-e", code], { cwd: join(folder, "app") }).trim(), "function");
});

test("the program of the readme runs", async () => {
  const port = await freePort();
  const settings = [`Listen=127.0.0.1:${port}`, `LogFolder=${folder}/logs`, "Monitor=none"];
  const sets = settings.flatMap((set) => ["--set", set]);
  server = spawn("../../bin/belfry", ["run", "--name", `package-${port}`, ...sets], { stdio: "ignore" });
  for (let i = 0; i < 300; i++) {
    if ((await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined))?.ok) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const [, program] = /```js\n([\s\S]*?)```/.exec(readFileSync("README.md", "utf8"));
  writeFileSync(join(folder, "app/hello.mjs"), program);
  const env = { ...process.env, BELFRY: `ws://127.0.0.1:${port}` };
  const output = run("node", ["hello.mjs"], { cwd: join(folder, "app"), env, timeout: 20_000 });
  assert.match(
    output,
    /^\* connecting\n\* connected\n\* subscribed\npublished at \d+:1\n\/hello\/world Good morning \d+:1\n/,
  );
});

async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
