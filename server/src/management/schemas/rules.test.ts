import { describe, expect, test } from 'vitest';
import { ApiError } from '../../kernel/errors.ts';
import { readSchemaUpdate, type SchemaUpdate } from './rules.ts';
import { baseDefinitions } from './wire.ts';

const BOTH = { firstName: { required: true }, lastName: { required: true } };
const current = baseDefinitions({});
const base = (part: NonNullable<NonNullable<SchemaUpdate['definitions']>['base']>): SchemaUpdate => ({
  definitions: { base: part },
});

function causesOf(update: SchemaUpdate): string[] {
  try {
    readSchemaUpdate(update, current);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'E0000001') return error.causes.map((cause) => cause.errorSummary);
    throw error;
  }
  return [];
}

describe('readSchemaUpdate', () => {
  test.each([
    ['an empty body', {}],
    ['empty definitions', { definitions: { base: {}, custom: { properties: {} } } }],
    ['the schema as it is', base({ properties: current, required: ['login', 'email', 'firstName', 'lastName'] })],
    ['null where nothing is set', base({ properties: { nickName: { minLength: null } } })],
    ['required:false where it is so', base({ properties: { nickName: { required: false } } })],
    ['the default master', base({ properties: { nickName: { master: { type: 'PROFILE_MASTER' } } } })],
  ] as const)('%s changes nothing', (_, update) => {
    expect(readSchemaUpdate(update, current)).toEqual(BOTH);
  });

  test('required:false on the property', () => {
    const update = base({ properties: { firstName: { required: false } } });
    expect(readSchemaUpdate(update, current)).toEqual({ ...BOTH, firstName: { required: false } });
  });

  test('leaving it out of the list', () => {
    const update = base({ required: ['login', 'email', 'firstName'] });
    expect(readSchemaUpdate(update, current)).toEqual({ ...BOTH, lastName: { required: false } });
  });

  test('one of the two, the other sent back as it was', () => {
    const list = base({ properties: current, required: ['login', 'email'] });
    expect(readSchemaUpdate(list, current)).toEqual({ firstName: { required: false }, lastName: { required: false } });
    const firstName = { ...current['firstName'], required: false };
    const property = base({
      properties: { ...current, firstName },
      required: ['login', 'email', 'firstName', 'lastName'],
    });
    expect(readSchemaUpdate(property, current)).toEqual({ ...BOTH, firstName: { required: false } });
  });

  test('and back', () => {
    const nullable = baseDefinitions({ firstName: { required: false }, lastName: { required: false } });
    expect(readSchemaUpdate(base({ properties: { firstName: { required: true } } }), nullable)).toEqual({
      firstName: { required: true },
      lastName: { required: false },
    });
    expect(readSchemaUpdate(base({ required: ['login', 'email', 'firstName', 'lastName'] }), nullable)).toEqual(BOTH);
    expect(readSchemaUpdate({}, nullable)).toEqual({ firstName: { required: false }, lastName: { required: false } });
  });

  test.each([
    ['a custom attribute', { definitions: { custom: { properties: { shoeSize: { type: 'integer' } } } } }],
    ['removing a custom attribute', { definitions: { custom: { properties: { shoeSize: null } } } }],
    ['an unknown base attribute', base({ properties: { shoeSize: { type: 'integer' } } })],
    ['an inherited name', base({ properties: { toString: { type: 'string' } } })],
    ['removing a base attribute', base({ properties: { nickName: null } })],
    ['another title', base({ properties: { nickName: { title: 'Handle' } } })],
    ['another limit', base({ properties: { firstName: { maxLength: 500 } } })],
    ['no limit', base({ properties: { firstName: { maxLength: null } } })],
    ['a pattern', base({ properties: { login: { pattern: '.+' } } })],
    ['other permissions', base({ properties: { nickName: { permissions: [] } } })],
    ['a login that is not required', base({ properties: { login: { required: false } } })],
    ['a nickname that is required', base({ properties: { nickName: { required: true } } })],
    ['a required that is no boolean', base({ properties: { firstName: { required: 'no' } } })],
    ['a list without the login', base({ required: ['email', 'firstName', 'lastName'] })],
    ['a list with more', base({ required: ['login', 'email', 'firstName', 'lastName', 'nickName'] })],
    ['a list with an inherited name', base({ required: ['login', 'email', 'constructor'] })],
  ] as const)('refuses %s', (_, update) => {
    expect(causesOf(update)).toHaveLength(1);
  });

  test('tells every problem', () => {
    const update = base({ properties: { nickName: { title: 'A', type: 'integer' }, login: null } });
    expect(causesOf(update)).toHaveLength(3);
  });
});
