import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dependenciesOf, dependentsOf, planSwitch, readAction, type Switch } from './rules.ts';

/** `c` requires `b`, and `b` requires `a`. `d` requires `a` and `c`. `e` is independent. */
const SWITCHES: readonly Switch[] = [
  { key: 'a', requires: [] },
  { key: 'b', requires: ['a'] },
  { key: 'c', requires: ['b'] },
  { key: 'd', requires: ['a', 'c'] },
  { key: 'e', requires: [] },
];
const plan = (key: string, action: 'enable' | 'disable', enabled: readonly string[], force = false) =>
  planSwitch(SWITCHES, new Set(enabled), { key, action, force });

test('neighbours are those that the table names', () => {
  expect(dependenciesOf(SWITCHES, 'd')).toEqual(['a', 'c']);
  expect(dependentsOf(SWITCHES, 'a')).toEqual(['b', 'd']);
  expect(dependenciesOf(SWITCHES, 'constructor')).toEqual([]);
});

test.each([
  ['ENABLE', 'enable'],
  ['disable', 'disable'],
  ['Enable', 'enable'],
  ['dependencies', null],
  ['', null],
])('the action %j is %j', (text, action) => expect(readAction(text)).toBe(action));

describe('planSwitch', () => {
  test('enabling waits for what is needed, near and far', () => {
    expect(plan('c', 'enable', [])).toEqual({ switched: [], missing: ['a', 'b'] });
    expect(plan('c', 'enable', ['a', 'b'])).toEqual({ switched: ['c'], missing: [] });
    expect(plan('d', 'enable', [], true)).toEqual({ switched: ['a', 'b', 'c', 'd'], missing: [] });
  });

  test('disabling waits for those that need it', () => {
    expect(plan('a', 'disable', ['a', 'b', 'c'])).toEqual({ switched: [], missing: ['c', 'b'] });
    expect(plan('a', 'disable', ['a', 'e'])).toEqual({ switched: ['a'], missing: [] });
    expect(plan('a', 'disable', ['a', 'b', 'c', 'd'], true)).toEqual({ switched: ['d', 'c', 'b', 'a'], missing: [] });
  });

  test('what is so already stays', () => {
    expect(plan('c', 'enable', ['c'])).toEqual({ switched: [], missing: [] });
    expect(plan('a', 'disable', ['c'], true)).toEqual({ switched: [], missing: [] });
  });

  const keys = SWITCHES.map(({ key }) => key);
  const whole = (enabled: ReadonlySet<string>): boolean =>
    SWITCHES.every(({ key, requires }) => !enabled.has(key) || requires.every((one) => enabled.has(one)));

  test('whatever is switched by force, nothing is left enabled without what it needs', () => {
    const steps = fc.array(fc.record({ key: fc.constantFrom(...keys), enable: fc.boolean(), force: fc.boolean() }));
    fc.assert(
      fc.property(steps, (done) => {
        const enabled = new Set<string>();
        for (const { enable, force, key } of done) {
          const action = enable ? 'enable' : 'disable';
          const { missing, switched } = planSwitch(SWITCHES, enabled, { key, action, force });
          if (force) expect(missing).toEqual([]);
          for (const one of switched) {
            if (enable) enabled.add(one);
            else enabled.delete(one);
            expect(whole(enabled)).toBe(true);
          }
          if (missing.length === 0) expect(enabled.has(key)).toBe(enable);
        }
      }),
    );
  });
});
