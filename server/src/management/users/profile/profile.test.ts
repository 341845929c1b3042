import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors/errors.ts';
import {
  BASE_PROFILE_ATTRIBUTES,
  checkProfile,
  isEmailAddress,
  type ProfileAttribute,
  type ProfileSchema,
  profileSchema,
} from '../../schemas/index.ts';
import { assertMutable, assertProfile, mergeProfile, replaceProfile } from './profile.ts';

const SCHEMA = profileSchema();
const GIVEN = { login: 'isaac@example.com', email: 'isaac@example.com', firstName: 'Isaac', lastName: 'Brock' };
const STORED = assertProfile(replaceProfile(GIVEN, SCHEMA), SCHEMA, 'newUser');
const summaries = (change: object, schema = SCHEMA): string[] =>
  checkProfile(schema, { ...GIVEN, ...change }).map(({ errorSummary }) => errorSummary);

describe('the base attributes', () => {
  test('are the 31 of the schema, in its order', () => {
    expect(Object.keys(BASE_PROFILE_ATTRIBUTES).join(' ')).toBe(
      'login firstName lastName middleName honorificPrefix honorificSuffix email title displayName nickName ' +
        'profileUrl secondEmail mobilePhone primaryPhone streetAddress city state zipCode countryCode postalAddress ' +
        'preferredLanguage locale timezone userType employeeNumber costCenter organization division department ' +
        'managerId manager',
    );
  });

  test('require login, names and email', () => {
    const required = [...SCHEMA].filter(([, definition]) => definition.required).map(([name]) => name);
    expect(required).toEqual(['login', 'firstName', 'lastName', 'email']);
  });

  test('print their definition', () => {
    expect(SCHEMA.get('login')).toEqual({
      title: 'Username',
      type: 'string',
      required: true,
      isLine: true,
      minLength: 5,
      maxLength: 100,
      mutability: 'READ_WRITE',
      scope: 'NONE',
      permissions: [{ principal: 'SELF', action: 'READ_ONLY' }],
    });
  });
});

describe('checkProfile with the base attributes', () => {
  test('accepts what it should', () => {
    expect(summaries({})).toEqual([]);
    expect(summaries({ secondEmail: null, city: 'Zürich', countryCode: 'CH', mobilePhone: '' })).toEqual([]);
    expect(summaries({ secondEmail: '' })).toEqual([]);
  });

  test.each([
    [{ firstName: undefined }, 'firstName: The field cannot be left blank'],
    [{ lastName: null }, 'lastName: The field cannot be left blank'],
    [{ firstName: '' }, 'firstName: The field cannot be left blank'],
    [{ firstName: '  ' }, 'firstName: The field cannot be left blank'],
    [{ login: null }, 'login: The field cannot be left blank'],
    [{ email: undefined }, 'email: The field cannot be left blank'],
    [{ login: 'a@b' }, 'login: must be at least 5 characters.'],
    [{ login: `${'a'.repeat(96)}@b.io` }, 'login: must be at most 100 characters.'],
    [{ firstName: 'a'.repeat(51) }, 'firstName: must be at most 50 characters.'],
    [{ countryCode: 'CHE' }, 'countryCode: must be at most 2 characters.'],
    [{ login: 'isaac brock' }, 'login: must have the form of an email address.'],
    [{ email: 'isaac.example.com' }, 'email: does not match the required pattern.'],
    [{ secondEmail: 'isaac@@example.com' }, 'secondEmail: does not match the required pattern.'],
    [{ email: 7 }, 'email: The field email is not valid.'],
    [{ city: ['Bern'] }, 'city: The field city is not valid.'],
    [{ city: { name: 'Bern' } }, 'city: The field city is not valid.'],
    [{ title: true }, 'title: The field title is not valid.'],
    [{ city: 'Be\0rn' }, 'city: The field city is not valid.'],
    [{ city: 'Be\ud800rn' }, 'city: The field city is not valid.'],
    [{ notValid: 'x' }, "Property name 'notValid' is not defined in profile"],
    [{ constructor: 'x' }, "Property name 'constructor' is not defined in profile"],
    [JSON.parse('{"toString":"x"}'), "Property name 'toString' is not defined in profile"],
  ])('refuses %o: %s', (change, expected) => {
    expect(summaries(change)).toEqual([expected]);
  });

  test('reads own members only', () => {
    expect(checkProfile(SCHEMA, Object.create(GIVEN))).toHaveLength(4);
  });

  test('lists every cause, unknown names first', () => {
    expect(summaries({ firstName: null, email: 'x', notValid: 1 })).toEqual([
      "Property name 'notValid' is not defined in profile",
      'firstName: The field cannot be left blank',
      'email: must be at least 5 characters.',
    ]);
  });

  test('lets names be absent where the schema says so, one by one', () => {
    const schema = profileSchema({ lastName: { required: false } });
    expect(summaries({ lastName: null }, schema)).toEqual([]);
    expect(summaries({ lastName: 'a'.repeat(51) }, schema)).toHaveLength(1);
    expect(summaries({ firstName: null }, schema)).toEqual(['firstName: The field cannot be left blank']);
    expect(BASE_PROFILE_ATTRIBUTES.lastName.required).toBe(true);
  });

  test('the greatest length holds for the text as it was written and for its normal form', () => {
    expect(summaries({ firstName: 'e\u0301'.repeat(25) })).toEqual([]);
    expect(summaries({ firstName: 'e\u0301'.repeat(26) })).toHaveLength(1);
    expect(summaries({ firstName: '\ufb2c'.repeat(16) })).toEqual([]);
    expect(summaries({ firstName: '\ufb2c'.repeat(17) })).toHaveLength(1);
  });
});

