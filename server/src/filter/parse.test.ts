import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../kernel/errors/errors.ts';
import { type Expression, OPERATORS, toText } from './ast.ts';
import { type ParseOptions, parse } from './parse.ts';

const LOG_OPERATORS = ['eq', 'co', 'sw', 'pr', 'gt', 'ge', 'lt', 'le'] as const;

function refusal(text: string, options?: ParseOptions): string {
  try {
    parse(text, options);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect([error.code, error.status]).toEqual(['E0000053', 400]);
    return error.message;
  }
  throw new Error(`was accepted: ${text}`);
}

const present = (attribute: string): Expression => ({ op: 'pr', attribute });

describe('parse reads', () => {
  const A = present('a');
  const B = present('b');
  const C = present('c');
  test.each<[string, Expression]>([
    ['a pr', A],
    [' \t(\n( a PR ) )\r', A],
    ['status eq "ACTIVE"', { op: 'eq', attribute: 'status', value: 'ACTIVE' }],
    ['a EQ "1"', { op: 'eq', attribute: 'a', value: '1' }],
    ['a eq"x"and b pr', { op: 'and', operands: [{ op: 'eq', attribute: 'a', value: 'x' }, B] }],
    [String.raw`a eq "\"\\\/\u00e9\n"`, { op: 'eq', attribute: 'a', value: '"\\/é\n' }],
    ['a eq ""', { op: 'eq', attribute: 'a', value: '' }],
    ['a eq ") or (b pr"', { op: 'eq', attribute: 'a', value: ') or (b pr' }],
    ['a gt -1.5e+2', { op: 'gt', attribute: 'a', value: -150 }],
    ['a eq -0', { op: 'eq', attribute: 'a', value: 0 }],
    ['a eq true', { op: 'eq', attribute: 'a', value: true }],
    ['a ne false', { op: 'ne', attribute: 'a', value: false }],
    ['profile.x_y-z:$w.1 ew "q"', { op: 'ew', attribute: 'profile.x_y-z:$w.1', value: 'q' }],
    ['a pr and b pr or c pr', { op: 'or', operands: [{ op: 'and', operands: [A, B] }, C] }],
    ['a pr or b pr and c pr', { op: 'or', operands: [A, { op: 'and', operands: [B, C] }] }],
    ['(a pr or b pr) and c pr', { op: 'and', operands: [{ op: 'or', operands: [A, B] }, C] }],
    ['a pr and b pr AND c pr', { op: 'and', operands: [A, B, C] }],
    ['not a pr and b pr', { op: 'and', operands: [{ op: 'not', operand: A }, B] }],
    ['NOT(a pr and b pr)', { op: 'not', operand: { op: 'and', operands: [A, B] } }],
    ['not not a pr', { op: 'not', operand: { op: 'not', operand: A } }],
    ['android pr or nothing pr', { op: 'or', operands: [present('android'), present('nothing')] }],
    ['constructor pr', present('constructor')],
  ])('%s', (text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  test('attribute names keep their case', () => {
    expect(parse('Status pr')).toEqual(present('Status'));
  });
});

describe('parse refuses', () => {
  test('an unknown operator in the exact words of the contract', () => {
    expect(refusal('display_message eqq "Create okta user"', { expectedOperators: LOG_OPERATORS })).toBe(
      `Invalid filter 'display_message eqq "Create okta user"': Unrecognized attribute operator 'eqq' ` +
        'at position 16. Expected: eq,co,sw,pr,gt,ge,lt,le',
    );
  });

  const ALL = `. Expected: ${OPERATORS.join(',')}`;
  test.each([
    ['', 'Expected an attribute name at position 0'],
    ['   ', 'Expected an attribute name at position 3'],
    ['and', 'Expected an attribute name at position 0'],
    ['not', 'Expected an attribute name at position 3'],
    ['a pr and', 'Expected an attribute name at position 8'],
    ['a pr and or b pr', 'Expected an attribute name at position 9'],
    ['1a pr', 'Expected an attribute name at position 0'],
    ['"a" pr', 'Expected an attribute name at position 0'],
    ['()', 'Expected an attribute name at position 1'],
    [')', 'Expected an attribute name at position 0'],
    ['a', `Missing attribute operator at position 1${ALL}`],
    ['a "x"', `Missing attribute operator at position 2${ALL}`],
    ['a and b pr', `Unrecognized attribute operator 'and' at position 2${ALL}`],
    ['a = "x"', `Unrecognized attribute operator '=' at position 2${ALL}`],
    ['a[b eq "x"]', `Unrecognized attribute operator '[b' at position 1${ALL}`],
    ['é pr', 'Expected an attribute name at position 0'],
    ['a\u00a0pr', `Unrecognized attribute operator '\u00a0pr' at position 1${ALL}`],
    ['a eq', 'Expected a quoted string, a number, true or false at position 4'],
    ['a eq null', 'Expected a quoted string, a number, true or false at position 5'],
    ['a eq TRUE', 'Expected a quoted string, a number, true or false at position 5'],
    ['a eq ACTIVE', 'Expected a quoted string, a number, true or false at position 5'],
    ["a eq 'x'", 'Expected a quoted string, a number, true or false at position 5'],
    ['a eq 01', 'Expected a quoted string, a number, true or false at position 5'],
    ['a eq 1e999', 'Expected a quoted string, a number, true or false at position 5'],
    ['a eq "x', 'Unterminated string at position 5'],
    ['a eq "x\\"', 'Unterminated string at position 5'],
    ['a eq "\\x"', 'Invalid escape or control character in the string at position 5'],
    ['a eq "\n"', 'Invalid escape or control character in the string at position 5'],
    ['a pr "x"', 'Expected and, or, or the end at position 5'],
    ['a pr b pr', 'Expected and, or, or the end at position 5'],
    ['a pr andb pr', 'Expected and, or, or the end at position 5'],
    ['a pr)', 'Expected and, or, or the end at position 4'],
    ['(a pr', 'Expected and, or, or ) at position 5'],
    ['(a pr not b pr)', 'Expected and, or, or ) at position 6'],
  ])('%s', (text, problem) => {
    expect(refusal(text)).toBe(`Invalid filter '${text}': ${problem}`);
  });
});

describe('parse is bounded', () => {
  const nested = (open: string, depth: number): string =>
    `${open.repeat(depth)}a pr${open === '(' ? ')'.repeat(depth) : ''}`;

  test.each(['(', 'not ', 'not('])('in depth: %s', (open) => {
    const levels = open === 'not(' ? 32 : 64;
    const closed = (depth: number) => (open === 'not(' ? nested(open, depth) + ')'.repeat(depth) : nested(open, depth));
    expect(() => parse(closed(levels))).not.toThrow();
    expect(refusal(closed(levels + 1))).toMatch(/: Nested more than 64 levels deep at position \d+$/);
    expect(refusal(closed(10_000), { maximumLength: 1_000_000 })).toMatch(/: Nested more than 64 levels deep at/);
  });

  test('in length, without echoing the text', () => {
    const text = `a eq "${'x'.repeat(8192 - 7)}"`;
    expect(() => parse(text)).not.toThrow();
    expect(refusal(`${text} `)).toBe('Invalid filter: longer than 8192 characters');
    expect(refusal('('.repeat(10_000))).toBe('Invalid filter: longer than 8192 characters');
    expect(refusal('x'.repeat(1_000_000))).toBe('Invalid filter: longer than 8192 characters');
    expect(refusal('a pr', { maximumLength: 3 })).toBe('Invalid filter: longer than 3 characters');
  });

  test('in conditions', () => {
    const conditions = (count: number) => Array.from({ length: count }, () => 'a pr').join(' or ');
    expect(() => parse(conditions(500))).not.toThrow();
    expect(refusal(conditions(501))).toContain('More than 500 conditions at position 4000');
  });

  test.each(['a eq "', '"', 'a eq 1', '\\', 'a.', ' ', '-', '9', 'not', '"\\'])(
    'in time: a megabyte made of %s',
    (piece) => {
      const text = `a eq "x" and ${piece.repeat(1_000_000 / piece.length)}`;
      const start = performance.now();
      refusal(text, { maximumLength: 2_000_000 });
      // Quadratic work on a megabyte would take far longer. The limit leaves a margin for a busy machine.
      expect(performance.now() - start).toBeLessThan(2000);
    },
  );
});

const fragments = fc.constantFrom(
  '(',
  ')',
  '"',
  '\\',
  'and',
  'or',
  'not',
  'eq',
  'pr',
  'co',
  'a',
  'b.c',
  '"x"',
  '1',
  '-',
  'true',
  ' ',
  '\n',
  '[',
);
const attributes = fc
  .stringMatching(/^[A-Za-z_$][A-Za-z0-9_.:$-]{0,12}$/)
  .filter((name) => !['and', 'or', 'not'].includes(name.toLowerCase()));
const values = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.boolean(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number)),
);
const { expression: expressions } = fc.letrec<{ expression: Expression; leaf: Expression }>((tie) => ({
  leaf: fc.oneof(
    fc.record({ op: fc.constant('pr' as const), attribute: attributes }),
    fc.record({
      op: fc.constantFrom('eq', 'ne', 'gt', 'ge', 'lt', 'le', 'sw', 'ew', 'co'),
      attribute: attributes,
      value: values,
    }),
  ),
  expression: fc.oneof(
    { depthSize: 'medium', maxDepth: 8 },
    tie('leaf'),
    fc.record({ op: fc.constant('not' as const), operand: tie('expression') }),
    ...(['and', 'or'] as const).map((op) =>
      fc.record({ op: fc.constant(op), operands: fc.array(tie('expression'), { minLength: 2, maxLength: 4 }) }),
    ),
  ),
}));
const unbounded: ParseOptions = { maximumLength: 10_000_000, maximumDepth: 1000, maximumLeaves: 1_000_000 };

describe('properties', () => {
  test('any text is read, or refused with E0000053', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fragments).map((parts) => parts.join(' ')),
    );
    let accepted = 0;
    fc.assert(
      fc.property(texts, (text) => {
        try {
          parse(text);
          accepted += 1;
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          expect(error.code).toBe('E0000053');
        }
      }),
      { numRuns: 3000, examples: [['a pr'], ['( b.c eq "x" )']] },
    );
    expect(accepted).toBeGreaterThan(1);
  });

  test('what is printed reads back the same', () => {
    fc.assert(
      fc.property(expressions, (expression) => {
        expect(parse(toText(expression), unbounded)).toStrictEqual(normal(expression));
      }),
      { numRuns: 1000 },
    );
  });
});

/** Copies a tree into plain objects, because toStrictEqual would report that fast-check's records have no prototype. */
const normal = (expression: Expression): unknown => JSON.parse(JSON.stringify(expression));
