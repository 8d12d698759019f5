// Measures how many messages per second the client receives and delivers on one core, compared with the package ws that
// parses nothing. A process of its own sends prepared frames over a WebSocket as fast as they are accepted.
//
//   npm run build && node bench/throughput.mjs [messages] [bytes of a message] [rounds] [ws,callback,iterator]
import { fork } from "node:child_process";
import { loadavg } from "node:os";
import { connect } from "belfry-client";
import { WebSocket, WebSocketServer } from "ws";

const [messages = 2_000_000, size = 100, rounds = 3] = process.argv.slice(2, 5).map(Number);
const only = process.argv[5]?.split(",");
const SUBJECT = "/bench/throughput";

if (process.send) serve();
else await measure();

/** A server that knows as much of the protocol as one subscriber needs. */
function serve() {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
  server.on("listening", () => process.send(server.address().port));
  server.on("connection", (socket) => {
    socket.send(Buffer.from([12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]));
    if (socket.protocol === "belfry.binary.v1") socket.on("message", (command) => answer(socket, command));
    else blast(socket);
  });
}

function answer(socket, command) {
  const id = command.subarray(2, 10);
  if (command[0] === 1) {
    const rest = Buffer.alloc(10);
    rest.writeUInt32BE(25_000, 0);
    rest.writeUInt32BE(65_536, 4);
    socket.send(Buffer.concat([Buffer.from([1, 1]), id, rest]));
  } else if (command[0] === 2) {
    const position = Buffer.alloc(16);
    position.writeBigUInt64BE(7n, 0);
    const subject = Buffer.from(SUBJECT);
    socket.send(Buffer.concat([Buffer.from([2, 0x0b]), id, Buffer.from([subject.length]), subject, position]));
    blast(socket);
  }
}

/** Frames without a mask, many in one write, as the server of Belfry sends them. */
function blast(socket) {
  const raw = socket._socket;
  const subject = Buffer.from(SUBJECT);
  const length = 16 + subject.length + size;
  const header = length < 126 ? Buffer.from([0x82, length]) : Buffer.from([0x82, 126, length >> 8, length & 255]);
  const frame = Buffer.concat([header, Buffer.alloc(16), subject, Buffer.alloc(size, "x")]);
  const at = header.length;
  frame[at] = 0x80;
  frame.writeUIntBE(1_700_000_000_000, at + 9, 6);
  frame[at + 15] = subject.length;
  let seq = 0;
  const more = () => {
    for (;;) {
      const count = Math.min(1000, messages - seq);
      if (!count) return;
      const block = Buffer.alloc(frame.length * count);
      for (let i = 0; i < count; i++) {
        frame.writeUIntBE(++seq, at + 3, 6);
        frame.copy(block, i * frame.length);
      }
      if (!raw.write(block)) break;
    }
    raw.once("drain", more);
  };
  more();
}

async function measure() {
  console.log(
    `load ${loadavg()[0].toFixed(2)}, Node.js ${process.versions.node}, ${messages} messages of ${size} bytes`,
  );
  const child = fork(process.argv[1], process.argv.slice(2), { stdio: "inherit" });
  const port = await new Promise((resolve) => child.once("message", resolve));
  const url = `ws://127.0.0.1:${port}`;
  const plain = class extends WebSocket {
    constructor(address, protocols) {
      super(address, protocols, { perMessageDeflate: false });
    }
  };
  const kinds = {
    ws: () => bare(new plain(url)),
    callback: () => callback(url, plain),
    iterator: () => iterator(url, plain),
  };
  const results = {};
  for (let round = 0; round < rounds; round++) {
    for (const kind of only ?? Object.keys(kinds)) (results[kind] ??= []).push(await timed(kinds[kind]));
  }
  child.kill();
  const medians = {};
  for (const [kind, all] of Object.entries(results)) {
    medians[kind] = median(all.map(({ cpu }) => cpu));
    const of = medians.ws ? `, ${(medians[kind] / medians.ws).toFixed(2)} times ws` : "";
    const rates = all.map(({ rate }) => rate);
    console.log(`${kind}: CPU per message ${all.map(({ cpu }) => cpu.toFixed(3)).join(" ")} us`);
    console.log(
      `  median ${medians[kind].toFixed(3)} us${of}; median ${median(rates)} messages/s, least ${Math.min(...rates)}`,
    );
  }
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

async function timed(receive) {
  const cpu = process.cpuUsage();
  const began = performance.now();
  await receive();
  const { user, system } = process.cpuUsage(cpu);
  const ms = performance.now() - began;
  return { rate: Math.round((messages / ms) * 1000), cpu: (user + system) / messages };
}

/** Receives with the package ws and looks at nothing. */
function bare(socket) {
  return new Promise((resolve) => {
    let count = -1;
    socket.on("message", () => {
      if (++count === messages) {
        socket.terminate();
        resolve();
      }
    });
  });
}

async function callback(url, webSocket) {
  const client = connect({ servers: url, webSocket });
  let characters = 0;
  let count = 0;
  await new Promise((resolve) => {
    client.subscribe(SUBJECT, {
      onMessage: ({ data }) => {
        characters += data.length;
        if (++count === messages) resolve();
      },
      onGap: (gap) => {
        throw new Error(`a gap up to ${gap.to}`);
      },
    });
  });
  if (characters !== messages * size) throw new Error("data is missing");
  await client.close();
}

async function iterator(url, webSocket) {
  const client = connect({ servers: url, webSocket });
  let characters = 0;
  let count = 0;
  for await (const item of client.subscribe(SUBJECT, { buffer: { count: 100_000, bytes: 1 << 26 } })) {
    if (item.kind === "gap") throw new Error(`a gap up to ${item.to}`);
    characters += item.data.length;
    if (++count === messages) break;
  }
  if (characters !== messages * size) throw new Error("data is missing");
  await client.close();
}
