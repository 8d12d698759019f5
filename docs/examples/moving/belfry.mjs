// The side of Belfry: a server at BELFRY_URL, default ws://127.0.0.1:8800.
import { connect } from "belfry-client";
import { WebSocket } from "ws";

const servers = process.env.BELFRY_URL ?? "ws://127.0.0.1:8800";
const subject = `/moving/${Date.now()}`;

class Cuttable extends WebSocket {
  static latest;
  constructor(...all) {
    super(...all);
    Cuttable.latest = this;
  }
}

export async function belfry() {
  const onStatus = () => {};
  const publisher = connect({ servers, webSocket: WebSocket, onStatus });
  let subscriber;
  let position; // a page keeps it in sessionStorage

  return {
    async subscribe(receive) {
      subscriber = connect({ servers, webSocket: Cuttable, onStatus });
      const subscription = subscriber.subscribe(subject, {
        from: position,
        onMessage: (message) => {
          position = message.position;
          receive(message.data);
        },
      });
      await subscription.ready();
    },
    publish: async (text) => `the server, at position ${(await publisher.publish(subject, text)).replace(/.*:/, "")}`,
    cut: () => Cuttable.latest.terminate(),
    leave: () => subscriber.close(),
    async close() {
      await subscriber.close();
      await publisher.close();
    },
  };
}
