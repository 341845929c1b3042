import { expect, test } from 'vitest';
import { toOrgId } from '../../kernel/words/ids.ts';
import { createDpopNonces } from './nonces.ts';

const org = toOrgId('00oA');
const now = new Date('2026-11-21T10:00:00Z');
const after = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

test('a nonce is fresh for five minutes, at its org, under its key', () => {
  const nonces = createDpopNonces(Buffer.alloc(32, 1));
  const nonce = nonces.issue(org, now);
  expect(nonces.isFresh(org, nonce, now)).toBe(true);
  expect(nonces.isFresh(org, nonce, after(299))).toBe(true);
  expect(nonces.isFresh(org, nonce, after(300))).toBe(false);
  expect(nonces.isFresh(org, nonce, after(-59))).toBe(true);
  expect(nonces.isFresh(org, nonce, after(-61))).toBe(false);
  expect(nonces.isFresh(toOrgId('00oB'), nonce, now)).toBe(false);
  expect(createDpopNonces(Buffer.alloc(32, 2)).isFresh(org, nonce, now)).toBe(false);
  expect(createDpopNonces(Buffer.alloc(32, 1)).isFresh(org, nonce, now)).toBe(true);
});

test('what nobody issued is not fresh', () => {
  const nonces = createDpopNonces(Buffer.alloc(32, 1));
  const nonce = nonces.issue(org, now);
  const other = nonce.startsWith('A') ? `B${nonce.slice(1)}` : `A${nonce.slice(1)}`;
  for (const text of ['', 'nonce', other, `${nonce}A`, nonce.slice(1), nonce.toLowerCase()]) {
    expect(nonces.isFresh(org, text, now)).toBe(false);
  }
});
