import {
  type BinaryOperator,
  CONDITIONAL_PRECEDENCE,
  type ExpressionFault,
  type LiteralNode,
  type MapNode,
  type Node,
  PRECEDENCE,
} from './ast.ts';
import { lex, SyntaxFault, type Token } from './lex.ts';

export interface ParseLimits {
  /** The maximum length in UTF-16 units. */
  readonly maximumLength: number;
  /** The maximum depth of nested expressions and unary operators. */
  readonly maximumDepth: number;
  readonly maximumNodes: number;
}

/** These limits also bound the recursion of later passes over the expression. */
export const PARSE_LIMITS: ParseLimits = { maximumLength: 8_192, maximumDepth: 64, maximumNodes: 1_000 };

/** Binary operators that are written as words. Case is ignored. */
const WORD_OPERATORS: ReadonlyMap<string, BinaryOperator> = new Map([
  ['or', '||'],
  ['and', '&&'],
  ['eq', '=='],
  ['ne', '!='],
  ['lt', '<'],
  ['le', '<='],
  ['gt', '>'],
  ['ge', '>='],
  ['div', '/'],
  ['mod', '%'],
  ['matches', 'matches'],
]);

const isOperator = (text: string): text is BinaryOperator => Object.hasOwn(PRECEDENCE, text);

function operatorOf(token: Token): BinaryOperator | undefined {
  if (token.kind === 'name') return WORD_OPERATORS.get(token.text.toLowerCase());
  return token.kind === 'symbol' && isOperator(token.text) ? token.text : undefined;
}

const RESERVED: ReadonlyMap<string, Pick<LiteralNode, 'type' | 'value'>> = new Map([
  ['true', { type: 'boolean', value: true }],
  ['false', { type: 'boolean', value: false }],
  ['null', { type: 'null', value: null }],
]);

