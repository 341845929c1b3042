import type { ExpressionFault } from './ast.ts';

export type TokenKind = 'integer' | 'number' | 'string' | 'name' | 'symbol' | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** The source text, with three exceptions: a string is unquoted, `?.` becomes `.`, and `end` is empty. */
  readonly text: string;
  readonly at: number;
}

/** The error that the lexer and the parser throw. `parseExpression` catches it and returns the fault. */
export class SyntaxFault extends Error {
  readonly fault: ExpressionFault;

  constructor(message: string, at: number) {
    super(message);
    this.fault = { message, at };
  }
}

// The patterns are unambiguous, so matching each one takes time linear in the length of the text.
const SPACE = /[ \t\r\n]*/y;
const NUMBER = /[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const NAME = /[A-Za-z_$][A-Za-z0-9_$]*/y;
const SYMBOL = /\|\||&&|==|!=|<=|>=|\?:|\?\.(?![0-9])|[-+*/%<>!?:.,(){}[\]]/y;

/** Patterns of quoted strings. The enclosing quote is doubled inside a string. Backslashes have no special meaning. */
const QUOTED = { '"': /"([^"]*(?:""[^"]*)*)"/y, "'": /'([^']*(?:''[^']*)*)'/y } as const;

const MAXIMUM_NUMBER_LENGTH = 32;

class Lexer {
  readonly #text: string;
  readonly #tokens: Token[] = [];
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  all(): Token[] {
    for (;;) {
      this.#take(SPACE);
      const at = this.#position;
      const first = this.#text[at];
      if (first === undefined) {
        this.#tokens.push({ kind: 'end', text: '', at });
        return this.#tokens;
      }
      this.#tokens.push(first === '"' || first === "'" ? this.#string(first, at) : this.#other(at));
    }
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#position;
    const taken = pattern.exec(this.#text)?.[0] ?? '';
    this.#position += taken.length;
    return taken;
  }

  #string(quote: '"' | "'", at: number): Token {
    const written = this.#take(QUOTED[quote]);
    if (written === '') throw new SyntaxFault('The string is not closed', at);
    return { kind: 'string', text: written.slice(1, -1).replaceAll(quote + quote, quote), at };
  }

  #other(at: number): Token {
    const number = this.#take(NUMBER);
    if (number !== '') {
      if (number.length > MAXIMUM_NUMBER_LENGTH) throw new SyntaxFault('The number is too long', at);
      return { kind: /^[0-9]+$/.test(number) ? 'integer' : 'number', text: number, at };
    }
    const name = this.#take(NAME);
    if (name !== '') return { kind: 'name', text: name, at };
    const symbol = this.#take(SYMBOL);
    if (symbol !== '') return { kind: 'symbol', text: symbol === '?.' ? '.' : symbol, at };
    const found = this.#text[at] ?? '';
    const hint = found === '=' ? ' (equality is ==)' : '';
    throw new SyntaxFault(`Unexpected character '${found}'${hint}`, at);
  }
}

/** The last token has the kind `end`. */
export const lex = (text: string): readonly Token[] => new Lexer(text).all();
