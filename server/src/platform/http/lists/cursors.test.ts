import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors/errors.ts';
import { type CursorScope, createCursorCodec, MAXIMUM_CURSOR_LENGTH } from './cursors.ts';

const codec = createCursorCodec(Buffer.alloc(32, 7));
const scope: CursorScope = { orgId: '00o1', list: 'listUsers', query: [['q', 'a']], direction: 'after' };

const refusalOf = (run: () => unknown): ApiError | null => {
  try {
    run();
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
};
const isRefused = (other: CursorScope, text: string): boolean =>
  refusalOf(() => codec.decode(other, text))?.code === 'E0000001';

describe('cursor codec', () => {
  test('round trip of any JSON, in url-safe characters', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (payload) => {
        const text = codec.encode(scope, payload);
        expect(text).toMatch(/^[\w-]+$/);
        expect(codec.decode(scope, text)).toEqual(JSON.parse(JSON.stringify(payload)));
      }),
    );
  });

  test('of an earlier secret leads on, and the new secret makes new ones', () => {
    const changed = createCursorCodec(Buffer.alloc(32, 8), Buffer.alloc(32, 7));
    expect(changed.decode(scope, codec.encode(scope, 1))).toBe(1);
    expect(isRefused(scope, changed.encode(scope, 1))).toBe(true);
  });

  test('refuses every change of one character', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_,=+/ ';
    for (const payload of ['x', 'xy', 'xyz']) {
      const text = codec.encode(scope, payload);
      for (let index = 0; index < text.length; index += 1) {
        for (const character of alphabet) {
          if (character === text[index]) continue;
          const changed = text.slice(0, index) + character + text.slice(index + 1);
          expect(isRefused(scope, changed), changed).toBe(true);
        }
      }
    }
  });

  test('refuses what is cut, prolonged, padded or made up', () => {
    const text = codec.encode(scope, { id: '00u1' });
    for (let length = 0; length < text.length; length += 1) expect(isRefused(scope, text.slice(0, length))).toBe(true);
    for (const added of ['A', '=', '==', ' ', ',', '\n', '\0']) expect(isRefused(scope, text + added)).toBe(true);
    expect(isRefused(scope, 'A'.repeat(1_000_000))).toBe(true);
    fc.assert(fc.property(fc.string(), (made) => isRefused(scope, made)));
  });

  test.each<[string, CursorScope]>([
    ['org', { ...scope, orgId: '00o2' }],
    ['list', { ...scope, list: 'listGroups' }],
    ['query', { ...scope, query: [['q', 'b']] }],
    ['query without the filter', { ...scope, query: [] }],
    ['query with the split moved', { ...scope, query: [['qa', '']] }],
    ['direction', { ...scope, direction: 'before' }],
  ])('refuses a cursor of another %s and names the parameter', (_, other) => {
    const refusal = refusalOf(() => codec.decode(other, codec.encode(scope, 1)));
    expect(refusal).toMatchObject({
      status: 400,
      code: 'E0000001',
      message: `Api validation failed: ${other.direction}`,
    });
  });

  test('refuses a cursor made with another secret', () => {
    expect(isRefused(scope, createCursorCodec(randomBytes(32)).encode(scope, 1))).toBe(true);
  });

  test('order of parameters, the limit and the cursors themselves do not matter; order of a repeated one does', () => {
    const query: CursorScope['query'] = [
      ['q', 'a'],
      ['sortBy', 'x'],
      ['q', 'b'],
    ];
    const text = codec.encode({ ...scope, query }, 1);
    const same: CursorScope['query'] = [
      ['limit', '5'],
      ['sortBy', 'x'],
      ['after', text],
      ['q', 'a'],
      ['q', 'b'],
    ];
    expect(codec.decode({ ...scope, query: same }, text)).toBe(1);
    expect(
      isRefused(
        {
          ...scope,
          query: [
            ['q', 'b'],
            ['sortBy', 'x'],
            ['q', 'a'],
          ],
        },
        text,
      ),
    ).toBe(true);
  });

  test('refuses a weak secret and a payload that is too long', () => {
    expect(() => createCursorCodec(Buffer.alloc(31))).toThrow('32 bytes');
    expect(() => codec.encode(scope, 'x'.repeat(MAXIMUM_CURSOR_LENGTH))).toThrow('too long');
  });
});