class Parser {
  readonly #tokens: readonly Token[];
  readonly #limits: ParseLimits;
  #index = 0;
  #nodes = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], limits: ParseLimits) {
    this.#tokens = tokens;
    this.#limits = limits;
  }

  whole(): Node {
    const node = this.#expression();
    const { at, kind, text } = this.#peek();
    if (kind !== 'end') throw new SyntaxFault(`Unexpected '${text}'`, at);
    return node;
  }

  #peek(): Token {
    return this.#tokens[this.#index] ?? { kind: 'end', text: '', at: 0 };
  }

  #next(): Token {
    const token = this.#peek();
    this.#index += 1;
    return token;
  }

  #takes(symbol: string): boolean {
    const { kind, text } = this.#peek();
    if (kind !== 'symbol' || text !== symbol) return false;
    this.#index += 1;
    return true;
  }

  #expect(symbol: string): void {
    if (!this.#takes(symbol)) throw new SyntaxFault(`Expected '${symbol}'`, this.#peek().at);
  }

  #made<Made extends Node>(node: Made): Made {
    this.#nodes += 1;
    if (this.#nodes > this.#limits.maximumNodes) {
      throw new SyntaxFault(`The expression has more than ${this.#limits.maximumNodes} parts`, node.at);
    }
    return node;
  }

  #expression(): Node {
    this.#depth += 1;
    if (this.#depth > this.#limits.maximumDepth) {
      throw new SyntaxFault(`Nested more than ${this.#limits.maximumDepth} levels deep`, this.#peek().at);
    }
    const node = this.#conditional();
    this.#depth -= 1;
    return node;
  }

  #conditional(): Node {
    const condition = this.#binary(CONDITIONAL_PRECEDENCE + 1);
    const { at } = condition;
    if (this.#takes('?:')) return this.#made({ op: 'elvis', left: condition, right: this.#expression(), at });
    if (!this.#takes('?')) return condition;
    const whenTrue = this.#expression();
    this.#expect(':');
    return this.#made({ op: 'conditional', condition, whenTrue, whenFalse: this.#expression(), at });
  }

  #binary(minimum: number): Node {
    let left = this.#unary();
    for (;;) {
      const operator = operatorOf(this.#peek());
      if (operator === undefined || PRECEDENCE[operator] < minimum) return left;
      this.#index += 1;
      const right = this.#binary(PRECEDENCE[operator] + 1);
      left = this.#made({ op: 'binary', operator, left, right, at: left.at });
    }
  }

  #unary(): Node {
    const { at, kind, text } = this.#peek();
    const isNot = (kind === 'symbol' && text === '!') || (kind === 'name' && text.toLowerCase() === 'not');
    const isNegation = kind === 'symbol' && text === '-';
    if (!isNot && !isNegation) return this.#postfix(this.#primary());
    this.#index += 1;
    this.#depth += 1;
    if (this.#depth > this.#limits.maximumDepth) {
      throw new SyntaxFault(`Nested more than ${this.#limits.maximumDepth} levels deep`, at);
    }
    const operand = this.#unary();
    this.#depth -= 1;
    return this.#made({ op: isNot ? 'not' : 'negate', operand, at });
  }

  #postfix(first: Node): Node {
    let node = first;
    for (;;) {
      if (this.#takes('.')) {
        const { at, kind, text } = this.#next();
        if (kind !== 'name') throw new SyntaxFault('Expected a name after the dot', at);
        node = this.#takes('(')
          ? this.#made({ op: 'call', target: node, name: text, arguments: this.#list(')'), at })
          : this.#made({ op: 'member', target: node, name: text, at });
      } else if (this.#takes('[')) {
        const index = this.#expression();
        this.#expect(']');
        node = this.#made({ op: 'index', target: node, index, at: node.at });
      } else {
        return node;
      }
    }
  }

  #list(end: ')' | '}'): readonly Node[] {
    const nodes: Node[] = [];
    if (this.#takes(end)) return nodes;
    do nodes.push(this.#expression());
    while (this.#takes(','));
    this.#expect(end);
    return nodes;
  }

  #primary(): Node {
    const { at, kind, text } = this.#next();
    if (kind === 'string') return this.#made({ op: 'literal', type: 'string', value: text, at });
    if (kind === 'integer' || kind === 'number') return this.#number(kind, text, at);
    if (kind === 'name') return this.#named(text, at);
    if (kind === 'symbol' && text === '(') {
      const node = this.#expression();
      this.#expect(')');
      return node;
    }
    if (kind === 'symbol' && text === '{') return this.#braces(at);
    throw new SyntaxFault(kind === 'end' ? 'The expression ends too early' : `Unexpected '${text}'`, at);
  }

  #number(type: 'integer' | 'number', text: string, at: number): Node {
    const value = Number(text);
    const isExact = type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value);
    if (!isExact) throw new SyntaxFault('The number is too large', at);
    return this.#made({ op: 'literal', type, value, at });
  }

  #named(name: string, at: number): Node {
    const literal = RESERVED.get(name.toLowerCase());
    if (literal !== undefined) return this.#made({ op: 'literal', ...literal, at });
    if (['and', 'or'].includes(name.toLowerCase())) throw new SyntaxFault(`Unexpected '${name}'`, at);
    if (!this.#takes('(')) return this.#made({ op: 'name', name, at });
    return this.#made({ op: 'call', target: null, name, arguments: this.#list(')'), at });
  }

  #braces(at: number): Node {
    const [key, colon] = [this.#peek(), this.#tokens[this.#index + 1]];
    const isMap = key.kind === 'string' && colon?.kind === 'symbol' && colon.text === ':';
    return isMap ? this.#map(at) : this.#made({ op: 'array', elements: this.#list('}'), at });
  }

  #map(at: number): MapNode {
    const entries: { key: string; value: Node }[] = [];
    do {
      const { at: place, kind, text } = this.#next();
      if (kind !== 'string') throw new SyntaxFault('Expected a quoted name', place);
      this.#expect(':');
      entries.push({ key: text, value: this.#expression() });
    } while (this.#takes(','));
    this.#expect('}');
    return this.#made({ op: 'map', entries, at });
  }
}

export type Parsed =
  | { readonly ok: true; readonly node: Node }
  | { readonly ok: false; readonly fault: ExpressionFault };

/** Parses an expression in linear time and with a bounded stack. Stops at the first fault and returns it. */
export function parseExpression(text: string, limits: ParseLimits = PARSE_LIMITS): Parsed {
  if (text.length > limits.maximumLength) {
    return { ok: false, fault: { message: `Longer than ${limits.maximumLength} characters`, at: 0 } };
  }
  try {
    return { ok: true, node: new Parser(lex(text), limits).whole() };
  } catch (error) {
    if (error instanceof SyntaxFault) return { ok: false, fault: error.fault };
    throw error;
  }
}
