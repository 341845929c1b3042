import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GROUP_NAMES, groupNamed, PERSON_SYMBOLS, persons, questions, texts } from '../../test/support/expressions.ts';
import { compileExpression } from './compile.ts';
import { evaluateExpression } from './evaluate.ts';
import { COUNTRIES } from './functions/country-functions.ts';
import type { Facts } from './functions/functions.ts';
import { printExpression } from './language/print.ts';
import type { Program } from './language/program.ts';
import { symbolsOf } from './language/symbols.ts';
import { ANY, BOOLEAN, INTEGER, type Member, NUMBER, objectOf, STRING, STRINGS, type Value } from './language/types.ts';
import { METER_LIMITS, Meter } from './meter.ts';

const user: Member = {
  type: objectOf(
    new Map<string, Member>([
      ['firstName', { type: STRING }],
      ['nothing', { type: STRING }],
      ['none', { type: STRINGS }],
      ['salary', { type: INTEGER }],
      ['rate', { type: NUMBER }],
      ['isContractor', { type: BOOLEAN }],
      ['wrong', { type: INTEGER }],
      ['constructor', { type: STRING }],
      ['either', { type: ANY }],
      ['tags', { type: STRINGS }],
      ['long', { type: STRING }],
    ]),
  ),
};
const symbols = symbolsOf(new Map([['user', user]]), ['membership', 'groupLists']);
const facts: Facts = {
  variables: {
    user: {
      firstName: 'Winston',
      salary: 2_000_000,
      rate: 1.5,
      isContractor: false,
      wrong: 'five',
      either: 5,
      tags: ['b', 'a'],
      long: 'x'.repeat(30_000),
    },
  },
  groups: ['West Coast Users', 'Admins'].map(groupNamed),
};

function programOf(text: string): Program {
  const compiled = compileExpression(text, symbols);
  if (compiled.ok) return compiled.program;
  throw new Error(`${text}: ${JSON.stringify(compiled.faults)}`);
}

function valueOf(text: string, given: Facts = facts): Value {
  const result = evaluateExpression(programOf(text), given);
  if ('value' in result) return result.value;
  throw new Error(`${text}: ${result.exhausted}`);
}

describe('random expressions come to what plain JavaScript comes to', () => {
  const groupSets = fc.subarray(GROUP_NAMES);
  const holds = (twins: typeof questions | typeof texts) => {
    let some = 0;
    fc.assert(
      fc.property(twins, persons, groupSets, ({ node, run }, person, names) => {
        const compiled = compileExpression(printExpression(node), PERSON_SYMBOLS);
        if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults));
        const given = { variables: { user: person }, groups: names.map(groupNamed) };
        const value = run(person, new Set(names));
        if (value === true || (typeof value === 'string' && value !== '')) some += 1;
        expect(evaluateExpression(compiled.program, given)).toEqual({ value });
      }),
      { numRuns: 3_000 },
    );
    expect(some).toBeGreaterThan(300);
  };
  test('questions', () => holds(questions));
  test('texts', () => holds(texts));
});

