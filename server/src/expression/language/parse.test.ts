import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nodes } from '../../../test/support/expressions.ts';
import type { Node } from './ast.ts';
import { PARSE_LIMITS, parseExpression } from './parse.ts';
import { printExpression } from './print.ts';

const nodeOf = (text: string): Node => {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.fault.message} at ${parsed.fault.at}`);
  return parsed.node;
};

/** Sets all positions to 0, because printing does not preserve them. */
const placeless = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key: string, member: unknown) => (key === 'at' ? 0 : member));

describe('what is printed is read back as the same expression', () => {
  test('whatever the expression', () => {
    fc.assert(
      fc.property(nodes, (node) => {
        expect(placeless(nodeOf(printExpression(node)))).toEqual(placeless(node));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['a or b and c', 'a || b && c'],
    ['(a or b) and c', '(a || b) && c'],
    ['NOT a && !b', '!a && !b'],
    ['a == b ? c : d ?: e', 'a == b ? c : d ?: e'],
    ['(a ? b : c) ? d : e', '(a ? b : c) ? d : e'],
    ['a ? b : c ? d : e', 'a ? b : c ? d : e'],
    ['a - (b - c) - d', 'a - (b - c) - d'],
    ['-(a + b) * -c', '-(a + b) * -c'],
    ['a EQ b and c ne d', 'a == b && c != d'],
    ['a div b mod c', 'a / b % c'],
    [`'it''s'`, `"it's"`],
    [`"say ""yes"""`, `"say ""yes"""`],
    ['"\\"', '"\\"'],
    ['{1, {2}}[0].size()', '{1, {2}}[0].size()'],
    [`user.isMemberOf({'group.id': {'a', 'b'}})`, 'user.isMemberOf({"group.id": {"a", "b"}})'],
    ['user?.profile?.name', 'user.profile.name'],
    ['1.5.toInteger() + 2.0', '1.5.toInteger() + 2.0'],
    ['TRUE && Null == false', 'true && null == false'],
  ])('%s', (text, printed) => {
    expect(printExpression(nodeOf(text))).toBe(printed);
    expect(printExpression(nodeOf(printed))).toBe(printed);
  });
});

describe('what is no expression', () => {
  test.each([
    ['', 'The expression ends too early', 0],
    ['user.', 'Expected a name after the dot', 5],
    ['user.name = "a"', "Unexpected character '=' (equality is ==)", 10],
    ['"abc', 'The string is not closed', 0],
    ["user.a == 'b", 'The string is not closed', 10],
    ['a b', "Unexpected 'b'", 2],
    ['(a', "Expected ')'", 2],
    ['f(a,', 'The expression ends too early', 4],
    ['a ? b', "Expected ':'", 5],
    ['{1, 2', "Expected '}'", 5],
    ['a[1', "Expected ']'", 3],
    ['and b', "Unexpected 'and'", 0],
    ['a && ', 'The expression ends too early', 5],
    ['#root', "Unexpected character '#'", 0],
    ['T(java.lang.Runtime)[', 'The expression ends too early', 21],
    ['@bean', "Unexpected character '@'", 0],
    ['99999999999999999999', 'The number is too large', 0],
    ['1e999', 'The number is too large', 0],
    [`{'a': 1, b: 2}`, 'Expected a quoted name', 9],
    ['0'.repeat(40), 'The number is too long', 0],
  ])('%s', (text, message, place) => {
    expect(parseExpression(text)).toEqual({ ok: false, fault: { message, at: place } });
  });
});

describe('limits', () => {
  const refused = (text: string): string => {
    const parsed = parseExpression(text);
    return parsed.ok ? '' : parsed.fault.message;
  };

  test('length, depth and number of parts', () => {
    const { maximumDepth, maximumLength, maximumNodes } = PARSE_LIMITS;
    expect(refused(`"${'a'.repeat(maximumLength)}"`)).toMatch(/^Longer than/);
    for (const [open, close] of [
      ['(', ')'],
      ['{', '}'],
      ['f(', ')'],
      ['!', ''],
      ['-', ''],
      ['a ? b : ', ''],
      ['a ?: ', ''],
      ['a[', ']'],
    ] as const) {
      expect(refused(`${open.repeat(maximumDepth)}a${close.repeat(maximumDepth)}`), open).toMatch(/^Nested more than/);
      expect(refused(`${open.repeat(20)}a${close.repeat(20)}`), open).toBe('');
    }
    expect(refused(Array.from({ length: maximumNodes }, () => 'a').join('+'))).toMatch(/^The expression has more than/);
    expect(refused(`a${'.b'.repeat(maximumNodes)}`)).toMatch(/^The expression has more than/);
  });

  test('any text is answered, in time', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 300, unit: fc.constantFrom(...`ab.('"{}[]?:&|!=<>-+*/% 1,eE`.split('')) }),
        (text) => {
          expect(typeof parseExpression(text).ok).toBe('boolean');
        },
      ),
      { numRuns: 2_000 },
    );
    const started = performance.now();
    for (const unit of ['"a', "''", '((', '1.', '&&', '""', '{{', '?:']) {
      parseExpression(unit.repeat(PARSE_LIMITS.maximumLength / 2));
    }
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
