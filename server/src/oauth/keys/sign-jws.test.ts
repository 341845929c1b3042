import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { signJws } from './sign-jws.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const encode = (text: string): string => Buffer.from(text, 'utf8').toString('base64url');

test.each([
  [{ kid: 'k', alg: 'RS256' } as const, '{"kid":"k","alg":"RS256"}'],
  [{ alg: 'RS256', kid: 'k', typ: 'logout+jwt' } as const, '{"alg":"RS256","kid":"k","typ":"logout+jwt"}'],
])('a JWS has its members in the order given, and an RS256 signature: %j', async (header, text) => {
  const input = `${encode(text)}.${encode('{"sub":"Ü","iat":1}')}`;
  const signature = sign('sha256', Buffer.from(input), privateKey).toString('base64url');
  expect(await signJws(header, { sub: 'Ü', iat: 1 }, privateKey)).toBe(`${input}.${signature}`);
});
