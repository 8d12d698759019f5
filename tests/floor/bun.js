// A server for load.c on Bun, whose WebSocket server is uWebSockets: subjects are topics, and each message of the binary protocol that
// load.c sends is answered or published with as many bytes as Belfry sends. No history, no permissions, no limits. Prints its port.
const SUBSCRIBE = 2;
const EVENT_HEAD = 16;
const HAS_ID = 1;
const ID_BYTES = 8;
const ANSWER_BYTES = 39;
const text = new TextDecoder();

const server = Bun.serve({
  port: Number(process.argv[2] ?? 0),
  hostname: "127.0.0.1",
  fetch(request, server) {
    const headers = { "Sec-WebSocket-Protocol": request.headers.get("sec-websocket-protocol") ?? "" };
    return server.upgrade(request, { headers }) ? undefined : new Response("WebSocket only", { status: 426 });
  },
  websocket: {
    idleTimeout: 0,
    perMessageDeflate: false,
    message(socket, bytes) {
      if (bytes[0] === SUBSCRIBE) {
        const answered = bytes[1] & HAS_ID;
        const subject = answered ? 5 + ID_BYTES : 5;
        socket.subscribe(text.decode(bytes.subarray(subject, subject + bytes[subject - 1])));
        if (answered) {
          socket.send(new Uint8Array(ANSWER_BYTES));
        }
        return;
      }
      const event = new Uint8Array(EVENT_HEAD + bytes.length - 3);
      event.set(bytes.subarray(3), EVENT_HEAD);
      server.publish(text.decode(bytes.subarray(3, 3 + bytes[2])), event);
    },
  },
});
console.log(server.port);
