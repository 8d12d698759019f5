// A network may block WebSockets: the first transport that works is used.
import { connect, webSocket } from "belfry-client";
import { httpStream, longPoll } from "belfry-client/http";

const client = connect({
  servers: "wss://a.example",
  transports: [webSocket, httpStream, longPoll],
});
client.subscribe("/news", { history: 10, onMessage: (message) => console.log(message.data) });
