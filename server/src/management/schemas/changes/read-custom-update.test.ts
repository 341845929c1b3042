import { describe, expect, test } from 'vitest';
import type { CustomAttribute } from '../attributes/attribute.ts';
import { profileSchema } from '../attributes/base-profile.ts';
import { wireAttribute } from '../attributes/wire-attribute.ts';
import { type CustomChanges, type CustomState, type CustomUpdate, readCustomUpdate } from './read-custom-update.ts';

const stateWith = (custom: readonly CustomAttribute[]): CustomState => ({
  base: profileSchema(),
  custom,
  leaving: [],
  elsewhere: [],
  leavingElsewhere: [],
});
const STATE = stateWith([]);

const custom = (properties: CustomUpdate['properties']): CustomUpdate => ({ properties });

const read = (update: CustomUpdate, state: CustomState = STATE): CustomChanges =>
  readCustomUpdate(update, state, { kind: 'USER', upperWord: 'SVC' });

const causesOf = (update: CustomUpdate, state: CustomState = STATE): string[] =>
  read(update, state).causes.map(({ errorSummary }) => errorSummary);

const TEXT = { title: 'Shoe size', type: 'string' };

const stored = (
  name: string,
  attributeId: number,
  update: Readonly<Record<string, unknown>> = TEXT,
): CustomAttribute => {
  const [made] = read(custom({ [name]: update })).custom;
  if (made === undefined) throw new Error('nothing was made');
  return { ...made, attributeId };
};

