// All tabs of the origin share one connection. With connectPatterns their patterns have positions.
import { connectPatterns } from "belfry-client/patterns";
import { connectTabs } from "belfry-client/tabs";

const client = connectTabs({ servers: "wss://a.example", connect: connectPatterns });
client.subscribe("/prices/*", { onMessage: (message) => console.log(message.subject, message.data) });
client.subscribe("/news", { onMessage: (message) => console.log(message.data) });
