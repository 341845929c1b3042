import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { base32, codeOf, judgeCode, stepAt } from './one-time-codes.ts';

const seed = (length: number): Buffer => Buffer.from('1234567890'.repeat(7).slice(0, length));

describe('RFC 4226, appendix D', () => {
  test.each([
    [0, '755224'],
    [1, '287082'],
    [2, '359152'],
    [3, '969429'],
    [4, '338314'],
    [5, '254676'],
    [6, '287922'],
    [7, '162583'],
    [8, '399871'],
    [9, '520489'],
  ])('counter %i', (counter, code) => {
    expect(codeOf(seed(20), counter)).toBe(code);
  });
});

describe('RFC 6238, appendix B', () => {
  test.each([
    [59, '94287082', '46119246', '90693936'],
    [1_111_111_109, '07081804', '68084774', '25091201'],
    [1_111_111_111, '14050471', '67062674', '99943326'],
    [1_234_567_890, '89005924', '91819424', '93441116'],
    [2_000_000_000, '69279037', '90698825', '38618901'],
    [20_000_000_000, '65353130', '77737706', '47863826'],
  ])('second %i', (seconds, sha1, sha256, sha512) => {
    const step = stepAt(new Date(seconds * 1_000));
    expect(codeOf(seed(20), step, 8)).toBe(sha1);
    expect(codeOf(seed(32), step, 8, 'sha256')).toBe(sha256);
    expect(codeOf(seed(64), step, 8, 'sha512')).toBe(sha512);
  });
});

test.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('Base32 of %j (RFC 4648 10, without padding)', (text, encoded) => {
  expect(base32(Buffer.from(text))).toBe(encoded);
});

describe('a code', () => {
  const secret = seed(20);
  const now = new Date(1_700_000_000_000);
  const at = (steps: number): string => codeOf(secret, stepAt(now) + steps);
  const fresh = { lastStep: null, driftSteps: 0 };

  test('is right one step around the expected one, and wrong beyond', () => {
    for (const steps of [-1, 0, 1]) {
      expect(judgeCode(secret, at(steps), now, fresh)).toEqual({
        kind: 'right',
        state: { lastStep: stepAt(now) + steps, driftSteps: steps },
      });
    }
    for (const steps of [-2, 2]) expect(judgeCode(secret, at(steps), now, fresh)).toEqual({ kind: 'wrong' });
  });

  test('moves the next ones by its drift, of at most one step, and the current ones stay right', () => {
    for (const sign of [-1, 1]) {
      const first = judgeCode(secret, at(sign), now, fresh);
      const state = first.kind === 'right' ? { ...first.state, lastStep: null } : fresh;
      for (const steps of [2, 1, 0, -1]) {
        expect(judgeCode(secret, at(sign * steps), now, state), `${sign * steps}`).toMatchObject({ kind: 'right' });
      }
      expect(judgeCode(secret, at(sign * 2), now, state)).toMatchObject({ state: { driftSteps: sign } });
      for (const steps of [3, -2, 20, -20]) {
        expect(judgeCode(secret, at(sign * steps), now, state)).toEqual({ kind: 'wrong' });
      }
    }
  });

  test('of the same or an earlier step is replayed', () => {
    const used = { lastStep: stepAt(now), driftSteps: 0 };
    expect(judgeCode(secret, at(0), now, used)).toEqual({ kind: 'replayed' });
    expect(judgeCode(secret, at(-1), now, used)).toEqual({ kind: 'replayed' });
    expect(judgeCode(secret, at(1), now, used)).toMatchObject({ kind: 'right' });
  });

  test.each(['', '12345', '1234567', '12345a', '１２３４５６', ' 12345', '123456\n'])('is not %j', (code) => {
    expect(judgeCode(secret, code, now, fresh)).toEqual({ kind: 'wrong' });
  });

  test('is accepted once, whatever the secret and the time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), (seconds) => {
        const [key, then] = [randomBytes(20), new Date(seconds * 1_000)];
        const verdict = judgeCode(key, codeOf(key, stepAt(then)), then, fresh);
        expect(verdict.kind).toBe('right');
        const state = verdict.kind === 'right' ? verdict.state : fresh;
        expect(judgeCode(key, codeOf(key, stepAt(then)), then, state)).toEqual({ kind: 'replayed' });
      }),
    );
  });
});
