// The server may send the difference from the message before, and the client completes it.
import { connect, json, webSocket } from "belfry-client";
import { deltas } from "belfry-client/delta";

const client = connect({
  servers: "wss://a.example",
  transports: [deltas(webSocket, (subject) => subject.startsWith("/scores/"))],
});
client.subscribe("/scores/today", { decode: json, onMessage: (message) => console.log(message.data) });
