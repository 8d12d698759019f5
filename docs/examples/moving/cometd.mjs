// Runs the same steps on CometD, with and without its acknowledgement extension, and on Belfry.
import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { CometD } from "cometd/cometd.js";
import { AckExtension } from "cometd/AckExtension.js";
import { belfry } from "./belfry.mjs";
import { compare } from "./compare.mjs";

const require = createRequire(import.meta.url);
require("cometd-nodejs-client").adapt();
const cometdServer = require("cometd-nodejs-server");
const { AcknowledgedMessagesExtension } = require("cometd-nodejs-server/ack-extension.js");

function cometd(acknowledged) {
  return async () => {
    const server = cometdServer.createCometDServer();
    if (acknowledged) server.addExtension(new AcknowledgedMessagesExtension());
    // Connections of different ports are never shared, so a cut of the subscriber does not meet the publisher.
    const ports = { subscriber: createServer(), publisher: createServer() };
    for (const port of Object.values(ports)) {
      port.on("request", (request, response) => server.handle(request, response)).listen(0, "127.0.0.1");
      await once(port, "listening");
    }

    const connect = (port) =>
      new Promise((resolve, reject) => {
        const client = new CometD();
        client.unregisterTransport("websocket");
        client.configure({ url: `http://127.0.0.1:${port.address().port}`, logLevel: "error" });
        if (acknowledged) client.registerExtension("ack", new AckExtension());
        client.handshake((reply) => (reply.successful ? resolve(client) : reject(new Error("handshake"))));
      });
    const publisher = await connect(ports.publisher);
    let subscriber;

    return {
      async subscribe(receive) {
        subscriber = await connect(ports.subscriber);
        await new Promise((resolve) => subscriber.subscribe("/moving", (message) => receive(message.data), resolve));
      },
      publish: (text) =>
        new Promise((resolve, reject) => {
          publisher.publish("/moving", text, ({ successful }) =>
            successful ? resolve("the server, without a position") : reject(new Error("publish")),
          );
        }),
      cut: () => ports.subscriber.closeAllConnections(),
      leave: () => new Promise((resolve) => subscriber.disconnect(resolve)),
      async close() {
        await new Promise((resolve) => subscriber.disconnect(resolve));
        await new Promise((resolve) => publisher.disconnect(resolve));
        server.close();
        for (const port of Object.values(ports)) port.close();
      },
    };
  };
}

await compare({ CometD: cometd(false), "CometD, ack extension": cometd(true), Belfry: belfry });
process.exit();
