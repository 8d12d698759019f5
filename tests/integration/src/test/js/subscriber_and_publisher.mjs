// Tests Belfry with the package ws. Arguments: PORT MODULES COMPRESSED. Prints 'ok', or fails with an error.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createRequire } from 'node:module';

const [port, modules, compressed] = process.argv.slice(2);
const WebSocket = createRequire(`${modules}/`)('ws');
const url = `ws://127.0.0.1:${port}/`;
const COUNT = 1000;

async function open(...protocols) {
  const socket = new WebSocket(url, protocols);
  const waiting = [];
  const received = [];
  socket.on('message', (data, isBinary) => {
    const frame = isBinary ? data : JSON.parse(data.toString());
    if (waiting.length > 0) waiting.shift()(frame);
    else received.push(frame);
  });
  socket.next = () =>
    received.length > 0 ? Promise.resolve(received.shift()) : new Promise((resolve) => waiting.push(resolve));
  await once(socket, 'open');
  return socket;
}

const sendJson = (socket, command) => socket.send(JSON.stringify(command));

async function messagesAreDeliveredInOrderInBothEncodings() {
  const text = await open('belfry.json.v1');
  const binary = await open('belfry.binary.v1');
  assert.equal(text.protocol, 'belfry.json.v1');
  assert.equal(binary.protocol, 'belfry.binary.v1');
  assert.equal(text.extensions.includes('permessage-deflate'), compressed === 'true');
  sendJson(text, { op: 'subscribe', id: 1, subject: '/node' });
  assert.equal((await text.next()).op, 'subscribed');
  const epoch = await binary.next();
  assert.equal(epoch[0], 0x0c);
  const subject = Buffer.from('/node');
  binary.send(Buffer.concat([Buffer.from([0x02, 0x01, 0, 0, 0, 0, 0, 0, 0, 7, 0, 1, subject.length]), subject]));
  const subscribed = await binary.next();
  assert.equal(subscribed[0], 0x02);
  assert.equal(subscribed.readBigInt64BE(2), 7n);
  for (let i = 0; i < COUNT; i++) {
    if (i % 2 === 0) sendJson(text, { op: 'publish', subject: '/node', data: `message ${i}` });
    else binary.send(Buffer.concat([Buffer.from([0x04, 0x00, subject.length]), subject, Buffer.from(`message ${i}`)]));
    // The two connections publish in turn, each after both received the previous message.
    const event = await text.next();
    assert.equal(event.op, 'message');
    assert.equal(event.data, `message ${i}`);
    const frame = await binary.next();
    assert.equal(frame[0], 0x80);
    assert.equal(Number(frame.readBigUInt64BE(1) & 0xffffffffffffffn), event.seq);
    assert.equal(frame.subarray(16 + frame[15]).toString(), event.data);
  }
  text.close(1000);
  assert.deepEqual((await once(text, 'close'))[0], 1000);
  binary.terminate();
}

async function aPingIsAnswered() {
  const socket = await open('belfry.json.v1');
  socket.ping('ping payload');
  assert.equal((await once(socket, 'pong'))[0].toString(), 'ping payload');
  socket.close();
  await once(socket, 'close');
}

async function invalidUtf8IsDeliveredAsBase64() {
  const socket = await open('belfry.json.v1');
  sendJson(socket, { op: 'subscribe', id: 1, subject: '/node/bytes' });
  await socket.next();
  sendJson(socket, { op: 'publish', subject: '/node/bytes', base64: 'AP8=' });
  assert.equal((await socket.next()).base64, 'AP8=');
  socket.close();
}

async function aPageOfAnotherSiteIsRefused() {
  const socket = new WebSocket(url, { origin: 'https://evil.example' });
  const [, response] = await once(socket, 'unexpected-response');
  assert.equal(response.statusCode, 403);
  response.destroy();
}

await messagesAreDeliveredInOrderInBothEncodings();
await aPingIsAnswered();
await invalidUtf8IsDeliveredAsBase64();
await aPageOfAnotherSiteIsRefused();
console.log('ok');
