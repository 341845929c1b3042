import { describe, expect, test } from 'vitest';
import { OPERATORS } from './ast.ts';
import { readFilter } from './check.ts';
import { type Field, fieldTable } from './fields.ts';
import { matches } from './matches.ts';

const text: Omit<Field, 'name'> = { type: 'string', operators: OPERATORS };
const fields = fieldTable([
  { ...text, name: 'city' },
  { ...text, name: 'login', caseInsensitive: ['eq', 'ne', 'sw', 'gt', 'ge', 'lt', 'le'] },
  { ...text, name: 'target.id', array: true },
  { ...text, name: 'toString' },
  { name: 'level', type: 'number', operators: ['eq', 'ne', 'gt', 'le', 'pr'] },
  { name: 'active', type: 'boolean', operators: ['eq', 'ne', 'pr'] },
  { name: 'created', type: 'date', operators: ['eq', 'ne', 'ge', 'lt', 'pr'] },
  { ...text, name: 'alias', value: (object) => (object as { names?: unknown }).names, array: true },
]);
const holds = (filter: string, object: unknown): boolean => matches(readFilter(filter, fields), object);

describe('an absent attribute makes every leaf false, and not negates that', () => {
  const literals = { city: '"x"', level: '1', active: 'true', created: '"2024-01-01T00:00:00Z"' };
  const leaves = Object.entries(literals).flatMap(([name, literal]) =>
    (fields.fields.get(name)?.operators ?? []).map((op) => (op === 'pr' ? `${name} pr` : `${name} ${op} ${literal}`)),
  );
  test.each(leaves)('%s', (leaf) => {
    for (const object of [{}, { city: null, level: null, active: null, created: null }, null, [], 'x']) {
      expect(holds(leaf, object)).toBe(false);
      expect(holds(`not ${leaf}`, object)).toBe(true);
    }
  });
});

test.each<[string, unknown, boolean]>([
  ['city pr', { city: '' }, false],
  ['city eq ""', { city: '' }, true],
  ['city ne "x"', { city: '' }, true],
  ['city pr', { city: 'x' }, true],
  ['city eq "Ann"', { city: 'ann' }, false],
  ['login eq "ＡNN"', { login: 'ann' }, true],
  ['login ne "ANN"', { login: 'ann' }, false],
  ['login sw "AN"', { login: 'ann' }, true],
  ['login eq "élan"', { login: 'elan' }, false],
  ['login co "AN"', { login: 'ann' }, false],
  ['city sw "x"', { city: 'x' }, true],
  ['city sw "%"', { city: 'x' }, false],
  ['city co "a.c"', { city: 'abc' }, false],
  ['city ew "c"', { city: 'abc' }, true],
  ['city lt "b"', { city: 'B' }, true],
  ['city gt "ab"', { city: 'abc' }, true],
  ['city gt "\\uffff"', { city: '\u{10000}' }, true],
  ['city lt "\\ud83d\\ude00"', { city: '\ue000' }, true],
  ['level eq 1', { level: 1 }, true],
  ['level eq 1', { level: '1' }, false],
  ['level pr', { level: 0 }, true],
  ['active pr', { active: false }, true],
  ['active ne true', { active: false }, true],
  ['created eq "2024-01-01T01:00:00+01:00"', { created: '2024-01-01T00:00:00.000Z' }, true],
  ['created ge "2024-01-01T00:00:00Z"', { created: new Date('2024-01-01') }, true],
  ['created lt "2024-01-01T00:00:00Z"', { created: 'not a date' }, false],
  ['target.id eq "b"', { target: [{ id: 'a' }, { id: 'b' }] }, true],
  ['target.id eq "a" and target.id eq "b"', { target: [{ id: 'a' }, { id: 'b' }] }, true],
  ['target.id ne "a"', { target: [{ id: 'a' }, { id: 'b' }] }, true],
  ['not target.id eq "a"', { target: [{ id: 'a' }, { id: 'b' }] }, false],
  ['target.id ne "a"', { target: [] }, false],
  ['target.id pr', { target: [] }, false],
  ['target.id pr', { target: null }, false],
  ['target.id pr', { target: [{ id: null }, {}] }, false],
  ['target.id pr', { target: [{ id: '' }, { id: 'a' }] }, true],
  ['alias eq "b"', { names: ['a', 'b'] }, true],
  ['toString pr', {}, false],
  ['city pr', Object.create({ city: 'inherited' }), false],
  ['toString eq "x"', { toString: 'x' }, true],
  ['city pr or level pr', { level: 1 }, true],
  ['city pr and level pr', { level: 1 }, false],
])('%s on %j: %s', (filter, object, expected) => {
  expect(holds(filter, object)).toBe(expected);
});
