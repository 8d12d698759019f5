// After a lost connection the client continues its session with one command instead of subscribing to everything again.
import { connect, webSocket } from "belfry-client";
import { keepSession } from "belfry-client/keep";

const client = connect({ servers: "wss://a.example", transports: [keepSession(webSocket)] });
client.subscribe("/news", { onMessage: (message) => console.log(message.data) });
