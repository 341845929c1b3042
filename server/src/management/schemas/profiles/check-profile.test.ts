import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ProfileAttribute, ProfileSchema } from '../attributes/attribute.ts';
import { checkProfile, MAXIMUM_ELEMENTS, problemsOfValue } from './check-profile.ts';

const attribute = (details: Partial<ProfileAttribute>): ProfileAttribute => ({
  title: 'T',
  type: 'string',
  required: false,
  mutability: 'READ_WRITE',
  scope: 'NONE',
  permissions: [{ principal: 'SELF', action: 'READ_ONLY' }],
  attributeId: 10_000,
  ...details,
});

const problems = (value: unknown, details: Partial<ProfileAttribute>): string[] =>
  problemsOfValue('a', value, attribute(details));

const BLANK = 'The field cannot be left blank';
const INVALID = 'The field a is not valid.';
const UNMATCHED = 'does not match the required pattern.';
const NO_CHOICE = 'must be one of the allowed values.';

describe('problemsOfValue', () => {
  test.each([
    ['string', 'x', ''],
    ['boolean', false, true],
    ['number', 1.5, -1e300],
    ['integer', 0, -(2 ** 53) + 1],
    ['array', [], ['x']],
  ] as const)('takes values of the type %s, and none at all', (type, ...values) => {
    for (const value of [...values, null, undefined]) expect(problems(value, { type })).toEqual([]);
  });

  test.each([
    ['string', 1, ['x'], {}, true, 'a\0b', 'a\ud800'],
    ['boolean', 'true', 0, []],
    ['number', '1', Number.NaN, Number.POSITIVE_INFINITY, true],
    ['integer', 1.5, '1', 2 ** 53, Number.NaN],
    ['array', 'x', { 0: 'x', length: 1 }, 1],
  ] as const)('refuses what is not of the type %s', (type, ...values) => {
    for (const value of values) expect(problems(value, { type })).toEqual([INVALID]);
  });

  test('a required attribute needs a value, which is not blank', () => {
    for (const value of [null, undefined, '', '  ']) expect(problems(value, { required: true })).toEqual([BLANK]);
    expect(problems([], { type: 'array', required: true })).toEqual([BLANK]);
    expect(problems(false, { type: 'boolean', required: true })).toEqual([]);
    expect(problems(0, { type: 'integer', required: true })).toEqual([]);
  });

  test.each([
    ['ab', { minLength: 3 }, ['must be at least 3 characters.']],
    ['abcd', { maxLength: 3 }, ['must be at most 3 characters.']],
    ['', { minLength: 1 }, ['must be at least 1 characters.']],
    ['abc', { minLength: 3, maxLength: 3 }, []],
    ['12', { pattern: '[0-9]{2}' }, []],
    ['123', { pattern: '[0-9]{2}' }, [UNMATCHED]],
    ['1', { minLength: 2, pattern: '[a-z]+' }, ['must be at least 2 characters.']],
    ['L', { enum: ['S', 'M'] }, [NO_CHOICE]],
    ['s', { enum: ['S', 'M'] }, [NO_CHOICE]],
    ['L1', { enum: ['S'], pattern: '[A-Z]' }, [UNMATCHED, NO_CHOICE]],
    [4, { type: 'integer', enum: [4, 5] }, []],
    [6, { type: 'integer', enum: [4, 5], maximum: 5 }, ['must be at most 5.', NO_CHOICE]],
    [-1, { type: 'number', minimum: -0.5 }, ['must be at least -0.5.']],
    [-0.5, { type: 'number', minimum: -0.5, maximum: -0.5 }, []],
  ] as const)('%j by %o: one text per fault', (value, details, expected) => {
    expect(problems(value, details)).toEqual(expected);
  });

  test.each([
    ['email', 'a@b.io', 'a@'],
    ['uri', 'https://example.com/x', 'example'],
    ['country-code', 'CH', 'ch'],
    ['language-code', 'de-CH', 'd'],
    ['locale', 'de_CH', 'de CH'],
    ['timezone', 'Europe/Zurich', 'Europe/Nowhere'],
    ['date-time', '2026-11-21T13:45:00.000Z', '2026-11-21'],
    ['ref-id', '00u00000000000000000', '00u'],
  ] as const)('the format %s takes %j and refuses %j', (format, good, bad) => {
    expect(problems(good, { format })).toEqual([]);
    expect(problems('', { format })).toEqual([]);
    expect(problems(bad, { format })).toEqual([UNMATCHED]);
  });

  test('arrays: each wrong element is a fault of its own', () => {
    const type = 'array';
    expect(problems(['x', 'y'], { type, items: { type: 'string' } })).toEqual([]);
    expect(problems(['x', 1, '', null], { type, items: { type: 'string' } })).toEqual([
      'The element at position 1 is not valid.',
      'The element at position 2 is not valid.',
      'The element at position 3 is not valid.',
    ]);
    expect(problems([1, 2.5], { type, items: { type: 'integer' } })).toHaveLength(1);
    expect(problems([1, 2.5], { type, items: { type: 'number' } })).toEqual([]);
    expect(problems(['S', 'L'], { type, items: { type: 'string', enum: ['S'] } })).toEqual([
      'The element at position 1 must be one of the allowed values.',
    ]);
    const many = Array.from({ length: MAXIMUM_ELEMENTS + 1 }, () => 'x');
    expect(problems(many, { type, items: { type: 'string' } })).toHaveLength(1);
    expect(problems(many.slice(1), { type, items: { type: 'string' } })).toEqual([]);
  });

  test.each(['(a+)+$', '(a|aa)+$', '(.*a){20}', '(?:a?){50}a{50}'])('the pattern %s takes linear time', (pattern) => {
    const started = performance.now();
    expect(problems(`${'a'.repeat(4_000)}!`, { pattern })).toEqual([UNMATCHED]);
    expect(performance.now() - started).toBeLessThan(500);
  });
});

