import { describe, expect, test } from 'vitest';
import { compileExpression, faultCauses } from '../compile.ts';
import { symbolsOf } from './symbols.ts';
import {
  ANY,
  BOOLEAN,
  INSTANT,
  INTEGER,
  type Member,
  NUMBER,
  objectOf,
  STRING,
  STRINGS,
  type ValueType,
} from './types.ts';

const attributes = new Map<string, Member>([
  ['city', { type: STRING }],
  ['age', { type: INTEGER }],
  ['score', { type: NUMBER }],
  ['active', { type: BOOLEAN }],
  ['tags', { type: STRINGS }],
  ['born', { type: INSTANT }],
  ['either', { type: ANY }],
  ['toString', { type: STRING }],
]);
const user: Member = {
  type: {
    ...objectOf(new Map([...attributes, ['profile', { type: objectOf(attributes) }], ['id', { type: STRING }]])),
    internal: new Map([['id', { type: STRING }]]),
  },
};
const symbols = symbolsOf(new Map([['user', user]]), ['membership', 'groupLists', 'time']);
const plain = symbolsOf(new Map([['user', user]]), []);

function faultsOf(text: string, result: ValueType = BOOLEAN, given = symbols): readonly string[] {
  const compiled = compileExpression(text, given, result);
  return compiled.ok ? [] : compiled.faults.map(({ at, message }) => `${at}: ${message}`);
}

describe('what is understood', () => {
  test.each([
    'user.active',
    '!user.active AND user.age >= 18',
    'user.city == "Paris" or user.profile.city == null',
    'user.score > user.age',
    'user.born < DateTime.now().minusDays(365)',
    'user.born.withinDays(3)',
    'user.either == 5 || user.either == "five"',
    'user.either > 3',
    'user.toString == "a"',
    'Arrays.contains(user.tags, "a") && user.tags.contains("b")',
    'String.stringContains(user.city, "a") ? user.active : false',
    'user.city.toLowerCase().startsWith("p")',
    'String.len(user.city) == Arrays.size(user.tags) + 1',
    'Arrays.get({0, 1, 2}, 0) == 0',
    'isMemberOfAnyGroup("a", "b") && isMemberOfGroupNameRegex(".*x")',
    `user.isMemberOf({'group.profile.name': 'West', 'operator': 'EXACT'}, {'group.id': {'a', 'b'}})`,
    'user.getInternalProperty("id") == user.id',
    'user.city matches "P.*s"',
    'user.tags[0] == "x"',
    'Convert.toInt(user.city) + 1 > 2',
    'Time.now("Europe/Paris", "YYYY-MM-dd") == "2026-01-01"',
  ])('%s', (text) => {
    expect(faultsOf(text)).toEqual([]);
  });

  test('whatever it comes to where nothing is asked', () => {
    expect(faultsOf('user.city + " " + user.age', ANY)).toEqual([]);
    expect(faultsOf('getFilteredGroups({"a"}, "group.name", 10)', STRINGS)).toEqual([]);
  });
});

