import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { acceptedAlgorithms, ENTITY_TAG_ALGORITHMS, entityTag, matchesEntityTag, parseIfMatch } from './entity-tag.ts';

const resource = { orgId: '00o1', kind: 'user', id: '00u1', revision: 4 };

describe('entityTag', () => {
  test('is the weak tag of the length-prefixed fields', () => {
    const hash = createHash('sha256').update('2:v14:00o14:user4:00u11:4').digest('hex');
    expect(entityTag({ algorithm: 'v1', ...resource })).toBe(`W/"${hash}"`);
    expect(entityTag({ algorithm: 'v1', ...resource, revision: 4n })).toBe(`W/"${hash}"`);
  });

  test('differs when any field differs, or a character moves to the next field', () => {
    const input = { algorithm: 'v1', ...resource };
    const others = [
      { ...input, algorithm: 'v2' },
      { ...input, orgId: '00o2' },
      { ...input, kind: 'group' },
      { ...input, id: '00u2' },
      { ...input, revision: 5 },
      { ...input, kind: 'use', id: 'r00u1' },
      { ...input, id: '00u', revision: 14 },
    ];
    expect(new Set([input, ...others].map(entityTag)).size).toBe(others.length + 1);
  });
});

describe('parseIfMatch', () => {
  test.each<[string, ReturnType<typeof parseIfMatch>]>([
    ['*', 'any'],
    [' * ', 'any'],
    ['"abc"', ['abc']],
    ['W/"abc"', ['abc']],
    ['W/"a", "b" ,W/"c"', ['a', 'b', 'c']],
    [', "a",, "b",', ['a', 'b']],
    ['"a,b"', ['a,b']],
    ['""', ['']],
    ['"*"', ['*']],
    ['', 'invalid'],
    [',', 'invalid'],
    ['abc', 'invalid'],
    ['"abc', 'invalid'],
    ['w/"abc"', 'invalid'],
    ['W/abc', 'invalid'],
    ['W/ "abc"', 'invalid'],
    ['"a" "b"', 'invalid'],
    ['"a b"', 'invalid'],
    ['*, "a"', 'invalid'],
    ['"a", *', 'invalid'],
    ['"a"x', 'invalid'],
  ])('reads %j', (header, expected) => expect(parseIfMatch(header)).toEqual(expected));

  test('bounds length and number', () => {
    expect(parseIfMatch(`"${'a'.repeat(8_192)}"`)).toBe('invalid');
    expect(parseIfMatch(Array.from({ length: 100 }, () => '"a"').join(','))).toHaveLength(100);
    expect(parseIfMatch(Array.from({ length: 101 }, () => '"a"').join(','))).toBe('invalid');
  });

  test('reads back any list of tags, and never throws', () => {
    const opaque = fc.stringMatching(/^[\x21\x23-\x7e]*$/);
    const list = fc.array(fc.tuple(fc.boolean(), opaque), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(list, (tags) => {
        const header = tags.map(([weak, tag]) => `${weak ? 'W/' : ''}"${tag}"`).join(', ');
        expect(parseIfMatch(header)).toEqual(tags.map(([, tag]) => tag));
      }),
    );
    fc.assert(
      fc.property(fc.string(), (header) => {
        const read = parseIfMatch(header);
        expect(read === 'any' || read === 'invalid' || read.every((tag) => header.includes(`"${tag}"`))).toBe(true);
      }),
    );
  });
});

describe('matchesEntityTag', () => {
  const conditionOf = (algorithm: string, revision = 4) =>
    parseIfMatch(entityTag({ algorithm, ...resource, revision }));
  const matches = (condition: ReturnType<typeof parseIfMatch>, algorithms: readonly string[]) =>
    condition !== 'invalid' && matchesEntityTag({ ...resource, condition, algorithms });

  test('compares weakly, in lists, by any accepted algorithm', () => {
    expect(matches(conditionOf('v1'), ['v1'])).toBe(true);
    expect(matches(parseIfMatch(entityTag({ algorithm: 'v1', ...resource }).slice(2)), ['v1'])).toBe(true);
    expect(matches(parseIfMatch(`"other", ${entityTag({ algorithm: 'v1', ...resource })}`), ['v1'])).toBe(true);
    expect(matches(conditionOf('v1'), ['v2', 'v1'])).toBe(true);
    expect(matches('any', ['v1'])).toBe(true);
  });

  test('refuses a stale tag, one of an algorithm no longer accepted, and another', () => {
    expect(matches(conditionOf('v1', 3), ['v1'])).toBe(false);
    expect(matches(conditionOf('v1'), ['v2'])).toBe(false);
    expect(matches(['abc'], ['v1'])).toBe(false);
    expect(matches(conditionOf('v1'), [])).toBe(false);
  });
});

describe('acceptedAlgorithms', () => {
  const algorithms = ['v1', 'v2', 'v3'];
  const now = new Date('2026-03-10T00:00:00.000Z');
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);

  test.each<[string, Record<string, Date>, string[]]>([
    ['nothing emitted yet: the oldest is emitted, the rest accepted', {}, ['v1', 'v2', 'v3']],
    ['the new is accepted before it is emitted', { v1: daysAgo(100) }, ['v1', 'v2', 'v3']],
    ['old and new overlap', { v1: daysAgo(100), v2: daysAgo(6.99) }, ['v2', 'v1', 'v3']],
    ['the old ends seven days after the first emission of the new', { v1: daysAgo(100), v2: daysAgo(7) }, ['v2', 'v3']],
    ['an algorithm that was skipped counts for nothing', { v1: daysAgo(9), v3: daysAgo(1) }, ['v3', 'v1', 'v2']],
    ['each old one ends by its own successor', { v1: daysAgo(30), v2: daysAgo(9), v3: daysAgo(1) }, ['v3', 'v2']],
  ])('%s', (_, emittedSince, expected) => {
    expect(acceptedAlgorithms({ algorithms, emittedSince, now })).toEqual(expected);
  });

  test('by default those of the table', () => {
    expect(acceptedAlgorithms({ emittedSince: {}, now })).toEqual(ENTITY_TAG_ALGORITHMS);
  });
});
