import type { CallContext, Facts } from './functions/functions.ts';
import { matchesPattern } from './functions/group-functions.ts';
import { added, calculated, compared, concatenated, sameValue } from './language/operators.ts';
import type { Checked, Program } from './language/program.ts';
import { conform, isInstant, toValue, type Value } from './language/types.ts';
import { type Exhausted, Meter, MeterExhausted } from './meter.ts';

const NO_GROUPS: CallContext['groups'] = [];
const NO_TIME = new Date(Number.NaN);

/** The node types whose `op` can be one of `Op`. */
type Branch<Op extends Checked['op'], Node extends Checked = Checked> = Node extends Checked
  ? [Op & Node['op']] extends [never]
    ? never
    : Node
  : never;
type Calculation = Branch<'+'>;
type Ordering = Branch<'<'>;
type Question = Branch<'not' | '&&' | '==' | '<' | 'matches'>;

const CALCULATIONS: ReadonlySet<Checked['op']> = new Set(['+', '-', '*', '/', '%']);
const isCalculation = (node: Calculation | Question): node is Calculation => CALCULATIONS.has(node.op);
const ORDERINGS: ReadonlySet<Checked['op']> = new Set(['<', '<=', '>', '>=']);
const isOrdering = (node: Question): node is Ordering => ORDERINGS.has(node.op);

class Evaluation {
  readonly #facts: Facts;
  readonly #meter: Meter;

  constructor(facts: Facts, meter: Meter) {
    this.#facts = facts;
    this.#meter = meter;
  }

  /** An attribute, or an argument or result of a function, becomes null if it has the wrong type. */
  value(node: Checked): Value {
    this.#meter.step();
    if (node.op === 'constant') return node.value;
    if (node.op === 'attribute') return this.#attribute(node);
    if (node.op === 'call') return this.#call(node);
    if (node.op === 'conditional') return this.value(this.isTrue(node.condition) ? node.whenTrue : node.whenFalse);
    if (node.op === 'elvis') return this.#elvis(node);
    if (node.op === 'element') return this.#element(node);
    if (node.op === 'negate') return this.#negated(node);
    if (node.op === 'list') {
      this.#meter.array(node.elements.length);
      return node.elements.map((element) => this.value(element));
    }
    return isCalculation(node) ? this.#calculated(node) : this.#answer(node);
  }

  #answer(node: Question): boolean {
    if (node.op === 'not') return !this.isTrue(node.operand);
    if (node.op === 'matches') return this.#isMatch(node);
    if (isOrdering(node)) return this.#isOrdered(node);
    if (node.op === '&&') return this.isTrue(node.left) && this.isTrue(node.right);
    if (node.op === '||') return this.isTrue(node.left) || this.isTrue(node.right);
    return this.#isSame(node) === (node.op === '==');
  }

  #isMatch({ left, prepared }: Branch<'matches'>): boolean {
    const text = this.value(left);
    return typeof text === 'string' && matchesPattern(text, { meter: this.#meter, prepared });
  }

  isTrue(node: Checked): boolean {
    return this.value(node) === true;
  }

  #attribute({ path, type }: Branch<'attribute'>): Value {
    let data: unknown = this.#facts.variables;
    for (const name of path) {
      if (typeof data !== 'object' || data === null || !Object.hasOwn(data, name)) return null;
      data = (data as Readonly<Record<string, unknown>>)[name];
    }
    const value = toValue(data);
    if (Array.isArray(value)) this.#meter.array(value.length);
    return conform(value, type);
  }

  #elvis({ left, right }: Branch<'elvis'>): Value {
    const value = this.value(left);
    return value === null || value === '' ? this.value(right) : value;
  }

  #negated({ operand, type }: Branch<'negate'>): Value {
    const value = conform(this.value(operand), type);
    return typeof value === 'number' ? -value + 0 : null;
  }

  #element({ index, target }: Branch<'element'>): Value {
    const list = this.value(target);
    const at = this.value(index);
    return Array.isArray(list) && typeof at === 'number' ? ((list as readonly Value[])[at] ?? null) : null;
  }

  #call({ arguments: given, definition, prepared, type }: Branch<'call'>): Value {
    const values = given.map((argument, index) => {
      const expected = definition.parameters[index] ?? definition.rest;
      const value = this.value(argument);
      return expected === undefined ? value : conform(value, expected);
    });
    const { groups = NO_GROUPS, now = NO_TIME } = this.#facts;
    return conform(definition.call(values, { meter: this.#meter, groups, now, prepared }), type);
  }

  #isSame({ left, right }: Pick<Branch<'=='>, 'left' | 'right'>): boolean {
    const [one, other] = [this.value(left), this.value(right)];
    if (typeof one === 'string') this.#meter.read(one.length);
    if (Array.isArray(one)) this.#meter.step(one.length);
    return sameValue(one, other);
  }

  #isOrdered({ left, op, right }: Ordering): boolean {
    const [one, other] = [this.value(left), this.value(right)];
    if (typeof one === 'string') this.#meter.read(one.length);
    return compared(op, one, other);
  }

  #calculated({ left, op, right, type }: Calculation): Value {
    const [one, other] = [this.value(left), this.value(right)];
    if (type.kind === 'string') return concatenated(one, other, this.#meter);
    const whole = type.kind === 'integer';
    const value = op === '+' ? added(one, other, this.#meter) : calculated(op, one, other, whole);
    // An integer beyond the exact range of a double becomes null instead of a rounded number.
    return isInstant(value) || (whole && !Number.isSafeInteger(value)) ? null : value;
  }
}

export type Evaluated = { readonly value: Value } | { readonly exhausted: Exhausted };

/** Evaluates a program. An absent attribute has the value null. */
export function evaluateExpression(program: Program, facts: Facts, meter: Meter = new Meter()): Evaluated {
  try {
    return { value: new Evaluation(facts, meter).value(program.root) };
  } catch (error) {
    if (error instanceof MeterExhausted) return { exhausted: error.exhausted };
    throw error;
  }
}