const value: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, undefined, '', ' ', 'a', 'ab', 'abc', 'S', 0, 1, 2, 2.5, -1, true, false, [], ['a'], ['S', 1]),
  fc.string({ maxLength: 4 }),
  fc.double(),
  fc.array(fc.oneof(fc.string({ maxLength: 2 }), fc.integer()), { maxLength: 3 }),
);

const definition: fc.Arbitrary<ProfileAttribute> = fc.oneof(
  fc
    .record(
      {
        required: fc.boolean(),
        minLength: fc.nat({ max: 2 }),
        maxLength: fc.integer({ min: 2, max: 3 }),
        pattern: fc.constantFrom('[a-z]*', '.+', 'S'),
        enum: fc.constant(['a', 'ab', 'S']),
      },
      { requiredKeys: ['required'] },
    )
    .map((details) => attribute(details)),
  fc
    .record(
      {
        type: fc.constantFrom('number' as const, 'integer' as const),
        required: fc.boolean(),
        minimum: fc.integer({ min: -1, max: 1 }),
        maximum: fc.integer({ min: 1, max: 2 }),
        enum: fc.constant([0, 1, 2]),
      },
      { requiredKeys: ['type', 'required'] },
    )
    .map((details) => attribute(details)),
  fc.boolean().map((required) => attribute({ type: 'boolean', required })),
  fc
    .record({
      required: fc.boolean(),
      items: fc.constantFrom<ProfileAttribute['items'][]>({ type: 'string' }, { type: 'integer', enum: [1] }),
    })
    .map(({ items, required }) => attribute({ type: 'array', required, ...(items === undefined ? {} : { items }) })),
);

function isRight(given: unknown, one: ProfileAttribute): boolean {
  if (given === null || given === undefined) return !one.required;
  const { enum: choices, items, maximum = Infinity, maxLength = Infinity, minimum = -Infinity, minLength = 0 } = one;
  const isChoice = choices === undefined || choices.some((choice) => choice === given);
  if (one.type === 'boolean') return typeof given === 'boolean';
  if (one.type === 'array') {
    if (!Array.isArray(given) || (one.required && given.length === 0)) return false;
    const type = items?.type === 'integer' ? 'number' : 'string';
    return given.every(
      (element: unknown) =>
        typeof element === type && element !== '' && (items?.enum?.some((choice) => choice === element) ?? true),
    );
  }
  if (one.type === 'string') {
    if (typeof given !== 'string' || !isChoice || (one.required && given.trim() === '')) return false;
    const length = Array.from(given.normalize('NFC')).length;
    const isLike = one.pattern === undefined || new RegExp(`^(?:${one.pattern})$`, 'u').test(given);
    return isLike && length >= minLength && length <= maxLength && !/[\0\p{Cs}]/u.test(given);
  }
  if (typeof given !== 'number' || !Number.isFinite(given)) return false;
  return isChoice && given >= minimum && given <= maximum && (one.type === 'number' || Number.isSafeInteger(given));
}

const names = fc.oneof(fc.constantFrom('constructor', '__proto__', 'toString', 'a', 'b'), fc.string({ maxLength: 3 }));

describe('checkProfile', () => {
  test('finds fault with exactly the values that are wrong', () => {
    let wrong = 0;
    fc.assert(
      fc.property(value, definition, (given, one) => {
        const right = isRight(given, one);
        if (!right) wrong += 1;
        expect(problemsOfValue('a', given, one).length === 0).toBe(right);
      }),
      { numRuns: 2_000 },
    );
    expect(wrong).toBeGreaterThan(200);
  });

  test('takes each attribute by itself: the causes of a profile are those of its values, and its unknown names', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(names, definition), { selector: ([name]) => name, maxLength: 4 }),
        fc.uniqueArray(fc.tuple(names, value), { selector: ([name]) => name, maxLength: 4 }),
        (attributes, values) => {
          const schema: ProfileSchema = new Map(attributes);
          const profile = Object.fromEntries(values);
          const given = new Map(values);
          const expected = [
            ...values.filter(([name]) => !schema.has(name)).map(([name]) => `Property name '${name}' is not defined`),
            ...attributes.flatMap(([name, one]) =>
              problemsOfValue(name, given.get(name), one).map((problem) => `${name}: ${problem}`),
            ),
          ];
          const causes = checkProfile(schema, profile).map(({ errorSummary }) => errorSummary);
          expect(causes.map((cause) => cause.replace(/ in profile$/, '')).toSorted()).toEqual(expected.toSorted());
        },
      ),
    );
  });

  test('is pure: neither schema nor profile is touched', () => {
    const schema: ProfileSchema = new Map([['a', Object.freeze(attribute({ enum: Object.freeze(['x']) }))]]);
    const profile = Object.freeze({ a: 'y', b: 1 });
    expect(checkProfile(schema, profile)).toHaveLength(2);
    expect(checkProfile(schema, profile)).toHaveLength(2);
  });
});
