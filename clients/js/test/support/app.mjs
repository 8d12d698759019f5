// An application that has installed the archive, and a server for it.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { freePort } from "./ports.mjs";

/** Runs a program and returns its output. */
export const run = (command, args, options) =>
  execFileSync(command, args, { encoding: "utf8", stdio: "pipe", ...options });

/** Packs the package and installs it in a new application in a folder; returns the folder of the application. */
export function installArchive(folder) {
  const app = join(folder, "app");
  const [{ filename }] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", folder]));
  mkdirSync(app);
  writeFileSync(join(app, "package.json"), '{"type":"module","private":true}');
  const options = ["--offline", "--no-audit", "--no-fund", "--omit=peer"];
  run("npm", ["install", ...options, join(folder, filename)], { cwd: app });
  mkdirSync(join(app, "node_modules/@types"), { recursive: true });
  for (const name of ["ws", "react", "@types/ws", "@types/react", "@types/node", "csstype", "undici-types"]) {
    symlinkSync(resolve("node_modules", name), join(app, "node_modules", name));
  }
  return app;
}

/** Starts a built server with its logs in a folder; resolves when it is ready. */
export async function startServer(folder) {
  const port = await freePort();
  const settings = [`Listen=127.0.0.1:${port}`, `LogFolder=${folder}/logs`, "Monitor=none"];
  const sets = settings.flatMap((set) => ["--set", set]);
  const env = { ...process.env, BELFRY_AOT_CACHE: "keep" };
  const server = spawn("../../bin/belfry", ["run", "--name", `package-${port}`, ...sets], { env, stdio: "ignore" });
  for (let i = 0; i < 300; i++) {
    if ((await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined))?.ok) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { url: `ws://127.0.0.1:${port}`, stop: () => server.kill("SIGKILL") };
}
