import { describe, expect, test } from 'vitest';
import { toOrgId } from '../../kernel/words/ids.ts';
import { hashOfUserCode, newUserCode, readUserCode } from './user-codes.ts';

describe('codes that people type', () => {
  test('have no vowels, no digits, and no letter that looks like another', () => {
    const codes = Array.from({ length: 200 }, newUserCode);
    expect(codes.filter((code) => !/^[BCDFGHJKLMNPQRSTVWXZ]{8}$/.test(code))).toEqual([]);
    expect(new Set(codes).size).toBe(codes.length);
  });

  test.each([
    ['WDJBMJHT', 'WDJBMJHT'],
    ['wdjb-mjht', 'WDJBMJHT'],
    [' wdjb mjht ', 'WDJBMJHT'],
    ['W.D.J.B.M.J.H.T', 'WDJBMJHT'],
    ['WDJBMJH', null],
    ['WDJBMJHTT', null],
    ['WDJBMJHA', null],
    ['WDJBMJH7', null],
    ['', null],
    ['ẞDJBMJHT', null],
  ])('%j is read as %j', (text, code) => {
    expect(readUserCode(text)).toBe(code);
  });

  test('are found by a MAC of this org and key', () => {
    const key = Buffer.alloc(32, 1);
    const [one, other] = [toOrgId('00oone00000000000000'), toOrgId('00oother000000000000')];
    const hash = hashOfUserCode(key, one, 'WDJBMJHT');
    expect(hash).toHaveLength(32);
    expect(hashOfUserCode(key, one, 'WDJBMJHT')).toEqual(hash);
    expect(hashOfUserCode(key, other, 'WDJBMJHT')).not.toEqual(hash);
    expect(hashOfUserCode(Buffer.alloc(32, 2), one, 'WDJBMJHT')).not.toEqual(hash);
  });
});
