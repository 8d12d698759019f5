// All tabs of the origin share one connection.
import { connectTabs } from "belfry-client/tabs";

const client = connectTabs({ servers: "wss://a.example" });
client.subscribe("/news", { onMessage: (message) => console.log(message.data) });
