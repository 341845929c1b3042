import { describe, expect, test } from 'vitest';
import { type CheckedExpression, readFilter } from '../../filter/index.ts';
import { namespaceOf } from '../../kernel/words/namespace.ts';
import { GROUP_SEARCH_FIELDS } from './lists/search-fields.ts';
import { GROUP_TYPES } from './records/group-row.ts';
import { overStoredTypes, storedProfile, wireType } from './rules.ts';

const acme = namespaceOf('acme');

function typesIn(expression: CheckedExpression): string[] {
  if (expression.op === 'not') return typesIn(expression.operand);
  if (expression.op === 'and' || expression.op === 'or') return expression.operands.flatMap(typesIn);
  return expression.op === 'pr' || expression.field.name !== 'type'
    ? []
    : [`${expression.op} ${String(expression.value)}`];
}

const stored = (search: string) => overStoredTypes(readFilter(search, GROUP_SEARCH_FIELDS), GROUP_TYPES, acme);

describe('types', () => {
  test('only those made here bear the word', () => {
    expect(GROUP_TYPES.map((type) => wireType(type, acme))).toEqual(['ACME_GROUP', 'APP_GROUP', 'BUILT_IN']);
  });

  test.each([
    ['type eq "acme_group"', ['eq NATIVE_GROUP']],
    ['type eq "NATIVE_GROUP"', ['eq ']],
    ['type sw "a"', ['eq NATIVE_GROUP', 'eq APP_GROUP']],
    ['type lt "B"', ['eq NATIVE_GROUP', 'eq APP_GROUP']],
    ['type ge "APP_GROUP"', ['eq APP_GROUP', 'eq BUILT_IN']],
    ['not (type eq "BUILT_IN") and id pr', ['eq BUILT_IN']],
    ['type pr', []],
  ])('%s is asked of stored types', (search, types) => {
    expect(typesIn(stored(search))).toEqual(types);
  });

  test('other conditions stay as they are', () => {
    const given = readFilter('profile.name eq "type" or id sw "00g"', GROUP_SEARCH_FIELDS);
    expect(overStoredTypes(given, GROUP_TYPES, acme)).toEqual(given);
  });
});

describe('storedProfile', () => {
  test('leaves nulls out, trims the name alone, and keeps texts as they were written', () => {
    const written = { name: '  e\u0301 ', description: ' e\u0301 ', list: ['e\u0301', 5], flag: false };
    expect(storedProfile({ ...written, gone: null })).toEqual({ ...written, name: 'e\u0301' });
  });

  test('keeps a member called __proto__ as one', () => {
    const given: Record<string, unknown> = JSON.parse('{"name":"a","__proto__":"x"}');
    expect(Object.keys(storedProfile(given))).toEqual(['name', '__proto__']);
  });
});
