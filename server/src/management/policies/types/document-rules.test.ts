import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors/errors.ts';
import { gather } from '../conditions/gather-rules.ts';
import {
  choice,
  duration,
  flag,
  integer,
  list,
  neutralOnly,
  notYet,
  nullable,
  object,
  oneOf,
  optional,
  type PolicyNames,
  reference,
  references,
  type Shape,
  text,
} from './document-rules.ts';

const words: PolicyNames = { word: 'acme', upperWord: 'ACME', capitalisedWord: 'Acme', attributes: new Set() };

function causesOf(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'E0000001') return error.causes.map((cause) => cause.errorSummary);
    throw error;
  }
  return [];
}

const read = <Stored>(shape: Shape<Stored>, value: unknown): Stored => shape.read('doc', value, words);

describe('gather', () => {
  test('answers all values, or the causes of all that refused', () => {
    expect(gather({ a: () => 1, b: () => undefined })).toEqual({ a: 1 });
    const causes = causesOf(() =>
      gather({ a: () => read(text(), 5), b: () => 1, c: () => gather({ d: () => read(flag(true), 'x') }) }),
    );
    expect(causes).toEqual(['doc: must be a string.', 'doc: must be true or false.']);
  });

  test('a fault of ours is no refusal', () => {
    const broken = () => {
      throw new TypeError('broken');
    };
    expect(() => gather({ a: broken })).toThrow(TypeError);
  });

  test('tells of so many faults, and no more', () => {
    const faults = Object.fromEntries(Array.from({ length: 80 }, (_, n) => [`f${n}`, () => read(text(), null)]));
    expect(causesOf(() => gather(faults))).toHaveLength(50);
  });
});

const shape = object({
  kind: choice(['{WORD}_ONE', 'TWO'], 'TWO'),
  '{word}_flag': flag(false),
  count: integer({ minimum: 1, maximum: 9, otherwise: 3 }),
  needed: optional(integer({ minimum: 1, maximum: 9, otherwise: null })),
  title: optional(text(5)),
  later: notYet,
  nothing: nullable(text()),
  users: references('user', 3),
  every: optional(duration(null)),
  factor: neutralOnly([false, true], false),
  nested: optional(object({ zone: reference('zone'), list: list(text(), { minimum: 1, maximum: 2 }) })),
});

describe('an object', () => {
  test('is stored neutral, with what is left out as it is then, and printed in its own words', () => {
    const stored = read(shape, undefined);
    expect(stored).toEqual({ kind: 'TWO', '{word}_flag': false, count: 3, nothing: null, users: [] });
    expect(shape.write(stored, words)).toEqual({
      kind: 'TWO',
      acme_flag: false,
      count: 3,
      nothing: null,
      users: [],
      factor: false,
    });
  });

  test('carries the word of the org, whichever it is', () => {
    const stored = read(shape, { kind: 'ACME_ONE', acme_flag: true });
    expect(stored).toMatchObject({ kind: '{WORD}_ONE', '{word}_flag': true });
    expect(shape.write(stored, { ...words, word: 'svc', upperWord: 'SVC' })).toMatchObject({
      kind: 'SVC_ONE',
      svc_flag: true,
    });
    expect(causesOf(() => read(shape, { kind: 'SVC_ONE', svc_flag: true }))).toHaveLength(2);
  });

  test('says where it names something', () => {
    const stored = read(shape, { users: ['00u1', '00u1', '00u2'], nested: { zone: 'nzo1', list: ['a'] } });
    expect(shape.names(stored, 'doc')).toEqual([
      { kind: 'user', id: '00u1', place: 'doc.users' },
      { kind: 'user', id: '00u2', place: 'doc.users' },
      { kind: 'zone', id: 'nzo1', place: 'doc.nested.zone' },
    ]);
  });

  test('tells every fault, each with its place', () => {
    const given = {
      kind: 'THREE',
      acme_flag: 1,
      count: 0,
      title: 'too long',
      later: {},
      users: ['a', 'b', 'c', 'd'],
      every: '2 hours',
      factor: true,
      nested: { list: [] },
      constructor: 1,
      other: 1,
    };
    expect(causesOf(() => read(shape, given)).map((cause) => cause.split(':')[0])).toEqual([
      'doc.kind',
      'doc.acme_flag',
      'doc.count',
      'doc.title',
      'doc.later',
      'doc.users',
      'doc.every',
      'doc.factor',
      'doc.nested.zone',
      'doc.nested.list',
      'doc.constructor',
      'doc.other',
    ]);
  });

  test.each([[[]], ['text'], [5], [true]])('%j is none', (value) => {
    expect(causesOf(() => read(shape, value))).toEqual(['doc: must be an object.']);
  });
});

describe('one of several', () => {
  const either = oneOf('type', { A: { a: text() }, B: { b: optional(flag(true)) } }, 'B');

  test('takes the members of its kind alone', () => {
    expect(read(either, { type: 'A', a: 'x' })).toEqual({ type: 'A', a: 'x' });
    expect(read(either, null)).toEqual({ type: 'B' });
    expect(causesOf(() => read(either, { type: 'B', a: 'x' }))).toEqual(['doc.a: is not supported yet.']);
    expect(causesOf(() => read(either, { type: 'C' }))).toEqual(['doc.type: must be one of A, B.']);
    expect(causesOf(() => read(either, { type: 'constructor' }))).toHaveLength(1);
  });
});

describe('durations', () => {
  test.each(['PT12H', 'P30D', 'PT0S', 'P1DT2H3M4S', 'PT90M'])('%s is one', (given) => {
    expect(read(duration(null), given)).toBe(given);
  });
  test.each(['', 'P', 'PT', 'P1DT', '2H', 'PT2', 'P1Y', 'PT-2H', `PT${'9'.repeat(300)}S`])('%s is none', (given) => {
    expect(causesOf(() => read(duration(null), given))).toHaveLength(1);
  });
});

test('what is printed is read as the same again, and nothing else is thrown than a refusal', () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, undefined, true, false, 0, 1, 5, 'TWO', 'ACME_ONE', 'PT1H', 'x', '', '00u1'),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom('kind', 'acme_flag', 'count', 'title', 'users', 'nested', 'zone', 'list', 'every', '__proto__'),
        tie('any'),
        { maxKeys: 5 },
      ),
    ),
  })).any;
  fc.assert(
    fc.property(value, (given) => {
      let stored: ReturnType<typeof shape.read>;
      try {
        stored = read(shape, given);
      } catch (error) {
        if (error instanceof ApiError && error.code === 'E0000001') return;
        throw error;
      }
      expect(read(shape, shape.write(stored, words))).toEqual(stored);
    }),
    { numRuns: 500 },
  );
});
