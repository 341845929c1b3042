import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { hashSecret } from '../../platform/crypto/index.ts';
import { MAC_ALGORITHM_NAMES, type ParsedJws, parseJws } from './jws-rules.ts';
import { isMadeBySecret, isSecretOf } from './secrets.ts';

test('a secret is one of those that were registered, whole', () => {
  const hashes = [hashSecret('one'), hashSecret('two')];
  expect(isSecretOf('one', hashes)).toBe(true);
  expect(isSecretOf('two', hashes)).toBe(true);
  for (const secret of ['', 'on', 'one ', 'One', 'three']) expect(isSecretOf(secret, hashes)).toBe(false);
  expect(isSecretOf('one', [])).toBe(false);
  expect(isSecretOf('one', [Buffer.alloc(0), Buffer.from('one')])).toBe(false);
});

const LONG = 'x'.repeat(64);

async function signedBy(secret: string, alg: string): Promise<ParsedJws> {
  const jws = parseJws(await new SignJWT({ iss: 'a' }).setProtectedHeader({ alg }).sign(Buffer.from(secret)));
  if (jws === null) throw new Error('the test made no JWS');
  return jws;
}

test.each(MAC_ALGORITHM_NAMES)('a MAC by %s is made by the secret, and by no other', async (alg) => {
  const jws = await signedBy(LONG, alg);
  expect(isMadeBySecret(jws, alg, ['y'.repeat(64), LONG])).toBe(true);
  expect(isMadeBySecret(jws, alg, ['y'.repeat(64)])).toBe(false);
  expect(isMadeBySecret(jws, alg, [])).toBe(false);
  expect(isMadeBySecret({ ...jws, signingInput: `${jws.signingInput}A` }, alg, [LONG])).toBe(false);
  expect(isMadeBySecret({ ...jws, signature: jws.signature.subarray(1) }, alg, [LONG])).toBe(false);
  expect(isMadeBySecret({ ...jws, signature: Buffer.alloc(0) }, alg, [LONG])).toBe(false);
});

test('a MAC of another algorithm, or of a secret that is shorter than its hash, is none', async () => {
  const jws = await signedBy(LONG, 'HS256');
  expect(isMadeBySecret(jws, 'HS512', [LONG])).toBe(false);
  const short = 'x'.repeat(31);
  const signature = createHmac('sha256', short).update(jws.signingInput).digest();
  expect(isMadeBySecret({ ...jws, signature }, 'HS256', [short])).toBe(false);
});