describe('what is refused, and where', () => {
  test.each([
    ['user.town == "a"', ["5: Unknown attribute 'town'"]],
    ['user.constructor == "a"', ["5: Unknown attribute 'constructor'"]],
    ['user.__proto__.x == "a"', ["5: Unknown attribute '__proto__'"]],
    ['town == "a"', ["0: Unknown name 'town'"]],
    ['user == null', ['0: user is an object, not a value']],
    ['user.profile', ['5: profile is an object, not a value']],
    ['user.city.length == 3', ['10: A value of type string has no attributes']],
    ["(true ? 1 : 'a').length == null", ['17: A value of type any has no attributes']],
    ["{1, 'a'}[0].length == null", ['12: A value of type any has no attributes']],
    ['foo(user.city)', ["0: Unknown function 'foo'"]],
    ['String.foo(user.city)', ["0: Unknown function 'String.foo'"]],
    ['constructor("a")', ["0: Unknown function 'constructor'"]],
    ['user.city.foo()', ["10: A value of type string has no function 'foo'"]],
    ['user.foo()', ["5: Unknown function 'foo'"]],
    ['user.either.contains("a")', ['12: The type of the value before contains is unknown']],
    ['user.city', ['5: The expression must be of type boolean, not string']],
    ['user.age == "5"', ['5: == is not defined for integer and string']],
    ['user.tags > 3', ['5: > is not defined for array of string and integer']],
    ['user.active > true', ['5: > is not defined for boolean and boolean']],
    ['user.tags + 1 == 2', ['5: + is not defined for array of string and integer']],
    ['user.city - 1 == 2', ['5: - is not defined for string and integer']],
    ['-user.city == 1', ['6: The signed value must be of type number, not string']],
    ['!user.city', ['6: The negated value must be of type boolean, not string']],
    ['user.city && true', ['5: Each side of && must be of type boolean, not string']],
    ['user.city ? true : false', ['5: The condition must be of type boolean, not string']],
    ['String.len(5) == 1', ['11: String.len: argument 1 must be of type string, not integer']],
    ['String.len() == 1', ['7: String.len: needs at least 1 argument']],
    ['String.len("a", "b") == 1', ['7: String.len: takes at most 1 argument']],
    ['String.stringSwitch("a", "b", "c") == "d"', ['7: String.stringSwitch: needs at least 4 arguments']],
    [
      'String.stringSwitch("a", "b", "c", "d", "e") == "d"',
      ['7: String.stringSwitch: keys and values must come in pairs'],
    ],
    ['isMemberOfGroupNameRegex("(")', ['0: isMemberOfGroupNameRegex: the regular expression must have RE2 syntax']],
    ['isMemberOfGroupNameRegex(user.city)', ['0: isMemberOfGroupNameRegex: the regular expression must be a literal']],
    ['user.city matches user.city', ['23: matches: the regular expression must be a literal']],
    [
      `user.isMemberOf({'group.nme': 'a'})`,
      ["5: isMemberOf: 'group.nme' must be one of group.id, group.type, group.profile.name, operator"],
    ],
    [`user.isMemberOf('a')`, ['5: isMemberOf: each argument must be {"name": value}']],
    ['user.isMemberOf()', ['5: isMemberOf: needs at least 1 argument']],
    [
      `user.isMemberOf({'group.id': 'a', 'operator': 'LIKE'})`,
      ["5: isMemberOf: 'operator' must be EXACT or STARTS_WITH"],
    ],
    [`{'a': 1} == null`, ['0: Named values are only allowed as arguments of functions that accept them']],
    ['user.getInternalProperty("password") == ""', ['5: getInternalProperty: must name one of id']],
    ['user.tags["a"] == "b"', ['10: The index must be of type integer, not string']],
    ['Time.now("Atlantis") == ""', ['5: Time.now: the time zone is unknown']],
    ['user.born.toString("QQQ") == ""', ['10: toString: the time pattern is not valid']],
  ])('%s', (text, faults) => {
    expect(faultsOf(text)).toEqual(faults);
  });

  test('all that is wrong is told at once, one fault not as several', () => {
    expect(faultsOf('user.a == "x" && foo(user.b.c) && user.city > 5')).toEqual([
      "5: Unknown attribute 'a'",
      "17: Unknown function 'foo'",
      '39: > is not defined for string and integer',
    ]);
  });

  test('what the language knows but not here is said so', () => {
    expect(faultsOf('Time.now() == "a"', BOOLEAN, plain)).toEqual(['0: Time.now cannot be used here']);
    expect(faultsOf('isMemberOfGroup("a")', BOOLEAN, plain)).toEqual(['0: isMemberOfGroup cannot be used here']);
    expect(faultsOf(`user.isMemberOf({'group.id': 'a'})`, BOOLEAN, plain)).toEqual([
      "5: Unknown function 'isMemberOf'",
    ]);
  });

  test('as causes of an error, no more than ten', () => {
    const compiled = compileExpression(Array.from({ length: 30 }, (_, n) => `user.x${n}`).join('||'), symbols);
    const causes = compiled.ok ? [] : faultCauses('expression', compiled.faults);
    expect(causes).toHaveLength(10);
    expect(causes[1]).toBe("expression: Unknown attribute 'x1' at position 14.");
  });
});

test('a program tells what it asks for and which attributes it names', () => {
  const compiled = compileExpression(
    'user.city == user.profile.city || isMemberOfGroup("a") || user.born.withinDays(1)',
    symbols,
  );
  if (!compiled.ok) throw new Error('not compiled');
  expect([...compiled.program.asks].toSorted()).toEqual(['groups', 'now']);
  expect([...compiled.program.attributes]).toEqual(['user.city', 'user.profile.city', 'user.born']);
});

describe('an object compared with null', () => {
  const appuser: Member = { type: { ...objectOf(new Map([['userName', { type: STRING }]])), presence: 'id' } };
  const absent = symbolsOf(
    new Map([
      ['appuser', appuser],
      ['user', user],
    ]),
    [],
  );

  test.each(['appuser != null', 'null == appuser', '(appuser == null) ? true : appuser.userName == "a"'])(
    '%s asks whether it is there',
    (text) => expect(faultsOf(text, BOOLEAN, absent)).toEqual([]),
  );

  test('is a fault where it is always there, and against anything else', () => {
    expect(faultsOf('user != null', BOOLEAN, absent)).toEqual(['0: user is an object, not a value']);
    for (const text of ['appuser == "a"', 'appuser == appuser', 'appuser < null']) {
      expect(faultsOf(text, BOOLEAN, absent)[0]).toContain('appuser is an object, not a value');
    }
  });
});
