import { readFileSync } from "node:fs";
import type { Settings } from "../../src/types.js";
import { HOSTILE } from "./mock-data.js";

const SET: { [key: string]: [value: string, source: string] } = {
  Memory: ["4 GB", "belfry.conf:3"],
  Listen: ["*:8800", "belfry.conf:4"],
  ListenEncrypted: ["*:8443", "belfry.conf:5"],
  AllowedOrigins: [`https://app.example.com, ${HOSTILE}`, "belfry.conf:9"],
  EntitlementAllowToken: ["(hidden)", "BELFRY_ENTITLEMENTALLOWTOKEN"],
  MonitorPassword: ["(hidden)", "--set"],
  "Limit.ConnectRate": ["2000", "belfry.conf:14"],
};

const unlinked = (text: string): string => text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").trim();

const unquoted = (text: string) => text.replaceAll("`", "");

/** The keys of docs/configuration.md with their defaults; a few have other values. */
export const SETTINGS: Settings = {
  settings: readFileSync("../docs/configuration.md", "utf8")
    .split(/^## /m)
    .flatMap((part) => {
      const chapter = part.slice(0, part.indexOf("\n"));
      return [...part.matchAll(/^\| `([A-Z][\w.]+)` \|(.*)\|$/gm)].map(([, key = "", rest = ""]) => {
        const [, value = "", reload, sentence = ""] = rest.split(" | ").map(unlinked);
        const [set, source] = SET[key] ?? [];
        return {
          key,
          chapter,
          value: set ?? unquoted(value),
          source: source ?? "default",
          default: unquoted(value),
          reload: reload === "yes",
          sentence,
        };
      });
    }),
  doctor: [
    {
      severity: "serious",
      text: "open files: the limit is 1024, 16000 are needed for 15000 clients",
      fix: "ulimit -n 32768",
    },
    {
      severity: "advice",
      text: "SYN queue: net.ipv4.tcp_max_syn_backlog is 2048, 4096 are needed when many clients reconnect at once",
      fix: "sysctl -w net.ipv4.tcp_max_syn_backlog=4096",
    },
  ],
  certificateExpires: null,
};