describe('custom attributes', () => {
  test('a new one has what is not said as it is everywhere, and a number of its own', () => {
    expect(read(custom({ shoeSize: TEXT })).custom).toEqual([
      {
        name: 'shoeSize',
        attributeId: 10_000,
        definition: {
          title: 'Shoe size',
          type: 'string',
          required: false,
          mutability: 'READ_WRITE',
          scope: 'NONE',
          permissions: [{ principal: 'SELF', action: 'READ_ONLY' }],
        },
      },
    ]);
  });

  const WHOLE = {
    title: 'Size',
    description: 'In Europe',
    type: 'string',
    required: true,
    unique: 'UNIQUE_VALIDATED',
    externalName: 'size',
    externalNamespace: 'shop',
    mutability: 'IMMUTABLE',
    scope: 'SELF',
    minLength: 1,
    maxLength: 3,
    pattern: '[SML]+',
    enum: ['S', 'M'],
    oneOf: [
      { const: 'S', title: 'Small' },
      { const: 'M', title: 'Medium' },
    ],
    permissions: [{ principal: 'SELF', action: 'HIDE' }],
    master: { type: 'SVC' },
  };

  test.each([
    ['text', WHOLE],
    [
      'number',
      {
        title: 'N',
        type: 'number',
        minimum: -1.5,
        maximum: 2,
        enum: [1.5, 2],
        mutability: 'READ_WRITE',
        scope: 'NONE',
        permissions: [{ principal: 'SELF', action: 'READ_ONLY' }],
      },
    ],
    [
      'array',
      {
        title: 'A',
        type: 'array',
        items: { type: 'string', enum: ['x'], oneOf: [{ const: 'x', title: 'X' }] },
        default: ['x'],
        mutability: 'READ_WRITE',
        scope: 'NONE',
        permissions: [{ principal: 'SELF', action: 'READ_ONLY' }],
      },
    ],
  ])('a %s is printed as it was given, and sending that back changes nothing', (_, given) => {
    const first = read(custom({ one: given }));
    const [made] = first.custom;
    const wire = wireAttribute(made?.definition ?? STATE.base.get('login') ?? never(), 'USER', 'SVC');
    expect(wire).toEqual(given);
    const state = stateWith(first.custom);
    expect(read(custom({ one: wire }), state).custom).toBe(first.custom);
  });

  test('an update replaces the members it gives, null takes one away, the rest stays', () => {
    const state = stateWith([stored('one', 10_000, { ...TEXT, minLength: 2, maxLength: 9 })]);
    const [after] = read(custom({ one: { maxLength: 5, minLength: null, unique: true } }), state).custom;
    expect(after).toMatchObject({
      attributeId: 10_000,
      definition: { title: 'Shoe size', maxLength: 5, unique: true },
    });
    expect(after?.definition).not.toHaveProperty('minLength');
  });

  test('null removes, also what is not there', () => {
    const state = stateWith([stored('one', 10_000), stored('two', 10_001)]);
    const { custom: kept, removed } = read(custom({ one: null, none: null }), state);
    expect([kept.map(({ name }) => name), removed.map(({ name }) => name)]).toEqual([['two'], ['one']]);
    expect(read(custom({ none: null }), state).custom).toBe(state.custom);
  });

  test('numbers are given out once: neither those of other types nor of attributes that leave', () => {
    const state = {
      ...stateWith([stored('one', 10_000)]),
      leaving: [{ name: 'left', attributeId: 10_002 }],
      elsewhere: [stored('other', 10_003)],
      leavingElsewhere: [{ name: 'gone', attributeId: 10_004 }],
    };
    const { custom: after } = read(custom({ two: TEXT, other: TEXT, three: TEXT }), state);
    expect(after.map(({ attributeId }) => attributeId)).toEqual([10_000, 10_005, 10_003, 10_006]);
    expect(causesOf(custom({ left: TEXT }), state)).toHaveLength(1);
    expect(causesOf(custom({ gone: TEXT }), state)).toHaveLength(1);
    expect(causesOf(custom({ other: { title: 'T', type: 'integer' } }), state)).toHaveLength(1);
  });

  test('does not get the number of one that the same update removes: its values may still be there', () => {
    const state = stateWith([stored('one', 10_000), stored('last', 10_001)]);
    const { custom: after, removed } = read(custom({ last: null, next: TEXT, other: TEXT }), state);
    expect(removed.map(({ attributeId }) => attributeId)).toEqual([10_001]);
    expect(after.map(({ attributeId }) => attributeId)).toEqual([10_000, 10_002, 10_003]);
  });

  test.each(['constructor', 'toString', 'hasOwnProperty', '_', 'a1_B'])('%s is a name', (name) => {
    expect(read(custom({ [name]: TEXT })).custom).toMatchObject([{ name }]);
  });

  test('so is __proto__', () => {
    const properties: Record<string, typeof TEXT> = JSON.parse(`{"__proto__":${JSON.stringify(TEXT)}}`);
    expect(read(custom(properties)).custom).toMatchObject([{ name: '__proto__' }]);
  });

  test.each([
    ['no name', { '': TEXT }],
    ['a digit first', { '1st': TEXT }],
    ['another character', { 'shoe-size': TEXT }],
    ['too long a name', { ['x'.repeat(101)]: TEXT }],
    ['the name of a base attribute', { login: TEXT }],
    ['the name of a base attribute but for case', { FirstName: TEXT }],
    ['two names that differ by case alone', { shoeSize: TEXT, shoesize: TEXT }],
    ['no type', { one: { title: 'T' } }],
    ['an unknown type', { one: { ...TEXT, type: 'date' } }],
    ['no title', { one: { type: 'string' } }],
    ['a blank title', { one: { ...TEXT, title: ' ' } }],
    ['an unknown member', { one: { ...TEXT, minItems: 1 } }],
    ['an inherited member', { one: { ...TEXT, hasOwnProperty: 1 } }],
    ['a length that is none', { one: { ...TEXT, minLength: -1 } }],
    ['lengths that cross', { one: { ...TEXT, minLength: 3, maxLength: 2 } }],
    ['limits that cross', { one: { title: 'T', type: 'number', minimum: 3, maximum: 2 } }],
    ['a length of a number', { one: { title: 'T', type: 'number', minLength: 1 } }],
    ['a limit of a text', { one: { ...TEXT, minimum: 1 } }],
    ['a pattern of a number', { one: { title: 'T', type: 'integer', pattern: '1' } }],
    ['a pattern that is none', { one: { ...TEXT, pattern: '[a' } }],
    ['a pattern with a look-ahead', { one: { ...TEXT, pattern: '(?=a)' } }],
    ['too large a pattern', { one: { ...TEXT, pattern: '(a{100}){10}' } }],
    ['an unknown format', { one: { ...TEXT, format: 'encrypted' } }],
    ['an empty enum', { one: { ...TEXT, enum: [] } }],
    ['a value twice', { one: { ...TEXT, enum: ['a', 'a'] } }],
    ['a value of another type', { one: { ...TEXT, enum: ['a', 1] } }],
    ['names without values', { one: { ...TEXT, oneOf: [{ const: 'a', title: 'A' }] } }],
    [
      'names in another order',
      {
        one: {
          ...TEXT,
          enum: ['a', 'b'],
          oneOf: [
            { const: 'b', title: 'B' },
            { const: 'a', title: 'A' },
          ],
        },
      },
    ],
    ['an enum of a boolean', { one: { title: 'T', type: 'boolean', enum: [true] } }],
    ['an array of nothing', { one: { title: 'T', type: 'array' } }],
    ['an array of arrays', { one: { title: 'T', type: 'array', items: { type: 'array' } } }],
    ['elements of a text', { one: { ...TEXT, items: { type: 'string' } } }],
    ['an unknown unique', { one: { ...TEXT, unique: 'PENDING' } }],
    ['a unique boolean', { one: { title: 'T', type: 'boolean', unique: true } }],
    ['a unique array', { one: { title: 'T', type: 'array', items: { type: 'string' }, unique: true } }],
    ['a union of users', { one: { ...TEXT, union: 'ENABLE' } }],
    ['write only', { one: { ...TEXT, mutability: 'WRITE_ONLY' } }],
    ['a default of another type', { one: { ...TEXT, default: 1 } }],
    ['a default that is not allowed', { one: { ...TEXT, enum: ['a'], default: 'b' } }],
    ['a default of what is unique', { one: { ...TEXT, unique: true, default: 'b' } }],
    [
      'two permissions',
      {
        one: {
          ...TEXT,
          permissions: [
            { principal: 'SELF', action: 'HIDE' },
            { principal: 'SELF', action: 'HIDE' },
          ],
        },
      },
    ],
  ])('refuses %s', (_, properties) => {
    expect(causesOf(custom(properties))).toHaveLength(1);
  });

  test('types are for life', () => {
    const state = stateWith([stored('one', 10_000)]);
    expect(causesOf(custom({ one: { type: 'integer' } }), state)).toHaveLength(1);
    const list = { title: 'T', type: 'array', items: { type: 'string' } };
    const array = stateWith([stored('list', 10_000, list)]);
    expect(causesOf(custom({ list: { items: { type: 'integer' } } }), array)).toHaveLength(1);
  });

  test('a user type has five unique attributes and no more', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const five = Object.fromEntries(names.map((name) => [name, { ...TEXT, unique: true }]));
    const { custom: made } = read(custom(five));
    expect(made).toHaveLength(5);
    expect(causesOf(custom({ f: { ...TEXT, unique: true } }), stateWith(made))).toHaveLength(1);
    expect(causesOf(custom({ f: { ...TEXT, unique: true }, a: { unique: false } }), stateWith(made))).toEqual([]);
  });

  test('tells every fault of every attribute', () => {
    const causes = causesOf(custom({ one: { type: 'date', minLength: -1 }, two: { ...TEXT, pattern: '(' } }));
    expect(causes).toHaveLength(4);
    expect(causes.filter((cause) => cause.startsWith('one: '))).toHaveLength(3);
  });
});

function never(): never {
  throw new Error('there is one');
}
