import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, test } from 'vitest';
import { compilePattern, isForeignPattern } from './pattern.ts';
import { costOfPattern } from './pattern-cost.ts';

const problemOf = (text: string, options = {}): string | null => {
  const compiled = compilePattern(text, options);
  return compiled.ok ? null : compiled.problem;
};

describe('patterns that orgs write', () => {
  test.each([
    ['[A-Z]{2}-\\d{4,6}', 'AB-12345', 'AB-123'],
    ['^\\p{Lu}[\\p{L}\\p{M} .-]{0,60}$', 'Émile du Châtelet', 'émile'],
    ['(?i)(eng|sales)-[a-z]+', 'ENG-platform', 'eng-'],
    ['[]a]+\\Q{9}\\E', ']a{9}', ']a'],
    ['(?P<name>a{3}|b)*', 'aaab', 'aab'],
    ['x{,5}', 'x{,5}', 'xxx'],
  ])('%s matches %s whole, and not %s', (text, fitting, other) => {
    const compiled = compilePattern(text);
    if (!compiled.ok) throw new Error(compiled.problem);
    expect([compiled.pattern.matches(fitting), compiled.pattern.matches(other)]).toEqual([true, false]);
  });

  test('are refused by length first, then by what they cost, then by their syntax', () => {
    expect(problemOf('('.repeat(501))).toBe('length');
    expect(problemOf('[a-z]'.repeat(120), { isStored: true })).toBeNull();
    expect(problemOf('(?:a?){1000}(')).toBe('size');
    expect(problemOf('a(')).toBe('syntax');
    expect(problemOf('a{499}')).toBe('size');
    expect(problemOf('(?:a|b){400}')).toBe('size');
    expect(problemOf('(?:a|b){400}', { isStored: true })).toBeNull();
  });

  // Compiling the slowest of these patterns would take more than 1 s.
  test.each([
    ['(?:a?){1000}'.repeat(40), false],
    ['(?:\\pL?){1000}'.repeat(35), false],
    [`${'('.repeat(240)}a${')'.repeat(240)}{999}`, false],
    ['(((a{1,10}){1,10}){1,10})'.repeat(18), false],
    ['(?:){1000}'.repeat(45), false],
    ['\\pL'.repeat(166), true],
    [`[${'a-\uFFF0'.repeat(166)}]`, true],
    [`(?i)[${'a-\\x{FFF0}'.repeat(45)}]`, false],
    ['(?s-m:.{1000}){2}', false],
  ])('is refused before it is compiled: %#', (text, ignoresCase) => {
    expect(problemOf(text, { ignoresCase })).toBe('size');
    expect(costOfPattern(text, ignoresCase)).toBeGreaterThan(1_500);
  });

  test('what has matched many texts remembers nothing of them', () => {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    const usedMegabytes = (): number => {
      if (typeof collect !== 'function') throw new Error('the heap cannot be cleaned up');
      collect();
      return process.memoryUsage().heapUsed / 1_048_576;
    };
    const text = Array.from({ length: 4_000 }, (_, index) => ((index * index) % 7 < 3 ? 'a' : 'b')).join('');
    const before = usedMegabytes();
    const patterns = Array.from({ length: 10 }, (_, index) => compilePattern(`[ab]*a[ab]{230}c?${index}`));
    const matched = patterns.filter((one, index) => one.ok && one.pattern.matches(`${text}${index}`));
    const grown = usedMegabytes() - before;
    expect(patterns.every(({ ok }) => ok)).toBe(true);
    expect(matched.length).toBeLessThanOrEqual(10);
    // The engine's `testExact` would keep megabytes for each pattern.
    expect(grown).toBeLessThan(5);
  });

  test('those of browsers are only parsed', () => {
    expect(['app1.*', '(?=a)\\1', '(?:a?){1000}'.repeat(80)].map(isForeignPattern)).toEqual([true, true, true]);
    expect(['(', '[', 'a'.repeat(1_025)].map(isForeignPattern)).toEqual([false, false, false]);
  });

  const atom = fc.oneof(
    fc.constantFrom(
      'a',
      'b',
      '.',
      '\\d',
      '\\pL',
      '\\p{Greek}',
      '[a-z]',
      '[^\\W\\pN]',
      '^',
      '$',
      '\\b',
      '',
      '\\Qa{2}\\E',
    ),
    fc.constantFrom('[]x]', '[[:alpha:]_]', '\\x{1F600}', '😀', '{', '(?i)', '\\.', '\\{', '[\\]-a]'),
  );
  const repeat = fc.oneof(
    { weight: 3, arbitrary: fc.constant('') },
    fc.constantFrom('*', '+', '?', '*?', '{2}', '{3,}', '{0,4}', '{2,5}?', '{0}', '{12}', '{,2}'),
  );
  const { pattern: text } = fc.letrec<{ pattern: string; group: string }>((tie) => ({
    pattern: fc
      .array(fc.tuple(fc.oneof({ weight: 2, arbitrary: atom }, tie('group')), repeat), { maxLength: 4 })
      .map((parts) => parts.flat().join('')),
    group: fc
      .tuple(fc.constantFrom('(', '(?:', '(?P<n>', '(?s:'), fc.array(tie('pattern'), { minLength: 1, maxLength: 3 }))
      .map(([open, parts]) => `${open}${parts.join('|')})`),
  }));

  test('the walk never tells less than the program that is made', () => {
    fc.assert(
      fc.property(text, fc.boolean(), (pattern, ignoresCase) => {
        fc.pre(pattern.length < 300 && costOfPattern(pattern, ignoresCase) < 100_000);
        let size = 0;
        try {
          size = RE2JS.compile(pattern, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0).programSize();
        } catch {
          return;
        }
        expect(size).toBeLessThanOrEqual(costOfPattern(pattern, ignoresCase) + 3);
      }),
      { numRuns: 1_000 },
    );
  });
});
