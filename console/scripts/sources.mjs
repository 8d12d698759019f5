// Shared by all bundles of the console.
import { readFileSync } from "node:fs";

/** Provides `belfry:codes`: the codes of the protocol with their sentences, read from the server's sources. */
export const codes = {
  name: "codes",
  setup(build) {
    build.onResolve({ filter: /^belfry:codes$/ }, ({ path }) => ({ path, namespace: "codes" }));
    build.onLoad({ filter: /.*/, namespace: "codes" }, () => {
      const file = "../protocol/src/main/java/io/belfry/protocol/Code.java";
      const source = readFileSync(file, "utf8");
      const found = [...source.matchAll(/[A-Z_0-9]+\(\s*"([a-z0-9-]+)",\s*\d+,\s*\d+,\s*"([^"]+)"\)/g)];
      if (found.length < 50) throw new Error(`${file} has only ${found.length} codes that this build understands`);
      const codes = Object.fromEntries(found.map(([, code, sentence]) => [code, sentence]));
      return { contents: `export const CODES = ${JSON.stringify(codes)};`, loader: "js", watchFiles: [file] };
    });
  },
};
