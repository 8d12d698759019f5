// Typed payloads, a gap, and a position that is stored with the application's state.
import { connect, json, type Position } from "belfry-client";

interface Price {
  readonly bid: number;
  readonly ask: number;
}

const prices = new Map<string, Price>();
let saved: Position | undefined;

const client = connect({
  servers: ["wss://a.example", { url: "wss://b.example", weight: 50 }],
  token: async ({ signal }) => (await fetch("/token", { signal })).text(),
  onStatus: (status) => {
    if (status.type === "disconnected") console.log(`disconnected, next attempt in ${status.retryIn} ms`);
  },
});

for await (const item of client.subscribe<Price>("/prices/*", { conflate: 100, decode: json })) {
  if (item.kind === "gap") prices.delete(item.subject);
  else prices.set(item.subject, item.data);
}

client.subscribe<Price>("/prices/ACME", {
  decode: json,
  state: async () => saved,
  onMessage: ({ data, position }) => {
    prices.set("/prices/ACME", data);
    saved = position;
  },
});

const at: Position = await client.publish("/orders/1", { qty: 2 }, { retain: true, msgId: "order-1" });
console.log(at);
await client.close();
