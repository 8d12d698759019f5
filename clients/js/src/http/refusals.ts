import type { Ending } from "../link.js";
import type { WebSocketClass } from "../types.js";

interface NodeSocket {
  on(event: string, listener: (request: unknown, response: NodeResponse) => void): void;
  terminate(): void;
  refusal?: Ending;
}

interface NodeResponse {
  readonly statusCode: number;
  readonly headers: { readonly [name: string]: string | undefined };
  on(event: string, listener: (chunk: Uint8Array) => void): void;
}

/**
 * Lets the client see why a server refused a handshake: code, status and Retry-After. For the class `WebSocket` of the
 * package ws; browsers hide the answer, so their classes are returned unchanged.
 */
export function withRefusals<Class extends WebSocketClass>(webSocket: Class): Class {
  const plain = webSocket as unknown as new (...args: unknown[]) => NodeSocket;
  if (!("on" in plain.prototype)) return webSocket;
  const extended = class extends plain {
    constructor(...args: unknown[]) {
      super(...args);
      this.on("unexpected-response", (_request, response) => this.#refused(response));
    }

    #refused(response: NodeResponse): void {
      const decoder = new TextDecoder();
      let body = "";
      response.on("data", (chunk) => {
        body += decoder.decode(chunk, { stream: true });
      });
      response.on("end", () => {
        this.refusal = ending(response, body);
        this.terminate();
      });
    }
  };
  return extended as unknown as Class;
}

function ending({ statusCode, headers }: NodeResponse, body: string): Ending {
  const retryAfter = Number(headers["retry-after"] ?? 0) * 1000 || 0;
  let code = `http-${statusCode}`;
  let reason = body;
  try {
    ({ code, reason } = JSON.parse(body) as { code: string; reason: string });
  } catch {
    // Not an answer of Belfry: the status is enough.
  }
  return { code, reason, number: statusCode, retryAfter };
}
