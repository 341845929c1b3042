import { describe, expect, test } from 'vitest';
import { ApiError } from '../kernel/errors/errors.ts';
import { readFilter } from './check.ts';
import { assertOperatorsText, type Field, fieldTable } from './fields.ts';

const fields = fieldTable(
  [
    { name: 'status', type: 'string', operators: ['eq'] },
    { name: 'lastUpdated', type: 'date', operators: ['eq', 'gt', 'ge', 'lt', 'le'] },
    { name: 'profile.level', type: 'number', operators: ['eq', 'gt', 'pr'] },
    { name: 'profile.active', type: 'boolean', operators: ['eq'] },
    { name: 'profile.tags', type: 'string', array: true, operators: ['eq', 'pr'] },
    {
      name: 'profile.email',
      type: 'string',
      operators: ['eq', 'sw', 'co', 'pr'],
      caseInsensitive: ['eq', 'sw'],
      minimumCoLength: 3,
    },
    { name: 'debugContext.debugData.url', type: 'string', operators: ['eq', 'ne', 'ew'] },
  ],
  {
    resolve: (name) =>
      /^profile\.custom[A-Z]\w*$/.test(name) ? { name, type: 'boolean', operators: ['eq', 'sw'] } : undefined,
  },
);

function refusal(text: string): string {
  try {
    readFilter(text, fields);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error.status).toBe(400);
    return `${error.code} ${error.message}`;
  }
  throw new Error(`was accepted: ${text}`);
}

describe('accepts', () => {
  test('and resolves field and value, inside every connective', () => {
    expect(
      readFilter('not (status eq "A" or profile.level gt 1 and lastUpdated le "2024-01-01T00:00:00Z")', fields),
    ).toEqual({
      op: 'not',
      operand: {
        op: 'or',
        operands: [
          { op: 'eq', field: fields.fields.get('status'), value: 'A' },
          {
            op: 'and',
            operands: [
              { op: 'gt', field: fields.fields.get('profile.level'), value: 1 },
              { op: 'le', field: fields.fields.get('lastUpdated'), value: new Date('2024-01-01') },
            ],
          },
        ],
      },
    });
  });

  test('names that only the resolver knows', () => {
    expect(readFilter('profile.customFlag eq true', fields)).toMatchObject({ field: { name: 'profile.customFlag' } });
  });

  test.each(['profile.email co "abc"', 'profile.email sw "a"', 'profile.tags pr', 'profile.active eq false'])(
    '%s',
    (text) => {
      expect(() => readFilter(text, fields)).not.toThrow();
    },
  );
});

describe('refuses', () => {
  test.each([
    'some_invalid_field',
    'published',
    'Status',
    'constructor',
    'toString',
    '__proto__',
    'hasOwnProperty',
    'profile.constructor',
    'profile.customer',
  ])('the unknown field %s', (name) => {
    expect(refusal(`${name} pr`)).toBe(`E0000053 field is not valid: ${name}`);
    expect(refusal(`not (status eq "A" and ${name} eq "x")`)).toBe(`E0000053 field is not valid: ${name}`);
  });

  test.each([
    ['co', 'debugContext.debugData.url'],
    ['sw', 'status'],
    ['ew', 'profile.email'],
    ['ne', 'status'],
    ['sw', 'profile.customFlag'],
  ])('%s on %s, which does not support it', (operator, name) => {
    expect(refusal(`${name} ${operator} "abc"`)).toBe(
      'E0000031 The supplied combination of operator and field is not currently supported. ' +
        `Operator: ${operator}, Field: ${name}`,
    );
  });

  test('pr where it is not supported', () => {
    expect(refusal('status PR')).toContain('Operator: pr, Field: status');
  });

  test.each([
    ['status eq 1', 'status: expected a quoted string'],
    ['status eq true', 'status: expected a quoted string'],
    ['status eq "\\u0000"', 'status: NUL and unpaired surrogates are not allowed'],
    ['status eq "\\ud800x"', 'status: NUL and unpaired surrogates are not allowed'],
    ['profile.level eq "1"', 'profile.level: expected a number'],
    ['profile.active eq "true"', 'profile.active: expected true or false'],
    ['lastUpdated gt 1', 'lastUpdated: expected a date-time such as "2024-01-31T12:00:00.000Z"'],
    ['lastUpdated gt "2024-02-30T00:00:00Z"', 'lastUpdated: expected a date-time such as "2024-01-31T12:00:00.000Z"'],
    ['lastUpdated gt "2024-02-01"', 'lastUpdated: expected a date-time such as "2024-01-31T12:00:00.000Z"'],
    ['profile.email co "ab"', 'profile.email: co needs at least 3 characters'],
    ['profile.email co "\\ud83d\\ude00a"', 'profile.email: co needs at least 3 characters'],
  ])('%s', (text, problem) => {
    expect(refusal(text)).toBe(`E0000053 Invalid filter value for field ${problem}`);
  });

  test('an unknown operator before an unknown field, naming the operators of the table', () => {
    expect(refusal('nope eqq "x"')).toBe(
      `E0000053 Invalid filter 'nope eqq "x"': Unrecognized attribute operator 'eqq' at position 5. ` +
        'Expected: eq,co,sw,pr,gt,ge,lt,le,ne,ew',
    );
  });
});

describe('fieldTable', () => {
  test('refuses contradictions', () => {
    const field: Field = { name: 'a', type: 'string', operators: ['eq'] };
    expect(() => fieldTable([field, field])).toThrow('two filter fields have one name');
    expect(() => fieldTable([{ ...field, type: 'boolean', operators: ['gt'] }])).toThrow('a: gt cannot compare');
    expect(() => fieldTable([{ ...field, type: 'number', caseInsensitive: ['eq'] }])).toThrow('only strings have case');
  });

  test('lists the operators it was told to, or those of its fields', () => {
    const field: Field = { name: 'a', type: 'string', operators: ['pr', 'ne', 'eq'] };
    expect(fieldTable([field]).expectedOperators).toEqual(['eq', 'pr', 'ne']);
    expect(fieldTable([field], { expectedOperators: ['eq'] }).expectedOperators).toEqual(['eq']);
  });

  test('describes itself for the documentation', () => {
    expect(assertOperatorsText(fields).slice(3, 6)).toEqual([
      { name: 'profile.active', type: 'boolean', operators: ['eq'] },
      { name: 'profile.tags', type: 'string[]', operators: ['eq', 'pr'] },
      {
        name: 'profile.email',
        type: 'string',
        operators: ['eq (ignores case)', 'co (at least 3 characters)', 'sw (ignores case)', 'pr'],
      },
    ]);
  });
});
