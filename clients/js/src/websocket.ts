import { binaryCodec } from "./binary.js";
import type { Ending, Link, LinkOwner, Transport } from "./link.js";

const BUFFERED_MAX = 1 << 20;
const CLOSE_WAIT = 1000;
const CLOSED = 3;

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
  terminate?(): void;
  pause?(): void;
  resume?(): void;
  refusal?: Ending;
}

function connect(owner: LinkOwner): Link {
  const { _webSocket = globalThis.WebSocket, _encoding = binaryCodec, _env } = owner;
  const codec = _encoding();
  const socket = new _webSocket(owner._url, [codec._protocol]) as unknown as Socket;
  let open = false;
  let closed: (() => void) | undefined;

  const close = async (): Promise<void> => {
    closed = () => {};
    if (socket.readyState === CLOSED) return;
    await new Promise<void>((resolve) => {
      // A peer that vanished does not answer the close.
      const timer = _env.setTimeout(() => {
        socket.terminate?.();
        resolve();
      }, CLOSE_WAIT);
      closed = () => {
        _env.clearTimeout(timer);
        resolve();
      };
      socket.close(1000);
    });
  };

  socket.onopen = () => {
    open = true;
    owner._onOpen(true);
  };
  // The package ws would copy each message into a buffer of its own.
  if (!socket.pause) socket.binaryType = "arraybuffer";
  socket.onmessage = ({ data }: { data: string | ArrayBuffer | Uint8Array }) => {
    if (closed) return;
    let event: ReturnType<typeof codec._decode>;
    try {
      event = codec._decode(data);
    } catch (error) {
      owner._onEnd({ code: "bad-frame", reason: `invalid event: ${error}` });
      return;
    }
    owner._onEvent(event);
  };
  socket.onerror = () => {};
  socket.onclose = ({ code: number, reason }: { code: number; reason: string }) => {
    if (closed) closed();
    else if (number === 1006)
      owner._onEnd(socket.refusal ?? { code: open ? "connection-lost" : "unreachable", reason });
    else owner._onEnd({ code: reason.split(":")[0] || `closed-${number}`, reason, number });
  };

  return {
    // A socket that is closing ignores what is sent; its close event follows.
    _send: (command) => open && socket.send(codec._encode(command)),
    _isFull: () => socket.bufferedAmount > BUFFERED_MAX,
    _expectsReads: () => true,
    _pauseReading: socket.pause && ((pause) => (pause ? socket.pause?.() : socket.resume?.())),
    _close: close,
  };
}

/** One WebSocket; the default transport. */
export const webSocket: Transport = { name: "webSocket", _connect: connect };
