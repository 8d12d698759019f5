// After a disconnect, and in its next run, the application receives what was published on all subjects of a pattern.
import { connectPatterns } from "belfry-client/patterns";

declare function load(): string | undefined;
declare function store(symbol: string, price: string, position: string | undefined): void;

const client = connectPatterns({ servers: "wss://a.example" });
const prices = client.subscribe("/prices/*", { from: load() });
for await (const item of prices) {
  if (item.kind === "message") store(item.subject, item.data, prices.position);
}