describe('isEmailAddress', () => {
  test.each(["o'neil+tag@example.co.uk", 'jörg@münchen.de', 'admin@localhost', 'a@1.2'])('accepts %s', (text) => {
    expect(isEmailAddress(text)).toBe(true);
  });

  test.each([
    '',
    '@',
    'a@',
    '@b.io',
    'a@b@c.io',
    '.a@b.io',
    'a.@b.io',
    'a..b@c.io',
    'a@.b',
    'a@b.',
    'a@b..c',
    'a b@c.io',
    'a@b.io\n',
    'a<b@c.io',
    '"a"@c.io',
  ])('refuses %j', (text) => {
    expect(isEmailAddress(text)).toBe(false);
  });

  test.each(['a'.repeat(200_000), 'a.'.repeat(100_000), `a@${'b.'.repeat(100_000)}`, `a@${'b'.repeat(200_000)}!`])(
    'answers on a hostile text at once (%#)',
    (text) => {
      const started = performance.now();
      expect(isEmailAddress(text)).toBe(false);
      expect(performance.now() - started).toBeLessThan(500);
    },
  );
});

describe('mergeProfile and replaceProfile', () => {
  test('the six are always there, others only with a value', () => {
    expect(replaceProfile({ login: 'isaac@example.com', city: null, title: 'Dr' }, SCHEMA)).toEqual({
      firstName: null,
      lastName: null,
      mobilePhone: null,
      secondEmail: null,
      login: 'isaac@example.com',
      email: null,
      title: 'Dr',
    });
  });

  test('a merge changes what is given, removes what is null, and keeps the rest', () => {
    const current = assertProfile(
      mergeProfile(STORED, { city: 'Bern', title: 'Dr', mobilePhone: '1' }, SCHEMA),
      SCHEMA,
      'profile',
    );
    expect(mergeProfile(current, { city: null, mobilePhone: null, firstName: 'Ike' }, SCHEMA)).toEqual({
      ...STORED,
      firstName: 'Ike',
      title: 'Dr',
    });
  });

  test('a replacement forgets what is not given', () => {
    expect(replaceProfile(GIVEN, SCHEMA)).toEqual(STORED);
    expect(replaceProfile({ ...GIVEN, secondEmail: undefined }, SCHEMA)).toEqual(STORED);
  });

  test('texts are stored as they were written', () => {
    expect(replaceProfile({ ...GIVEN, city: 'Zu\u0308rich' }, SCHEMA)['city']).toBe('Zu\u0308rich');
  });

  test('a member named __proto__ is refused like any unknown one and changes no prototype', () => {
    const hostile: Record<string, unknown> = JSON.parse('{"__proto__":{"firstName":"x"}}');
    const merged = mergeProfile(STORED, hostile, SCHEMA);
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(checkProfile(SCHEMA, merged)).toEqual([
      { errorSummary: "Property name '__proto__' is not defined in profile" },
    ]);
  });

  test('a wrong profile is refused with all its causes', () => {
    const attempt = (): unknown =>
      assertProfile(replaceProfile({ ...GIVEN, email: 7, login: null }, SCHEMA), SCHEMA, 'newUser');
    expect(attempt).toThrow(
      expect.objectContaining({
        status: 400,
        message: 'Api validation failed: newUser',
        causes: [
          { errorSummary: 'login: The field cannot be left blank' },
          { errorSummary: 'email: The field email is not valid.' },
        ],
      }),
    );
  });

  test('merging twice is merging once, and a merge never throws', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.anything()), (changes) => {
        const merged = mergeProfile(STORED, changes, SCHEMA);
        checkProfile(SCHEMA, merged);
        expect(replaceProfile(merged, SCHEMA)).toEqual(merged);
      }),
    );
  });
});

