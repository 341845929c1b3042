import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GroupFact } from '../../expression/index.ts';
import { type ActiveRule, differences, readIds, readName, rulesThatHold } from './rules.ts';

const fact = (id: string): GroupFact => ({ id, name: id, type: 'SVC_GROUP', source: 'SVC' });
const factsOf = (ids: ReadonlySet<string>): GroupFact[] => [...ids].map(fact);

const rule = (
  id: string,
  targets: readonly string[],
  asked: readonly string[] | null,
  given: Partial<ActiveRule> = {},
): ActiveRule => ({
  id,
  targetGroupIds: targets,
  excludedGroupIds: [],
  asksGroups: asked !== null,
  holds: (groups) => asked === null || asked.every((name) => groups.some((group) => group.id === name)),
  ...given,
});
const holding = (rules: readonly ActiveRule[], given: readonly string[] = [], excluded: readonly string[] = []) =>
  [...rulesThatHold(rules, new Set(given), new Set(excluded), factsOf)].toSorted();

describe('which rules hold', () => {
  test('a chain, whatever the order of the rules', () => {
    const chain = [rule('c', ['3'], ['2']), rule('b', ['2'], ['1']), rule('a', ['1'], null)];
    expect(holding(chain)).toEqual(['a', 'b', 'c']);
    expect(holding(chain.toReversed())).toEqual(['a', 'b', 'c']);
    expect(holding(chain, [], ['b'])).toEqual(['a']);
  });

  test('rules that ask for each other hold nobody up', () => {
    const cycle = [rule('a', ['1'], ['2']), rule('b', ['2'], ['1'])];
    expect(holding(cycle)).toEqual([]);
    expect(holding(cycle, ['1'])).toEqual(['a', 'b']);
  });

  test('a rule that denies its own group holds once, and is not asked again', () => {
    const holds = (groups: readonly GroupFact[]) => !groups.some(({ id }) => id === '1');
    expect(holding([rule('a', ['1'], [], { holds })])).toEqual(['a']);
    expect(holding([rule('a', ['1'], [], { holds })], ['1'])).toEqual([]);
  });

  test('groups that are left out: by hand, and by rules that ask for none', () => {
    const excludedGroupIds = ['1'];
    const rules = [rule('a', ['2'], null, { excludedGroupIds }), rule('b', ['1'], null)];
    expect(holding(rules)).toEqual(['b']);
    expect(holding(rules.slice(0, 1))).toEqual(['a']);
    expect(holding(rules.slice(0, 1), ['1'])).toEqual([]);
  });

  test('ends, and comes to the same in any order of the rules', () => {
    const groups = fc.constantFrom('1', '2', '3', '4');
    const rules = fc.array(
      fc.record({
        targets: fc.uniqueArray(groups, { maxLength: 2 }),
        asked: fc.option(fc.uniqueArray(groups, { maxLength: 2 })),
        isNot: fc.boolean(),
      }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(rules, fc.uniqueArray(groups), (drafts, given) => {
        const made = drafts.map(({ asked, isNot, targets }, index) => {
          const plain = rule(`r${index}`, targets, asked);
          return isNot && asked !== null
            ? { ...plain, holds: (facts: readonly GroupFact[]) => !plain.holds(facts) }
            : plain;
        });
        const once = holding(made, given);
        expect(holding(made.toReversed(), given)).toEqual(once);
        expect(holding(made, given)).toEqual(once);
      }),
    );
  });
});

test('differences: what is missing is added, what is too much removed, the rest left alone', () => {
  const membership = (ruleId: string, groupId: string) => ({ ruleId, groupId, userId: 'u' });
  const [one, two, three] = [membership('a', '1'), membership('a', '2'), membership('b', '1')];
  expect(differences([one, two], [two, three])).toEqual({ added: [three], removed: [one] });
  expect(differences([one], [{ ...one }])).toEqual({ added: [], removed: [] });
});

describe('what a body says', () => {
  test('names', () => {
    expect(readName('  a  ')).toBe('a');
    expect(readName('x'.repeat(50))).toHaveLength(50);
    for (const name of ['', '   ', 'x'.repeat(51)]) expect(() => readName(name)).toThrow('Api validation failed: name');
  });

  test('ids, each once, in their order', () => {
    expect(readIds(['b', 'a', 'b'], 'groupIds', 2)).toEqual(['b', 'a']);
    expect(() => readIds(['b', 'a', 'c'], 'groupIds', 2)).toThrow('Api validation failed: groupIds');
  });
});
