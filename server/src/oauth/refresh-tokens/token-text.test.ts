import { describe, expect, test } from 'vitest';
import { toOrgId } from '../../kernel/words/ids.ts';
import { createRefreshTokenTexts } from './token-text.ts';

const orgId = toOrgId('00oabc');
const texts = createRefreshTokenTexts(Buffer.alloc(32, 7));
const token = { id: 'oar12345678901234abc', generation: 7 };
const text = texts.textOf(orgId, token);

describe('the text of a refresh token', () => {
  test('is the same each time, and is read as what it was made from', () => {
    expect(texts.textOf(orgId, { ...token })).toBe(text);
    expect(texts.read(orgId, text)).toEqual(token);
    expect(text).toMatch(/^[\w.-]+$/);
  });

  test('is of one org and one key', () => {
    expect(texts.read(toOrgId('00oxyz'), text)).toBeNull();
    expect(createRefreshTokenTexts(Buffer.alloc(32, 8)).read(orgId, text)).toBeNull();
  });

  test('of an earlier key is known, and gone on with by one of the new key', () => {
    const changed = createRefreshTokenTexts(Buffer.alloc(32, 8), Buffer.alloc(32, 7));
    expect(changed.read(orgId, text)).toEqual(token);
    expect(texts.read(orgId, changed.textOf(orgId, token))).toBeNull();
    expect(changed.read(orgId, changed.textOf(orgId, token))).toEqual(token);
  });

  test('is read as nothing with any character changed, added or left out', () => {
    for (let index = 0; index < text.length; index += 1) {
      const other = text[index] === 'A' ? 'B' : 'A';
      expect(texts.read(orgId, text.slice(0, index) + other + text.slice(index + 1))).toBeNull();
      expect(texts.read(orgId, text.slice(0, index) + text.slice(index + 1))).toBeNull();
    }
    for (const wrong of ['', `${text}A`, ` ${text}`, text.replace('.7.', '.07.'), text.replace('.7.', '.0.')]) {
      expect(texts.read(orgId, wrong)).toBeNull();
    }
  });
});
