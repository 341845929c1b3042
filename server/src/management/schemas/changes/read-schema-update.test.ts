import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors/errors.ts';
import { type BaseOverrides, profileSchema } from '../attributes/base-profile.ts';
import { wireAttribute } from '../attributes/wire-attribute.ts';
import type { CustomState } from './read-custom-update.ts';
import { readSchemaUpdate, type SchemaChanges, type SchemaUpdate } from './read-schema-update.ts';

type State = CustomState & { readonly overrides: BaseOverrides };
type Definitions = NonNullable<SchemaUpdate['definitions']>;

const stateWith = (overrides: BaseOverrides): State => ({
  base: profileSchema(overrides),
  overrides,
  custom: [],
  leaving: [],
  elsewhere: [],
  leavingElsewhere: [],
});
const STATE = stateWith({});
const printed = Object.fromEntries(
  [...STATE.base].map(([name, attribute]) => [name, wireAttribute(attribute, 'USER', 'SVC')]),
);

const base = (part: NonNullable<Definitions['base']>): SchemaUpdate => ({ definitions: { base: part } });

const read = (update: SchemaUpdate, state: State = STATE): SchemaChanges =>
  readSchemaUpdate(update, state, { kind: 'USER', upperWord: 'SVC' });

function causesOf(update: SchemaUpdate, state: State = STATE): string[] {
  try {
    read(update, state);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'E0000001') return error.causes.map((cause) => cause.errorSummary);
    throw error;
  }
  return [];
}

const OPTIONAL = { required: false };

