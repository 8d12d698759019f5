// Bundles each test with the sources that it tests, because Node.js 20 does not run TypeScript.
import { readdirSync, rmSync } from "node:fs";
import { build } from "esbuild";
import { codes } from "./sources.mjs";

rmSync("build/test", { recursive: true, force: true });
for (const folder of ["unit", "browser"]) {
  await build({
    entryPoints: readdirSync(`test/${folder}`)
      .filter((file) => file.endsWith(".test.ts"))
      .map((file) => `test/${folder}/${file}`),
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    plugins: [codes],
    sourcemap: "inline",
    outdir: `build/test/${folder}`,
    logLevel: "warning",
  });
}
