// Builds dist/: modules for bundlers, declarations, one file for a script tag; checks the sizes and the package.
// Then writes build/page and build/reference.md.
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/** Largest sizes in bytes after gzip -9, of what an application adds to its bundle. The goal of the core is 8,192 bytes. */
const LIMITS = [
  { name: "core", code: 'import { connect, json } from "belfry-client"; console.log(connect, json);', max: 9_600 },
  {
    name: "core and HTTP",
    code: `import { connect, json, webSocket } from "belfry-client";
           import { httpStream, longPoll } from "belfry-client/http";
           console.log(connect, json, webSocket, httpStream, longPoll);`,
    max: 11_750,
  },
  {
    name: "core and kept sessions",
    code: `import { connect, json, webSocket } from "belfry-client";
           import { keepSession } from "belfry-client/keep";
           console.log(connect, json, webSocket, keepSession);`,
    max: 10_400,
  },
  {
    name: "core and deltas",
    code: `import { connect, json, webSocket } from "belfry-client";
           import { deltas } from "belfry-client/delta";
           console.log(connect, json, webSocket, deltas);`,
    max: 10_800,
  },
  {
    name: "core and names of clients",
    code: `import { connect, json, webSocket } from "belfry-client";
           import { named } from "belfry-client/name";
           console.log(connect, json, webSocket, named);`,
    max: 9_950,
  },
  {
    name: "core and positions of patterns",
    code: `import { json } from "belfry-client";
           import { connectPatterns } from "belfry-client/patterns";
           console.log(connectPatterns, json);`,
    max: 12_200,
  },
  {
    name: "core and requests",
    code: `import { connect, json, webSocket } from "belfry-client";
           import { reply, request } from "belfry-client/requests";
           console.log(connect, json, webSocket, reply, request);`,
    max: 11_100,
  },
  {
    name: "core and publishes without echo",
    code: `import { connect, json, webSocket } from "belfry-client";
           import { publishWithoutEcho } from "belfry-client/echo";
           console.log(connect, json, webSocket, publishWithoutEcho);`,
    max: 10_500,
  },
  {
    name: "core and shared tabs",
    code: `import { connectTabs } from "belfry-client/tabs";
           import { json } from "belfry-client";
           console.log(connectTabs, json);`,
    max: 12_800,
  },
  {
    name: "core, shared tabs and positions of patterns",
    code: `import { json } from "belfry-client";
           import { connectPatterns } from "belfry-client/patterns";
           import { connectTabs } from "belfry-client/tabs";
           console.log(connectTabs, connectPatterns, json);`,
    max: 15_500,
  },
];

const entries = [
  "index",
  "api/index",
  "delta/index",
  "echo/index",
  "http/index",
  "keep/index",
  "name/index",
  "patterns/index",
  "requests/index",
  "tabs/index",
  "react/index",
  "migratorydata/index",
];

const common = {
  bundle: true,
  format: "esm",
  target: "es2022",
  minifySyntax: true,
  mangleProps: /^_/,
  legalComments: "none",
};

rmSync("dist", { recursive: true, force: true });

// Properties that begin with _ are internal to the package; the build shortens their names in all files alike.
await build({
  ...common,
  entryPoints: entries.map((entry) => ({ in: `src/${entry}.ts`, out: entry })),
  splitting: true,
  chunkNames: "shared/[name]-[hash]",
  external: ["react"],
  sourcemap: true,
  outdir: "dist",
});
await build({
  ...common,
  entryPoints: ["src/min.ts"],
  minify: true,
  format: "iife",
  globalName: "belfry",
  outfile: "dist/belfry.min.js",
});
execFileSync("node", ["node_modules/typescript/bin/tsc", "-p", "tsconfig.json", "--emitDeclarationOnly"], {
  stdio: "inherit",
});
copyFileSync("../../LICENSE", "LICENSE");

for (const { name, code, max } of LIMITS) {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: process.cwd() },
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    // The package declares itself free of side effects, so an import without names is removed as intended.
    logOverride: { "ignored-bare-import": "silent" },
    write: false,
  });
  const size = gzipSync(outputFiles[0].contents, { level: 9 }).length;
  console.log(`${name}: ${size} bytes after gzip, at most ${max}`);
  if (size > max) throw new Error(`${name} is ${size - max} bytes too large`);
}

/** Declarations that an application sees; those of internal modules are removed. */
const seen = new Set();
function follow(file) {
  if (seen.has(file)) return;
  seen.add(file);
  const text = readFileSync(file, "utf8");
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "");
  if (/[:<|&,=] *any\b/.test(code)) throw new Error(`${file} has the type any`);
  for (const [, path] of code.matchAll(/from "(\.[^"]*)\.js"/g)) follow(join(dirname(file), `${path}.d.ts`));
}
for (const entry of entries) follow(join("dist", `${entry}.d.ts`));
for (const file of readdirSync("dist", { recursive: true }).map((name) => join("dist", name))) {
  if (file.endsWith(".d.ts") && !seen.has(file)) rmSync(file);
}

// The page of bin/belfry demo and of the first tutorial, with the client beside it.
rmSync("build/page", { recursive: true, force: true });
cpSync("examples/page", "build/page", { recursive: true });
copyFileSync("dist/belfry.min.js", "build/page/belfry.min.js");

await import("./reference.mjs");
