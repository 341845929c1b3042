import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findSvgProblem } from './svg-rules.ts';

/** Measures CPU time instead of elapsed time, because other processes may keep the machine busy. */
function cpuMilliseconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { system, user } = process.cpuUsage(before);
  return (system + user) / 1_000;
}

describe('an SVG', () => {
  test.each([
    ['<svg/>', 'picture'],
    ['<svg>', 'picture'],
    ['<x:svg xmlns:x="y"/>', 'picture'],
    ['<SVG></SVG>', 'picture'],
    ['<svgs/>', 'none'],
    ['<html/>', 'none'],
    ['<?xml version="1.0"?> <!-- <html> --> <!----> <svg/>', 'picture'],
    ['<?xml <svg?><svg/>', 'none'],
    ['<!-- <svg/>', 'none'],
    ['', 'none'],
    ['<svg><scripts/></svg>', 'picture'],
    ['<svg><script-x/></svg>', 'active'],
    ['<svg><script:x/></svg>', 'active'],
    ['<svg><text>money = on = 5</text></svg>', 'picture'],
    ['<svg onload  = "x"/>', 'active'],
    ['<svg><use href = "#a"/></svg>', 'picture'],
    ["<svg><use xlink:href  =  '  https://evil.example'/></svg>", 'active'],
    ['<svg><image src=//evil.example/></svg>', 'active'],
    ['<svg><a href="java&#115;cript&#58;alert(1)"/></svg>', 'active'],
    ['<svg><image href="data:image/PNG;base64,AAAA"/></svg>', 'picture'],
    ['<svg><image href="data:text/html,a"/></svg>', 'active'],
    ['<svg><image href="https:image/png;a"/></svg>', 'active'],
  ])('%s: %s', (text, verdict) => expect(findSvgProblem(text)).toBe(verdict));

  // For texts without entities, `findSvgProblem` must return the same verdict as these earlier regular expressions.
  const START = /^\uFEFF?\s*(?:<\?xml[^<>]*\?>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:[\w-]+:)?svg[\s>/]/i;
  const ACTIVE = new RegExp(
    [
      String.raw`<!DOCTYPE|<!ENTITY|<\?xml-stylesheet|@import|(?:java|vb)script:`,
      String.raw`<(?:[\w-]+:)?(?:script|foreignObject|iframe|embed|object|handler|listener)\b`,
      String.raw`[\s"'/]on[a-z]+\s*=`,
      String.raw`(?:href|src)\s*=\s*["']?\s*(?:(?!data:image\/(?:png|jpeg|gif);)[a-z][a-z\d+.-]*:|\/\/)`,
    ].join('|'),
    'i',
  );
  const parts = fc.constantFrom(
    '<svg',
    '>',
    ' ',
    '\n',
    '<',
    '/',
    ':',
    '=',
    '"',
    "'",
    'on',
    'load',
    'href',
    'src',
    'x',
    '-',
    '//',
    'https:',
    'data:',
    'image/png;',
    'image/svg',
    '<script',
    '<Object',
    '<a:',
    'embed',
    '<?xml',
    '?>',
    '<!--',
    '-->',
    '@import',
    '\uFEFF',
  );
  test('is refused whatever of old was, and taken only where it was', () => {
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 14 }), fc.boolean(), (texts, begins) => {
        const text = `${begins ? '<svg ' : ''}${texts.join('')}`;
        const was = START.test(text) ? (ACTIVE.test(text) ? 'active' : 'picture') : 'none';
        expect(findSvgProblem(text)).toBe(was);
      }),
      { numRuns: 3_000 },
    );
  });

  test.each([
    ['blanks behind an address', (n: number) => `<svg xmlns="x"><a href=${' '.repeat(n)}</svg>`],
    ['blanks before an equals sign', (n: number) => `<svg onload${' '.repeat(n)}></svg>`],
    ['names without end', (n: number) => `<svg><${'a-'.repeat(n / 2)}</svg>`],
    ['handlers that are none', (n: number) => `<svg ${'on'.repeat(n / 2)}></svg>`],
    ['equals signs', (n: number) => `<svg ${'href='.repeat(n / 5)}></svg>`],
    ['comments', (n: number) => `${'<!---->'.repeat(n / 7)}<svg></svg>`],
    ['comments that do not end', (n: number) => '<!--'.repeat(n / 4)],
  ])('%s: twice as many take twice as long, a megabyte of them no time', (_, made) => {
    findSvgProblem(made(200_000));
    const [once, twice] = [490_000, 980_000].map((n) =>
      Math.min(
        cpuMilliseconds(() => findSvgProblem(made(n))),
        cpuMilliseconds(() => findSvgProblem(made(n))),
      ),
    );
    expect(twice).toBeLessThan(Math.max(100, 3 * (once ?? 0)));
    expect(twice).toBeLessThan(500);
  });
});
