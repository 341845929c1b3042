import { describe, expect, test } from 'vitest';
import { parseExpression } from '../language/parse.ts';
import { namedPaths } from './named-paths.ts';

function namesIn(text: string): string[] {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(parsed.fault.message);
  return namedPaths(parsed.node).map(({ path }) => path.join('.'));
}

describe('what an expression names', () => {
  test.each([
    ['user.ssn', ['user.ssn']],
    ['(user).ssn', ['user.ssn']],
    ['user . profile . ssn', ['user.profile.ssn']],
    ['"user.ssn"', []],
    ['user.ssn == "1" || !(user.city != null)', ['user.ssn', 'user.city']],
    ['String.len(user.ssn) + -user.age', ['String', 'user.ssn', 'user.age']],
    ['String.substring(String.trim(user.ssn), 0, 1)', ['String', 'String', 'user.ssn']],
    ['user.city == "a" ? user.ssn : appuser.x ?: source.y', ['user.city', 'user.ssn', 'appuser.x', 'source.y']],
    ['{user.ssn, "a"}[user.index]', ['user.ssn', 'user.index']],
    ['user.isMemberOf({"group.id": {user.ssn}})', ['user', 'user.ssn']],
    ['user.getInternalProperty("id")', ['user.id']],
    ['user.ssn.toInteger()', ['user.ssn']],
    ['getFilteredGroups({user.ssn}, "x", 1)', ['user.ssn']],
  ])('%s', (text, names) => expect(namesIn(text).toSorted()).toEqual(names.toSorted()));
});
