import * as fc from 'fast-check';
import type { GroupFact } from '../../src/expression/functions/functions.ts';
import type { Node } from '../../src/expression/language/ast.ts';
import { symbolsOf } from '../../src/expression/language/symbols.ts';
import { BOOLEAN, INTEGER, type Member, objectOf, STRING, STRINGS } from '../../src/expression/language/types.ts';

export interface Person {
  readonly city: string | null;
  readonly title: string | null;
  readonly age: number | null;
  readonly active: boolean | null;
  readonly tags: readonly string[] | null;
}

const attributes = new Map<string, Member>([
  ['city', { type: STRING }],
  ['title', { type: STRING }],
  ['age', { type: INTEGER }],
  ['active', { type: BOOLEAN }],
  ['tags', { type: STRINGS }],
]);
export const PERSON_SYMBOLS = symbolsOf(new Map([['user', { type: objectOf(attributes) }]]), ['membership']);

export const GROUP_NAMES = ['Sales', 'Sales East', 'Legal'];
export const groupNamed = (name: string): GroupFact => ({ id: `00g${name}`, name, type: 'SVC_GROUP', source: 'SVC' });

const words = fc.constantFrom('', 'a', 'ab', 'Ab', 'b"c', "it's", 'x\\y', 'zz zz', 'ü');
export const persons: fc.Arbitrary<Person> = fc.record({
  city: fc.option(words),
  title: fc.option(words),
  age: fc.option(fc.integer({ min: -5, max: 60 })),
  active: fc.option(fc.boolean()),
  tags: fc.option(fc.array(words, { maxLength: 4 })),
});

/** A syntax node of one type, and a function in plain JavaScript that computes the node's value. */
interface Twin<Value> {
  readonly node: Node;
  readonly run: (person: Person, groups: ReadonlySet<string>) => Value | null;
}
type Texts = Twin<string>;
type Numbers = Twin<number>;
type Questions = Twin<boolean>;

const at = 0;
const text = (value: string): Node => ({ op: 'literal', type: 'string', value, at });
const user = (name: string): Node => ({ op: 'member', target: { op: 'name', name: 'user', at }, name, at });
const call = (name: string, ...given: readonly Node[]): Node => {
  const [space = '', own] = name.split('.');
  return own === undefined
    ? { op: 'call', target: null, name, arguments: given, at }
    : { op: 'call', target: { op: 'name', name: space, at }, name: own, arguments: given, at };
};
const binary = (operator: Extract<Node, { op: 'binary' }>['operator'], left: Node, right: Node): Node => ({
  op: 'binary',
  operator,
  left,
  right,
  at,
});

const textLeaves: fc.Arbitrary<Texts> = fc.oneof(
  words.map((word) => ({ node: text(word), run: () => word })),
  fc.constantFrom('city' as const, 'title' as const).map((name) => ({
    node: user(name),
    run: (person: Person) => person[name],
  })),
);
const numberLeaves: fc.Arbitrary<Numbers> = fc.oneof(
  fc.nat(40).map((value): Numbers => ({ node: { op: 'literal', type: 'integer', value, at }, run: () => value })),
  fc.constant<Numbers>({ node: user('age'), run: ({ age }) => age }),
  fc.constant<Numbers>({ node: call('Arrays.size', user('tags')), run: ({ tags }) => (tags ?? []).length }),
);
const questionLeaves: fc.Arbitrary<Questions> = fc.oneof(
  fc.boolean().map((value): Questions => ({ node: { op: 'literal', type: 'boolean', value, at }, run: () => value })),
  fc.constant<Questions>({ node: user('active'), run: ({ active }) => active }),
  fc.constantFrom(...GROUP_NAMES).map((name) => ({
    node: call('isMemberOfGroupName', text(name)),
    run: (_person: Person, groups: ReadonlySet<string>) => groups.has(name),
  })),
);

