// A client that answers requests, and one that sends one.
import { connect, json } from "belfry-client";
import { reply, request } from "belfry-client/requests";

const service = connect({ servers: "wss://a.example" });
service.subscribe<number[]>("/sum", {
  decode: json,
  onMessage: (message) =>
    reply(
      service,
      message,
      message.data.reduce((a, b) => a + b, 0),
    ),
});

const client = connect({ servers: "wss://a.example" });
const answer = await request<number>(client, "/sum", [1, 2], { timeout: 5_000, decode: json });
console.log(answer.data);
