import { build } from "esbuild";
import { bundleTests } from "./bundle-tests.mjs";

await bundleTests(build, ["unit", "integration", "browser"]);