const upper = (of: Texts): Texts => ({
  node: call('String.toUpperCase', of.node),
  run: (...given) => of.run(...given)?.toUpperCase() ?? null,
});
const before = (of: Texts, search: Texts): Texts => ({
  node: call('String.substringBefore', of.node, search.node),
  run: (...given) => {
    const [whole, part] = [of.run(...given), search.run(...given)];
    if (whole === null || part === null) return null;
    return whole.includes(part) ? (whole.split(part)[0] ?? '') : whole;
  },
});
/** An empty `search` gives an empty result, or null if `of` gives null. */
const beforeSome = (of: Texts, search: Texts): Texts => {
  const twin = before(of, search);
  return {
    ...twin,
    run: (...given) => (search.run(...given) === '' && of.run(...given) !== null ? '' : twin.run(...given)),
  };
};
const sum = (one: Texts, other: Texts): Texts => ({
  node: binary('+', one.node, other.node),
  run: (...given) => {
    const [left, right] = [one.run(...given), other.run(...given)];
    return left === null && right === null ? null : `${left ?? ''}${right ?? ''}`;
  },
});
const elvis = (one: Texts, other: Texts): Texts => ({
  node: { op: 'elvis', left: one.node, right: other.node, at },
  run: (...given) => one.run(...given) || other.run(...given),
});
function choice<Value>(condition: Questions, whenTrue: Twin<Value>, whenFalse: Twin<Value>): Twin<Value> {
  return {
    node: { op: 'conditional', condition: condition.node, whenTrue: whenTrue.node, whenFalse: whenFalse.node, at },
    run: (...given) => (condition.run(...given) === true ? whenTrue.run(...given) : whenFalse.run(...given)),
  };
}
const arithmetic = (operator: '+' | '-' | '*', one: Numbers, other: Numbers): Numbers => ({
  node: binary(operator, one.node, other.node),
  run: (...given) => {
    const [left, right] = [one.run(...given), other.run(...given)];
    if (left === null || right === null) return null;
    return { '+': left + right, '-': left - right, '*': left * right + 0 }[operator];
  },
});
const negated = (of: Numbers): Numbers => ({
  node: { op: 'negate', operand: of.node, at },
  run: (...given) => {
    const value = of.run(...given);
    return value === null ? null : 0 - value;
  },
});
const length = (of: Texts): Numbers => ({
  node: call('String.len', of.node),
  run: (...given) => (of.run(...given) ?? '').length,
});
const compared = <Value extends string | number>(
  operator: '<' | '<=' | '>' | '>=',
  one: Twin<Value>,
  other: Twin<Value>,
): Questions => ({
  node: binary(operator, one.node, other.node),
  run: (...given) => {
    const [left, right] = [one.run(...given), other.run(...given)];
    if (left === null || right === null) return false;
    return { '<': left < right, '<=': left <= right, '>': left > right, '>=': left >= right }[operator];
  },
});
const equal = <Value>(operator: '==' | '!=', one: Twin<Value>, other: Twin<Value>): Questions => ({
  node: binary(operator, one.node, other.node),
  run: (...given) => (one.run(...given) === other.run(...given)) === (operator === '=='),
});
const joined = (operator: '&&' | '||', one: Questions, other: Questions): Questions => ({
  node: binary(operator, one.node, other.node),
  run: (...given) => {
    const [left, right] = [one.run(...given) === true, other.run(...given) === true];
    return operator === '&&' ? left && right : left || right;
  },
});
const not = (of: Questions): Questions => ({
  node: { op: 'not', operand: of.node, at },
  run: (...given) => of.run(...given) !== true,
});
const contains = (of: Texts, search: Texts): Questions => ({
  node: call('String.stringContains', of.node, search.node),
  run: (...given) => {
    const part = search.run(...given);
    return part !== null && of.run(...given)?.includes(part) === true;
  },
});
const tagged = (of: Texts): Questions => ({
  node: call('Arrays.contains', user('tags'), of.node),
  run: (person, groups) => (person.tags ?? ([] as (string | null)[])).some((tag) => tag === of.run(person, groups)),
});

// An interface would lack the index signature that letrec requires.
type Tied = { readonly texts: Texts; readonly numbers: Numbers; readonly questions: Questions };