describe('as documented', () => {
  test.each<[string, Value]>([
    ['String.append("This is", " a test")', 'This is a test'],
    ['String.join(",", "This", "is", "a", "test")', 'This,is,a,test'],
    ['String.join("", "This", "is", "a", "test")', 'Thisisatest'],
    ['String.len("This")', 4],
    ['String.removeSpaces("This is a test")', 'Thisisatest'],
    ['String.replace("This is a test", "is", "at")', 'That at a test'],
    ['String.replaceFirst("This is a test", "is", "at")', 'That is a test'],
    ['String.stringContains("This is a test", "test")', true],
    [`String.stringContains("This is a test", "doesn'tExist")`, false],
    ['String.stringSwitch("This is a test", "default", "key1", "value1")', 'default'],
    ['String.stringSwitch("This is a test", "default", "test", "value1")', 'value1'],
    ['String.stringSwitch("First match wins", "default", "absent", "v1", "wins", "v2", "match", "v3")', 'v2'],
    ['String.stringSwitch("Substrings count", "default", "ring", "value1")', 'value1'],
    ['String.substring("This is a test", 2, 9)', 'is is a'],
    ['String.substringAfter("abc@okta.com", "@")', 'okta.com'],
    ['String.substringBefore("abc@okta.com", "@")', 'abc'],
    ['String.toUpperCase("This")', 'THIS'],
    ['toLowerCase(substring(user.firstName, 0, 1)) + "."', 'w.'],
    ['Arrays.add({10, 20, 30}, 40)', [10, 20, 30, 40]],
    ['Arrays.remove({10, 20, 30}, 20)', [10, 30]],
    ['Arrays.clear({10, 20, 30})', []],
    ['Arrays.get({0, 1, 2}, 0)', 0],
    ['Arrays.flatten(10, {20, {30}}, 40)', [10, 20, 30, 40]],
    ['Arrays.contains({10, 20, 30}, 50)', false],
    ['Arrays.size(NULL)', 0],
    ['Arrays.isEmpty(NULL)', true],
    ['Arrays.toCsvString({"This", "is", " a ", "test"})', 'This,is, a ,test'],
    ['Convert.toInt("1234")', 1234],
    ['Convert.toInt(123.6)', 124],
    ['Convert.toNum("2.5")', 2.5],
    ['Iso3166Convert.toAlpha2("IND")', 'IN'],
    ['Iso3166Convert.toAlpha3("840")', 'USA'],
    ['Iso3166Convert.toNumeric("USA")', '840'],
    ['Iso3166Convert.toName("IN")', 'India'],
    ['user.salary > 1000000 AND !user.isContractor', true],
    [`"hello".replace('l', 'p')`, 'heppo'],
    [`'test'.substring(1)`, 'est'],
    [`'john.doe@x.com'.substringAfter('.')`, 'doe@x.com'],
    [`{'one', 'two'}.add('two')`, ['one', 'two', 'two']],
    ['{2, 3}.remove(1)', [2, 3]],
    ['-1.6.toInteger()', -2],
    ['{}.isEmpty()', true],
    ['isMemberOfGroupName("Admins")', true],
    ['isMemberOfGroupName("admins")', false],
    ['isMemberOfGroup("00gAdmins") && !isMemberOfGroup("00gadmins")', true],
    ['isMemberOfAnyGroup("a", "00gAdmins")', true],
    ['isMemberOfGroupNameStartsWith("West") && isMemberOfGroupNameContains("Coast")', true],
    ['isMemberOfGroupNameRegex("A.*s") && !isMemberOfGroupNameRegex("dmin")', true],
    [`user.isMemberOf({'group.profile.name': 'West Coast', 'operator': 'STARTS_WITH'})`, true],
    [`user.isMemberOf({'group.profile.name': 'West Coast', 'operator': 'EXACT'})`, false],
    [`user.isMemberOf({'group.id': {'00gAdmins', 'x'}}, {'group.type': 'BUILT_IN'})`, false],
    [`user.isMemberOf({'group.id': {'00gAdmins', 'x'}}, {'group.type': 'SVC_GROUP'})`, true],
    ['getFilteredGroups({"00gAdmins", "x"}, "group.name", 40)', ['Admins']],
    ['Groups.contains("SVC", "s", 1)', ['West Coast Users']],
    ['Groups.startsWith("active_directory", "W", 10)', []],
  ])('%s', (text, value) => {
    expect(valueOf(text)).toEqual(value);
  });
});

