// Node.js 20 has no WebSocket class: the package ws has one, and shows why a server refuses.
import { connect } from "belfry-client";
import { withRefusals } from "belfry-client/http";
import { WebSocket } from "ws";

await using client = connect({ servers: "ws://127.0.0.1:8800", webSocket: withRefusals(WebSocket) });
await client.ready();
await client.publish("/hello", "Good morning");
