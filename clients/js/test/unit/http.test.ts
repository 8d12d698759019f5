import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { connect } from "../../src/client.js";
import { longPoll } from "../../src/http/index.js";
import type { Status } from "../../src/types.js";

test("a request that meets the end of an idle connection is repeated", { timeout: 20_000 }, async (context) => {
  const used = new Set<Socket>();
  let cut = false;
  let polls = 0;
  const server = createServer((request, response) => {
    if (used.has(request.socket) && !cut) {
      cut = true;
      request.socket.destroy();
      return;
    }
    used.add(request.socket);
    const { pathname, searchParams } = new URL(request.url ?? "", "http://a");
    if (pathname === "/poll" && searchParams.get("wait") !== "0ms") polls++;
    else response.end(JSON.stringify({ subject: "/idle", epoch: 1, seq: 0, messages: [] }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const statuses: Status["type"][] = [];
  const client = connect({
    servers: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    transports: [longPoll],
    onStatus: ({ type }) => statuses.push(type),
  });
  context.after(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  client.subscribe("/idle");
  while (!(cut && polls) && !statuses.includes("disconnected")) await setTimeout(10);
  assert.deepEqual(statuses, ["connecting", "connected", "subscribed"]);
});
