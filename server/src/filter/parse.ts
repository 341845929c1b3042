import { type ApiError, apiError } from '../kernel/errors/errors.ts';
import type { Expression, Literal, Operator } from './ast.ts';
import { OPERATORS } from './ast.ts';

export interface ParseOptions {
  /** The operators that an error lists as expected, by default all operators. */
  readonly expectedOperators?: readonly Operator[];
  /** The maximum length in UTF-16 units. */
  readonly maximumLength?: number;
  /** The maximum nesting depth of parentheses and `not`. */
  readonly maximumDepth?: number;
  readonly maximumLeaves?: number;
}

const DEFAULTS: Required<ParseOptions> = {
  expectedOperators: OPERATORS,
  maximumLength: 8192,
  maximumDepth: 64,
  maximumLeaves: 500,
};

// The patterns are unambiguous, so matching each one takes time linear in the length of the text.
const SPACE = /[ \t\r\n]*/y;
const WORD = /[A-Za-z_$][A-Za-z0-9_.:$-]*/y;
const OPERATOR_LIKE = /[^ \t\r\n()"]+/y;
const BARE_VALUE = /[A-Za-z0-9+._:$-]+/y;
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/sy;
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

const isOperator = (word: string): word is Operator => (OPERATORS as readonly string[]).includes(word);

class Parser {
  readonly #text: string;
  readonly #options: Required<ParseOptions>;
  #position = 0;
  #leaves = 0;

  constructor(text: string, options: Required<ParseOptions>) {
    this.#text = text;
    this.#options = options;
  }

  whole(): Expression {
    const expression = this.#or(0);
    this.#skipSpace();
    if (this.#position < this.#text.length) throw this.#refused('Expected and, or, or the end');
    return expression;
  }

  #or(depth: number): Expression {
    return this.#joined('or', () => this.#joined('and', () => this.#term(depth)));
  }

  #joined(op: 'and' | 'or', next: () => Expression): Expression {
    const first = next();
    if (!this.#takeKeyword(op)) return first;
    const operands = [first];
    do operands.push(next());
    while (this.#takeKeyword(op));
    return { op, operands };
  }

  #term(depth: number): Expression {
    this.#skipSpace();
    const start = this.#position;
    const isGroup = this.#text[start] === '(';
    if (!isGroup && !this.#takeKeyword('not')) return this.#leaf();
    // This limit also bounds the stack of later passes over the expression.
    if (depth >= this.#options.maximumDepth) {
      throw this.#refused(`Nested more than ${this.#options.maximumDepth} levels deep`, start);
    }
    if (!isGroup) return { op: 'not', operand: this.#term(depth + 1) };

    this.#position += 1;
    const inner = this.#or(depth + 1);
    this.#skipSpace();
    if (this.#text[this.#position] !== ')') throw this.#refused('Expected and, or, or )');
    this.#position += 1;
    return inner;
  }

  #leaf(): Expression {
    const start = this.#position;
    const attribute = this.#take(WORD);
    if (attribute === '' || isConnective(attribute)) throw this.#refused('Expected an attribute name', start);
    this.#leaves += 1;
    if (this.#leaves > this.#options.maximumLeaves) {
      throw this.#refused(`More than ${this.#options.maximumLeaves} conditions`, start);
    }
    const op = this.#operator();
    return op === 'pr' ? { op, attribute } : { op, attribute, value: this.#value() };
  }

  #operator(): Operator {
    this.#skipSpace();
    const start = this.#position;
    const written = this.#take(OPERATOR_LIKE);
    const op = written.toLowerCase();
    if (isOperator(op)) return op;
    const expected = `Expected: ${this.#options.expectedOperators.join(',')}`;
    throw written === ''
      ? this.#refused('Missing attribute operator', start, expected)
      : this.#refused(`Unrecognized attribute operator '${written}'`, start, expected);
  }

  #value(): Literal {
    this.#skipSpace();
    const start = this.#position;
    if (this.#text[start] === '"') return this.#string();
    const written = this.#take(BARE_VALUE);
    if (written === 'true' || written === 'false') return written === 'true';
    const number = NUMBER.test(written) ? Number(written) : Number.NaN;
    if (Number.isFinite(number)) return number === 0 ? 0 : number;
    throw this.#refused('Expected a quoted string, a number, true or false', start);
  }

  #string(): string {
    const start = this.#position;
    const written = this.#take(STRING);
    if (written === '') throw this.#refused('Unterminated string', start);
    try {
      return JSON.parse(written) as string;
    } catch {
      throw this.#refused('Invalid escape or control character in the string', start);
    }
  }

  #takeKeyword(keyword: 'and' | 'or' | 'not'): boolean {
    this.#skipSpace();
    const start = this.#position;
    if (this.#take(WORD).toLowerCase() === keyword) return true;
    this.#position = start;
    return false;
  }

  #skipSpace(): void {
    this.#take(SPACE);
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#position;
    const taken = pattern.exec(this.#text)?.[0] ?? '';
    this.#position += taken.length;
    return taken;
  }

  #refused(problem: string, position = this.#position, hint = ''): ApiError {
    const where = `${problem} at position ${position}`;
    return apiError('E0000053', { detail: `Invalid filter '${this.#text}': ${where}${hint && `. ${hint}`}` });
  }
}

const isConnective = (word: string): boolean => ['and', 'or', 'not'].includes(word.toLowerCase());

/** Parses a filter (specification 4.3) in linear time with a bounded stack. */
export function parse(text: string, options: ParseOptions = {}): Expression {
  const settings = { ...DEFAULTS, ...options };
  if (text.length > settings.maximumLength) {
    // The error does not repeat the filter, because the response would be as long as the refused text.
    throw apiError('E0000053', { detail: `Invalid filter: longer than ${settings.maximumLength} characters` });
  }
  return new Parser(text, settings).whole();
}
