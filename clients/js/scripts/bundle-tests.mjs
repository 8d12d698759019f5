// Bundles each test with the sources that it tests, because Node.js 20 does not run TypeScript.
import { readdirSync, rmSync } from "node:fs";

/** Bundles the tests of some folders below test/ into build/test. The caller passes the `build` of its own esbuild. */
export async function bundleTests(build, folders, plugins = []) {
  rmSync("build/test", { recursive: true, force: true });
  for (const folder of folders) {
    await build({
      entryPoints: readdirSync(`test/${folder}`)
        .filter((file) => file.endsWith(".test.ts"))
        .map((file) => `test/${folder}/${file}`),
      bundle: true,
      platform: "node",
      format: "esm",
      packages: "external",
      plugins,
      sourcemap: "inline",
      outdir: `build/test/${folder}`,
      logLevel: "warning",
    });
  }
}
