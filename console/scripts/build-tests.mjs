import { build } from "esbuild";
import { bundleTests } from "../../clients/js/scripts/bundle-tests.mjs";
import { codes } from "./sources.mjs";

await bundleTests(build, ["unit", "browser"], [codes]);
