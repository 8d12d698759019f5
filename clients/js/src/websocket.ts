import { binaryCodec } from "./binary.js";
import type { Ending, Link, LinkOwner, Transport } from "./link.js";

type Frame = string | ArrayBuffer | Uint8Array;

/** The standard interface, what the package ws has in addition, and what `withRefusals` adds. */
interface Socket {
  binaryType: string;
  readonly bufferedAmount: number;
  readonly readyState: number;
  onopen: unknown;
  onmessage: unknown;
  onclose: unknown;
  onerror: unknown;
  send(data: string | Uint8Array): void;
  close(code?: number): void;
  on?(event: "message", listener: (frame: Uint8Array, isBinary: boolean) => void): void;
  terminate?(): void;
  pause?(): void;
  resume?(): void;
  refusal?: Ending;
}

function connect(owner: LinkOwner): Link {
  const BUFFERED_MAX = 1 << 20;
  const CLOSE_WAIT = 1000;
  const CLOSED = 3;
  const { webSocket = globalThis.WebSocket, encoding = binaryCodec } = owner._options;
  const codec = encoding();
  const socket = new webSocket(owner._url, [codec._protocol]) as unknown as Socket;
  let open = false;
  let closed: (() => void) | undefined;

  const receive = (frame: Frame) => {
    if (closed) return;
    let event: ReturnType<typeof codec._decode>;
    try {
      event = codec._decode(frame);
    } catch (error) {
      return owner._onEnd({ code: "bad-frame", reason: `${error}` });
    }
    owner._onEvent(event);
  };

  socket.onopen = () => {
    open = true;
    owner._onOpen();
  };
  if (socket.on) {
    // The package ws would copy each message into a buffer of its own, and make an event for it.
    socket.on("message", (frame, isBinary) => receive(isBinary === false ? `${frame}` : frame));
  } else {
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }: { data: Frame }) => receive(data);
  }
  socket.onerror = () => {};
  socket.onclose = ({ code: number, reason }: { code: number; reason: string }) => {
    if (closed) closed();
    else if (number === 1006) {
      owner._onEnd(socket.refusal ?? { code: open ? "connection-lost" : "unreachable", reason });
    } else owner._onEnd({ code: reason.split(":")[0] || `closed-${number}`, reason, number });
  };

  return {
    // A socket that is closing ignores what is sent; its close event follows.
    _send: (command) => open && socket.send(codec._encode(command)),
    _isFull: () => socket.bufferedAmount > BUFFERED_MAX,
    _expectsReads: () => true,
    _pauseReading: socket.pause && ((pause) => (pause ? socket.pause?.() : socket.resume?.())),
    _abandon: () => socket.terminate?.(),
    _close: () =>
      new Promise((resolve) => {
        // A peer that vanished does not answer the close.
        const timer = owner._env.setTimeout(() => {
          socket.terminate?.();
          resolve();
        }, CLOSE_WAIT);
        closed = () => {
          owner._env.clearTimeout(timer);
          resolve();
        };
        if (socket.readyState === CLOSED) closed();
        else socket.close(1000);
      }),
  };
}

/** One WebSocket; the default transport. */
export const webSocket: Transport = { name: "webSocket", _connect: connect };