describe('attributes of the org', () => {
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
  const withAttribute = (name: string, details: Partial<ProfileAttribute>): ProfileSchema =>
    new Map([...SCHEMA, [name, attribute(details)]]);

  test('a default stands where a profile has no value, also after a null', () => {
    const schema = withAttribute('plan', { default: 'basic' });
    expect(replaceProfile(GIVEN, schema)['plan']).toBe('basic');
    expect(replaceProfile({ ...GIVEN, plan: 'gold' }, schema)['plan']).toBe('gold');
    expect(mergeProfile({ ...STORED, plan: 'gold' }, { plan: null }, schema)['plan']).toBe('basic');
  });

  test('what the schema no longer has leaves with the next merge, unless it is given: then it is unknown', () => {
    const stored = { ...STORED, gone: 'x' };
    expect(mergeProfile(stored, { city: 'Bern' }, SCHEMA)).not.toHaveProperty('gone');
    expect(checkProfile(SCHEMA, mergeProfile(stored, { gone: 'y' }, SCHEMA))).toHaveLength(1);
  });

  test('elements of arrays are stored as they were written', () => {
    const schema = withAttribute('towns', { type: 'array', items: { type: 'string' } });
    expect(replaceProfile({ ...GIVEN, towns: ['Zu\u0308rich'] }, schema)['towns']).toEqual(['Zu\u0308rich']);
  });

  function codeOf(run: () => void): string | null {
    try {
      run();
      return null;
    } catch (error) {
      if (error instanceof ApiError) return error.code;
      throw error;
    }
  }

  test.each([
    ['READ_ONLY', null, { a: 'x' }, 'E0000077'],
    ['READ_ONLY', { a: 'x' }, { a: 'y' }, 'E0000077'],
    ['READ_ONLY', { a: 'x' }, {}, 'E0000077'],
    ['READ_ONLY', { a: 'x' }, { a: 'x' }, null],
    ['READ_ONLY', null, {}, null],
    ['IMMUTABLE', null, { a: 'x' }, null],
    ['IMMUTABLE', {}, { a: 'x' }, null],
    ['IMMUTABLE', { a: 'x' }, { a: 'y' }, 'E0000078'],
    ['IMMUTABLE', { a: 'x' }, {}, 'E0000078'],
    ['READ_WRITE', { a: 'x' }, { a: 'y' }, null],
  ] as const)('%s: from %o to %o is %s', (mutability, before, after, code) => {
    const schema = withAttribute('a', { mutability });
    const had = before === null ? null : { ...STORED, ...before };
    expect(codeOf(() => assertMutable(had, { ...STORED, ...after }, schema))).toBe(code);
  });

  test('a default is no change of what is read-only', () => {
    const schema = withAttribute('a', { mutability: 'READ_ONLY', default: 'x' });
    expect(codeOf(() => assertMutable(null, replaceProfile(GIVEN, schema), schema))).toBeNull();
  });

  test('a PUT keeps what clients cannot write, and no more', () => {
    const schema = new Map([...withAttribute('a', { mutability: 'READ_ONLY' }), ['b', attribute({})] as const]);
    const current = { ...STORED, a: 'x', b: 'y' };
    expect(replaceProfile(GIVEN, schema, current)).toEqual({ ...STORED, a: 'x' });
  });

  test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('%s is a name like all others', (name) => {
    const schema = withAttribute(name, {});
    const given = Object.fromEntries([...Object.entries(GIVEN), [name, 'x']]);
    expect(checkProfile(schema, replaceProfile(GIVEN, schema))).toEqual([]);
    const stored = assertProfile(replaceProfile(given, schema), schema, 'newUser');
    expect(Object.entries(stored)).toContainEqual([name, 'x']);
    const merged = mergeProfile(stored, Object.fromEntries([[name, 'y']]), schema);
    expect(Object.entries(merged)).toContainEqual([name, 'y']);
    const removed = mergeProfile(stored, Object.fromEntries([[name, null]]), schema);
    expect(Object.hasOwn(removed, name)).toBe(false);
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  });
});