/** These arbitraries generate expressions, each with a function in plain JavaScript that computes the value. */
export const { questions, texts } = fc.letrec<Tied>((tie) => {
  const [t, n, q] = [tie('texts'), tie('numbers'), tie('questions')];
  const orders = fc.constantFrom('<' as const, '<=' as const, '>' as const, '>=' as const);
  const equals = fc.constantFrom('==' as const, '!=' as const);
  const limits = { maxDepth: 5, depthIdentifier: 'expression' };
  return {
    texts: fc.oneof(
      limits,
      textLeaves,
      t.map(upper),
      fc.tuple(t, t).map(([one, other]) => sum(one, other)),
      fc.tuple(t, t).map(([one, other]) => beforeSome(one, other)),
      fc.tuple(t, t).map(([one, other]) => elvis(one, other)),
      fc.tuple(q, t, t).map(([condition, one, other]) => choice(condition, one, other)),
    ),
    numbers: fc.oneof(
      limits,
      numberLeaves,
      t.map(length),
      n.map(negated),
      fc
        .tuple(fc.constantFrom('+' as const, '-' as const, '*' as const), n, n)
        .map(([operator, one, other]) => arithmetic(operator, one, other)),
      fc.tuple(q, n, n).map(([condition, one, other]) => choice(condition, one, other)),
    ),
    questions: fc.oneof(
      limits,
      questionLeaves,
      q.map(not),
      t.map(tagged),
      fc.tuple(fc.constantFrom('&&' as const, '||' as const), q, q).map(([op, one, other]) => joined(op, one, other)),
      fc.tuple(orders, n, n).map(([operator, one, other]) => compared(operator, one, other)),
      fc.tuple(orders, t, t).map(([operator, one, other]) => compared(operator, one, other)),
      fc.tuple(equals, t, t).map(([operator, one, other]) => equal(operator, one, other)),
      fc.tuple(equals, n, n).map(([operator, one, other]) => equal(operator, one, other)),
      fc.tuple(t, t).map(([one, other]) => contains(one, other)),
    ),
  };
});

const names = fc.constantFrom('user', 'String', 'a', 'profile', 'x1', '$y', 'eq', 'matches', 'constructor');
const literals: fc.Arbitrary<Node> = fc.oneof(
  fc.string({ maxLength: 6 }).map((value): Node => ({ op: 'literal', type: 'string', value, at })),
  fc.nat().map((value): Node => ({ op: 'literal', type: 'integer', value, at })),
  fc
    .double({ min: 0, max: 1e9, noNaN: true })
    .map((value): Node => ({ op: 'literal', type: 'number', value: value + 0, at })),
  fc.boolean().map((value): Node => ({ op: 'literal', type: 'boolean', value, at })),
  fc.constant<Node>({ op: 'literal', type: 'null', value: null, at }),
  names.map((name): Node => ({ op: 'name', name, at })),
);
const operators = fc.constantFrom(
  ...(['||', '&&', '==', '!=', '<', '<=', '>', '>=', 'matches', '+', '-', '*', '/', '%'] as const),
);

export const { nodes } = fc.letrec<{ nodes: Node }>((tie) => {
  const node = tie('nodes');
  const lists = fc.array(node, { maxLength: 3 });
  return {
    nodes: fc.oneof(
      { maxDepth: 5, depthIdentifier: 'node' },
      literals,
      lists.map((elements): Node => ({ op: 'array', elements, at })),
      fc
        .array(fc.record({ key: fc.string({ maxLength: 4 }), value: node }), { minLength: 1, maxLength: 2 })
        .map((entries): Node => ({ op: 'map', entries, at })),
      fc.tuple(node, names).map(([target, name]): Node => ({ op: 'member', target, name, at })),
      fc.tuple(node, node).map(([target, index]): Node => ({ op: 'index', target, index, at })),
      fc
        .tuple(fc.option(node), names, lists)
        .map(([target, name, given]): Node => ({ op: 'call', target, name, arguments: given, at })),
      node.map((operand): Node => ({ op: 'not', operand, at })),
      node.map((operand): Node => ({ op: 'negate', operand, at })),
      fc
        .tuple(operators, node, node)
        .map(([operator, left, right]): Node => ({ op: 'binary', operator, left, right, at })),
      fc
        .tuple(node, node, node)
        .map(([condition, whenTrue, whenFalse]): Node => ({ op: 'conditional', condition, whenTrue, whenFalse, at })),
      fc.tuple(node, node).map(([left, right]): Node => ({ op: 'elvis', left, right, at })),
    ),
  };
});