describe('what is absent, or not what its schema says', () => {
  test.each<[string, Value]>([
    ['user.nothing', null],
    ['user.wrong', null],
    ['user.constructor', null],
    ['user.none', null],
    ['user.nothing == null && user.nothing != "a"', true],
    ['user.nothing == ""', false],
    ['user.nothing < "a" || user.nothing >= "a"', false],
    ['!(user.wrong > 3)', true],
    ['user.firstName + user.nothing', 'Winston'],
    ['user.nothing + user.nothing', null],
    ['user.wrong + 1', null],
    ['user.nothing + 1 + true', '1true'],
    ['user.either + 1', 6],
    ['user.either + "1"', '51'],
    ['user.nothing ?: "x"', 'x'],
    ['"" ?: "x"', 'x'],
    ['0 ?: 5', 0],
    ['String.startsWith(user.nothing, "a")', false],
    ['String.len(user.nothing)', 0],
    ['String.toUpperCase(user.nothing)', null],
    ['String.join("-", user.nothing, "a")', '-a'],
    ['Arrays.contains(user.none, "a")', false],
    ['Arrays.get(user.tags, 7)', null],
    ['user.tags[-1]', null],
    ['user.tags[1]', 'a'],
    ['Convert.toInt("x")', null],
    ['Convert.toInt("99999999999999999999")', null],
    ['1 / 0', null],
    ['5 % 0', null],
    ['7 / 2', 3],
    ['-7 / 2', -3],
    ['7.0 / 2', 3.5],
    ['9007199254740991 + 1', null],
    ['1.0e308 * 10.0', null],
    ['0 * -1', 0],
    ['String.substring("abc", -2, 9)', 'abc'],
    ['String.substring("abc", 2, 1)', ''],
    ['String.substringBefore("abc", "@")', 'abc'],
    ['String.substringAfter("abc", "@")', ''],
    ['String.replace("abc", "", "x")', 'abc'],
    ['String.replaceFirst("a$a", "a", "$&")', '$&$a'],
    ['Iso3166Convert.toName("XX")', null],
    ['user.isContractor ? 1 : "one"', 'one'],
    ['null ? 1 : 2', 2],
    ['{1, 2} == {1, 2}', true],
    ['user.either == 5', true],
    ['user.either == "5"', false],
  ])('%s', (text, value) => {
    expect(valueOf(text)).toEqual(value);
  });

  test('variables and members that are inherited are not there', () => {
    const inherited: Facts = { variables: Object.create({ user: { firstName: 'a' } }) as Facts['variables'] };
    expect(valueOf('user.firstName', inherited)).toBeNull();
    expect(valueOf('user.constructor', { variables: { user: {} } })).toBeNull();
    expect(valueOf('user.constructor', { variables: { user: JSON.parse('{"constructor":"own"}') as object } })).toBe(
      'own',
    );
  });
});

describe('bounds', () => {
  const exhausted = (text: string, limits = METER_LIMITS) =>
    evaluateExpression(programOf(text), facts, new Meter(limits));

  test('texts that would grow are not made', () => {
    expect(exhausted('user.long + user.long')).toEqual({ exhausted: 'size' });
    expect(exhausted('String.replace(user.long, "x", "yy")')).toEqual({ exhausted: 'size' });
    expect(exhausted('String.join(user.long, user.long, "a")')).toEqual({ exhausted: 'size' });
    const doubled = Array.from({ length: 30 }).reduce<string>(
      (inner) => `String.replace(${inner}, "a", "aa")`,
      '"aaaaaaaa"',
    );
    expect(exhausted(doubled)).toEqual({ exhausted: 'size' });
  });

  test('all that is made counts', () => {
    const parts = Array.from({ length: 10 }, () => 'String.len(String.toUpperCase(user.long))').join('+');
    expect(exhausted(parts)).toEqual({ exhausted: 'size' });
  });

  test('steps count', () => {
    const many = Array.from({ length: 60 }, () => 'String.stringContains(user.long, "y")').join(' || ');
    expect(exhausted(many)).toEqual({ exhausted: 'steps' });
    expect(exhausted('true && false', { ...METER_LIMITS, steps: 2 })).toEqual({ exhausted: 'steps' });
  });

  test('nothing that is understood takes long or throws, whatever the data', () => {
    const anything = fc.anything({ maxDepth: 2, withDate: true, withBigInt: true, withNullPrototype: true });
    const started = performance.now();
    fc.assert(
      fc.property(
        questions,
        fc.dictionary(fc.constantFrom('city', 'title', 'age', 'active', 'tags'), anything),
        (twin, person) => {
          const compiled = compileExpression(printExpression(twin.node), PERSON_SYMBOLS);
          if (!compiled.ok) throw new Error('not understood');
          const meter = new Meter();
          const result = evaluateExpression(compiled.program, { variables: { user: person }, groups: [] }, meter);
          expect('value' in result || 'exhausted' in result).toBe(true);
          expect(meter.steps).toBeLessThanOrEqual(METER_LIMITS.steps + 2 * METER_LIMITS.textLength);
        },
      ),
      { numRuns: 1_000 },
    );
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

describe('countries', () => {
  test('each has three codes of its own, the numeric one as the platform knows it', () => {
    expect(COUNTRIES).toHaveLength(249);
    expect(new Set(COUNTRIES.flatMap((country) => Object.values(country))).size).toBe(3 * 249);
    for (const { alpha2, numeric } of COUNTRIES) {
      const [known] = Intl.getCanonicalLocales(`und-${numeric}`);
      if (known !== `und-${numeric}`) expect(`${numeric} ${known ?? ''}`).toBe(`${numeric} und-${alpha2}`);
    }
  });
});
