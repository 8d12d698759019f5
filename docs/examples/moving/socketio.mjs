// Runs the same steps on Socket.IO, with and without its connection state recovery, and on Belfry.
import { once } from "node:events";
import { createServer } from "node:http";
import { Server } from "socket.io";
import { io } from "socket.io-client";
import { belfry } from "./belfry.mjs";
import { compare } from "./compare.mjs";

function socketIo(serverOptions) {
  return async () => {
    const http = createServer().listen(0, "127.0.0.1");
    await once(http, "listening");
    const server = new Server(http, serverOptions);
    server.on("connection", (socket) => {
      socket.on("subscribe", (room, done) => {
        socket.join(room);
        done();
      });
      socket.on("publish", (room, text, done) => {
        server.to(room).emit("message", text);
        done("the handler that you write");
      });
    });
    const url = `http://127.0.0.1:${http.address().port}`;
    const publisher = io(url, { forceNew: true });
    let subscriber;

    return {
      async subscribe(receive) {
        subscriber = io(url, { forceNew: true });
        subscriber.on("message", receive);
        subscriber.on("connect", () => subscriber.recovered || subscriber.emit("subscribe", "room", () => {}));
        await once(subscriber, "connect");
        await subscriber.emitWithAck("subscribe", "room");
      },
      publish: (text) => publisher.emitWithAck("publish", "room", text),
      cut: () => subscriber.io.engine.close(),
      leave: async () => subscriber.close(),
      async close() {
        subscriber.close();
        publisher.close();
        await server.close();
      },
    };
  };
}

await compare({
  "Socket.IO": socketIo({}),
  "Socket.IO, connectionStateRecovery": socketIo({ connectionStateRecovery: {} }),
  Belfry: belfry,
});