describe('base attributes', () => {
  test.each([
    ['an empty body', {}],
    ['empty definitions', { definitions: { base: {}, custom: { properties: {} } } }],
    ['the schema as it is', base({ properties: printed, required: ['login', 'email', 'firstName', 'lastName'] })],
    ['null where nothing is set', base({ properties: { nickName: { minLength: null } } })],
    ['required:false where it is so', base({ properties: { nickName: { required: false } } })],
    ['the default master', base({ properties: { nickName: { master: { type: 'PROFILE_MASTER' } } } })],
    [
      'the permission it has',
      base({ properties: { nickName: { permissions: [{ principal: 'SELF', action: 'READ_ONLY' }] } } }),
    ],
  ] as const)('%s changes nothing', (_, update) => {
    expect(read(update)).toEqual({ overrides: {}, custom: [], removed: [] });
  });

  test('names may be optional, said at the property or in the list', () => {
    expect(read(base({ properties: { firstName: OPTIONAL } })).overrides).toEqual({ firstName: OPTIONAL });
    expect(read(base({ required: ['login', 'email', 'firstName'] })).overrides).toEqual({ lastName: OPTIONAL });
  });

  test('one of the two, the other sent back as it was', () => {
    const both = { firstName: OPTIONAL, lastName: OPTIONAL };
    expect(read(base({ properties: printed, required: ['login', 'email'] })).overrides).toEqual(both);
    const firstName = { ...printed['firstName'], required: false };
    const property = base({
      properties: { ...printed, firstName },
      required: ['login', 'email', 'firstName', 'lastName'],
    });
    expect(read(property).overrides).toEqual({ firstName: OPTIONAL });
  });

  test('and back', () => {
    const both = stateWith({ firstName: OPTIONAL, lastName: OPTIONAL });
    expect(read(base({ properties: { firstName: { required: true } } }), both).overrides).toEqual({
      lastName: OPTIONAL,
    });
    expect(read(base({ required: ['login', 'email', 'firstName', 'lastName'] }), both).overrides).toEqual({});
    expect(read({}, both).overrides).toEqual({ firstName: OPTIONAL, lastName: OPTIONAL });
  });

  test('permissions, masters and the pattern of the login may be changed, and changed back', () => {
    const changed = read(
      base({
        properties: {
          nickName: { permissions: [{ principal: 'SELF', action: 'HIDE' }], master: { type: 'SVC' } },
          login: { pattern: '[a-z]+' },
        },
      }),
    ).overrides;
    expect(changed).toEqual({
      nickName: { permission: 'HIDE', master: { type: 'INTERNAL' } },
      login: { pattern: '[a-z]+' },
    });
    const back = base({
      properties: {
        nickName: { permissions: [{ principal: 'SELF', action: 'READ_ONLY' }], master: { type: 'PROFILE_MASTER' } },
        login: { pattern: null },
      },
    });
    expect(read(back, stateWith(changed)).overrides).toEqual({});
    const other = base({ properties: { nickName: { master: null } } });
    expect(read(other, stateWith(changed)).overrides).toEqual({
      nickName: { permission: 'HIDE' },
      login: { pattern: '[a-z]+' },
    });
  });

  test('what is changed is printed, and may be sent back', () => {
    const overrides: BaseOverrides = {
      nickName: { permission: 'HIDE', master: { type: 'OVERRIDE', priority: [{ type: 'APP', value: '0oa' }] } },
      login: { pattern: '.+' },
    };
    const state = stateWith(overrides);
    const properties = Object.fromEntries(
      [...state.base].map(([name, attribute]) => [name, wireAttribute(attribute, 'USER', 'SVC')]),
    );
    expect(properties['login']).toMatchObject({ pattern: '.+' });
    expect(properties['nickName']).toMatchObject({ permissions: [{ action: 'HIDE' }], master: { type: 'OVERRIDE' } });
    expect(read(base({ properties }), state).overrides).toEqual(overrides);
  });

  test.each([
    ['an unknown base attribute', base({ properties: { shoeSize: { type: 'integer' } } })],
    ['an inherited name', base({ properties: { toString: { type: 'string' } } })],
    ['an inherited member', base({ properties: { nickName: { constructor: 'x' } } })],
    ['removing a base attribute', base({ properties: { nickName: null } })],
    ['another title', base({ properties: { nickName: { title: 'Handle' } } })],
    ['another limit', base({ properties: { firstName: { maxLength: 500 } } })],
    ['no limit', base({ properties: { firstName: { maxLength: null } } })],
    ['a pattern of another', base({ properties: { email: { pattern: '.+' } } })],
    ['a pattern that is none', base({ properties: { login: { pattern: '(' } } })],
    ['no permissions at all', base({ properties: { nickName: { permissions: [] } } })],
    ['another principal', base({ properties: { nickName: { permissions: [{ principal: 'ALL', action: 'HIDE' }] } } })],
    ['an unknown action', base({ properties: { nickName: { permissions: [{ principal: 'SELF', action: 'hide' }] } } })],
    ['an unknown master', base({ properties: { nickName: { master: { type: 'OKTA' } } } })],
    ['an override without priority', base({ properties: { nickName: { master: { type: 'OVERRIDE' } } } })],
    ['a login that is not required', base({ properties: { login: { required: false } } })],
    ['a nickname that is required', base({ properties: { nickName: { required: true } } })],
    ['a required that is no boolean', base({ properties: { firstName: { required: 'no' } } })],
    ['a list without the login', base({ required: ['email', 'firstName', 'lastName'] })],
    ['a list with more', base({ required: ['login', 'email', 'firstName', 'lastName', 'nickName'] })],
    ['a list with an inherited name', base({ required: ['login', 'email', 'constructor'] })],
  ] as const)('refuses %s', (_, update) => {
    expect(causesOf(update)).toHaveLength(1);
  });

  test('of groups and app users nothing may be changed', () => {
    const permissions = [{ principal: 'SELF', action: 'HIDE' }];
    for (const kind of ['GROUP', 'APP_USER'] as const) {
      const attempt = () =>
        readSchemaUpdate(base({ properties: { nickName: { permissions } } }), STATE, { kind, upperWord: 'SVC' });
      expect(attempt).toThrow(ApiError);
    }
  });

  test('tells every problem', () => {
    const update = base({ properties: { nickName: { title: 'A', type: 'integer' }, login: null } });
    expect(causesOf(update)).toHaveLength(3);
  });
});

test('faults of base and custom attributes are told together', () => {
  const update = { definitions: { base: { properties: { login: null } }, custom: { properties: { '1st': {} } } } };
  expect(causesOf(update)).toHaveLength(2);
});
