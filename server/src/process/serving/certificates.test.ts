import { expect, test } from 'vitest';
import { withinHandshakeLimit } from './certificates.ts';

test('hosts that handshakes make up are looked up 600 times a minute, those that are served always', async () => {
  let now = 0;
  const asked: string[] = [];
  const isServed = withinHandshakeLimit({ now: () => new Date(now) }, async (host) => {
    asked.push(host);
    return host === 'acme.localhost';
  });
  expect(await isServed('acme.localhost')).toBe(true);
  for (let host = 0; host < 700; host += 1) expect(await isServed(`x${host}.localhost`)).toBe(false);
  expect(asked).toHaveLength(600);
  expect(await isServed('acme.localhost')).toBe(true);
  now = 60_000;
  await isServed('y.localhost');
  expect(asked.slice(-2)).toEqual(['acme.localhost', 'y.localhost']);
});
