import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAXIMUM_USER_NAME_LENGTH } from './user-name-rules.ts';
import { attributesIn, nameByTemplate } from './user-names.ts';

const PROFILE = {
  login: 'Ada.Lovelace@example.com',
  email: 'ada@mail.example',
  firstName: 'Ada',
  lastName: 'Lovelace',
  employeeNumber: 7,
};

const named = (template: string, given: object = {}) =>
  nameByTemplate({ template, type: 'BUILT_IN', ...given }, PROFILE);

describe('nameByTemplate', () => {
  test.each([
    ['${source.login}', 'Ada.Lovelace@example.com'],
    ['${source.email}', 'ada@mail.example'],
    ['${user.firstName}', 'Ada'],
    ['${source.employeeNumber}', '7'],
    ['${fn:substringBefore(source.login, "@")}', 'Ada.Lovelace'],
    ['${fn:substringAfter(source.login, "@")}', 'example.com'],
    ['${fn:toLowerCase(fn:substringBefore(source.login, "@"))}', 'ada.lovelace'],
    ['${fn:toUpperCase(source.firstName)}.${source.lastName}@corp', 'ADA.Lovelace@corp'],
    ['source.login', 'Ada.Lovelace@example.com'],
    ['String.toLowerCase(user.firstName) + "." + String.toLowerCase(user.lastName)', 'ada.lovelace'],
    ['String.replace(source.login, "example", "test")', 'Ada.Lovelace@test.com'],
    ["String.append(source.firstName, '-x')", 'Ada-x'],
    ['source.nickName ?: source.firstName', 'Ada'],
    ['user.firstName == "Grace" ? "g" : user.email', 'ada@mail.example'],
  ])('%s makes %s', (template, name) => {
    expect(named(template, { type: 'CUSTOM' })).toBe(name);
  });

  test('a suffix stands behind the name, and not behind nothing', () => {
    expect(named('${source.firstName}', { userSuffix: '@corp' })).toBe('Ada@corp');
    expect(named('${source.nickName}', { userSuffix: '@corp' })).toBeNull();
  });

  test('makes no name longer than names may be', () => {
    const long = { ...PROFILE, login: 'x'.repeat(300) };
    expect(nameByTemplate({ template: '${source.login}' }, long)).toHaveLength(MAXIMUM_USER_NAME_LENGTH);
  });

  test.each([
    ['no template', null],
    ['none wanted', { template: '${source.login}', type: 'NONE' }],
    ['an empty one', { template: '' }],
    ['a null one', { template: null }],
    ['an attribute that there is not', { template: '${source.nickName}' }],
    ['an inherited member', { template: '${source.constructor}' }],
    ['a function that there is not', { template: '${fn:constructor(source.login)}' }],
    ['a path of two', { template: '${source.login.length}' }],
    ['another object', { template: '${app.name}' }],
    ['an open call', { template: '${fn:toLowerCase(source.login}' }],
    ['a lone comma', { template: '${fn:append(,source.login)}' }],
    ['two terms side by side', { template: 'source.login source.email' }],
    ['a language we do not know', { template: 'def name(): return user.login' }],
    ['calls without end', { template: `\${${'fn:toLowerCase('.repeat(2_000)}source.login${')'.repeat(2_000)}}` }],
  ])('makes nothing of %s', (_, template) => {
    expect(nameByTemplate(template, PROFILE)).toBeNull();
  });

  test('ends, and throws nothing, whatever the template', () => {
    const piece = fc.constantFrom('${', '}', 'source.login', 'fn:toLowerCase', '(', ')', ',', '+', '"', "'", ' ', 'é');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const name = nameByTemplate({ template: pieces.join(''), type: 'CUSTOM' }, PROFILE);
        expect(name === null || name.length > 0).toBe(true);
      }),
    );
  });
});

test.each<[string | null, string[]]>([
  ['${source.email}', ['email']],
  ['x-${fn:substringBefore(source.email, "@")}-${user.title}${source.email}', ['email', 'title']],
  ['String.append(user.email, "source.title")', ['email']],
  ['none', []],
  ['${app.name}', []],
  ['def name(): return user.login', []],
  [null, []],
])('%j makes names of %j', (template, names) => {
  expect(attributesIn({ template, type: 'CUSTOM' })).toEqual(names);
  expect(attributesIn({ template, type: 'NONE' })).toEqual([]);
});
