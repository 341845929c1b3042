import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { gatheringSocket } from './gathering-socket.ts';

let server: Server;
let socket: Socket;
let written: number[];

beforeEach(async () => {
  server = createServer((peer) => peer.pipe(peer)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  socket = gatheringSocket();
  socket.connect(typeof address === 'object' && address !== null ? address.port : 0, '127.0.0.1');
  await once(socket, 'connect');
  written = [];
  const one = socket._write.bind(socket);
  const many = socket._writev?.bind(socket);
  socket._write = (chunk, encoding, done) => {
    written.push(1);
    one(chunk, encoding, done);
  };
  socket._writev = (chunks, done) => {
    written.push(chunks.length);
    many?.(chunks, done);
  };
});

afterEach(async () => {
  socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

async function echoed(length: number): Promise<string> {
  let text = '';
  while (text.length < length) text += String((await once(socket, 'data'))[0]);
  return text;
}

test('writes of one turn leave together and in order, corked ones among them', async () => {
  socket.write('begin ');
  socket.cork();
  socket.write('parse ');
  socket.write('bind ');
  socket.uncork();
  socket.write('commit');
  expect(written).toEqual([]);
  expect(await echoed(23)).toBe('begin parse bind commit');
  expect(written).toEqual([4]);
});

test('writes of the next turn are not held back by those before', async () => {
  socket.write('one');
  expect(await echoed(3)).toBe('one');
  socket.write('two');
  expect(await echoed(3)).toBe('two');
  expect(written).toEqual([1, 1]);
});

test('what was written before the end still arrives', async () => {
  socket.end('last');
  expect(await echoed(4)).toBe('last');
});
