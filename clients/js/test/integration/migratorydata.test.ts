import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { WebSocket } from "ws";
import { MigratoryDataClient, type MigratoryDataMessage, type StatusEvent } from "../../src/migratorydata/index.js";
import { CuttingProxy, stopAll, TestServer, until } from "../support/server.js";

let server: TestServer;
const clients: MigratoryDataClient[] = [];

before(async () => {
  server = await TestServer.start("Entitlement=Basic", "EntitlementAllowToken=secret-token");
});

after(async () => {
  for (const client of clients) client.disconnect();
  await stopAll();
});

function start(
  servers: string[],
  token: string | undefined = "secret-token",
  webSocketClass: typeof WebSocket | undefined = WebSocket,
) {
  const client = new MigratoryDataClient(webSocketClass);
  clients.push(client);
  const messages: MigratoryDataMessage[] = [];
  const statuses: string[] = [];
  client.setMessageHandler((message) => messages.push(message));
  client.setStatusHandler(({ type, info }: StatusEvent) => statuses.push(`${type} ${info}`));
  if (token) client.setEntitlementToken(token);
  client.setServers(servers);
  return { client, messages, statuses };
}

test("messages and statuses are those of MigratoryData's client", async () => {
  const { client, messages, statuses } = start([`100 ${server.http}`]);
  client.subscribe(["/md/a"]);
  client.connect();
  await until(() => statuses.includes("NOTIFY_SUBSCRIBE_ALLOW /md/a"), "allowed");
  client.publish({ subject: "/md/a", content: "one", closure: "id-1" });
  await until(() => statuses.includes("NOTIFY_PUBLISH_OK id-1") && messages.length === 1, "published and received");
  assert.equal(messages[0]?.content, "one");
  assert.equal(messages[0]?.snapshot, false);
  assert.deepEqual(client.getSubjects(), ["/md/a"]);
  assert.match(statuses[0] ?? "", /^NOTIFY_SERVER_UP ws:/);
  client.unsubscribe(["/md/a"]);
  assert.deepEqual(client.getSubjects(), []);
});

test("a later subscriber receives the latest message as a snapshot", async () => {
  const { client, messages } = start([server.http]);
  client.connect();
  client.publish({ subject: "/md/kept", content: "old" });
  client.publish({ subject: "/md/kept", content: "latest", closure: "c" });
  client.publish({ subject: "/md/passing", content: "x", retained: false });
  client.subscribe(["/md/kept", "/md/passing"]);
  await until(() => messages.some(({ content }) => content === "latest"), "the latest message");
  const later = start([server.http]);
  later.client.subscribe(["/md/kept", "/md/passing"]);
  later.client.connect();
  await until(() => later.messages.length > 0 && later.statuses.length === 3, "the snapshot");
  assert.deepEqual(
    later.messages.map(({ content, snapshot }) => [content, snapshot]),
    [["latest", true]],
  );
});

test("after a reconnect the subject is synchronized and its missed messages are marked", async () => {
  const proxy = await CuttingProxy.start(server.port);
  const { client, messages, statuses } = start([proxy.url.replace("ws:", "http:")]);
  const other = start([server.http]);
  other.client.connect();
  client.subscribe(["/md/cut"]);
  client.connect();
  await until(() => statuses.includes("NOTIFY_SUBSCRIBE_ALLOW /md/cut"), "allowed");
  proxy.cut();
  other.client.publish({ subject: "/md/cut", content: "missed", retained: false });
  await until(() => statuses.includes("NOTIFY_DATA_SYNC /md/cut") && messages.length === 1, "synchronized");
  assert.ok(statuses.some((status) => status.startsWith("NOTIFY_SERVER_DOWN")));
  assert.equal(messages[0]?.content, "missed");
});

test("over HTTP alone the client works without a WebSocket class", async () => {
  const { client, messages, statuses } = start([server.http], "secret-token", undefined);
  client.setTransport(MigratoryDataClient.TRANSPORT_HTTP);
  client.subscribeWithHistory(["/md/http"], 5);
  client.connect();
  await until(() => statuses.includes("NOTIFY_SUBSCRIBE_ALLOW /md/http"), "allowed");
  client.publish({ subject: "/md/http", content: "over HTTP", closure: "h" });
  await until(() => messages.length === 1 && statuses.includes("NOTIFY_PUBLISH_OK h"), "published and received");
});

test("a refused publish and one before connect are reported with their closure", async () => {
  const { client, statuses } = start([server.http]);
  client.publish({ subject: "/md/early", content: "x", closure: "early" });
  assert.deepEqual(statuses, ["NOTIFY_PUBLISH_FAILED early"]);
  client.connect();
  client.publish({ subject: "/md/large", content: "x".repeat(1 << 20), closure: "large" });
  await until(() => statuses.includes("NOTIFY_PUBLISH_FAILED large"), "refused");
  const guest = start([server.http], "");
  guest.client.connect();
  guest.client.publish({ subject: "/md/guest", content: "x", closure: "guest" });
  await until(() => guest.statuses.includes("NOTIFY_PUBLISH_DENIED guest"), "denied");
});

test("what Belfry does not have is refused with an error", () => {
  const { client } = start([server.http]);
  const message = { subject: "/md/a", content: "x" };
  assert.throws(() => client.publish({ ...message, fields: [{ name: "a", value: "b" }] }), { code: "unsupported" });
  assert.throws(() => client.publish({ ...message, replyToSubject: "/md/b" }), { code: "unsupported" });
  assert.throws(() => client.subscribe(["no slash"]), { code: "bad-subject" });
  assert.deepEqual(client.getSubjects(), []);
  assert.throws(() => client.setTransport("smoke"), { code: "bad-transport" });
  assert.throws(() => client.setReconnectPolicy("never"), { code: "bad-policy" });
});
