// The client has a name on its node. A later client with the same name closes this one.
import { connect, webSocket } from "belfry-client";
import { named } from "belfry-client/name";

const client = connect({
  servers: "wss://a.example",
  transports: [named(webSocket, "desk-7")],
  onStatus: (status) => {
    if (status.type === "refused" && status.code === "client-taken") console.log("another client has the name now");
  },
});
client.subscribe("/news", { onMessage: (message) => console.log(message.data) });
