import type { CriteriaArgument, FunctionDefinition } from '../functions/functions.ts';
import { CRITERIA, IS_MEMBER_OF } from '../functions/group-functions.ts';
import type { PatternCompiler } from '../pattern.ts';
import type { CallNode, MapNode, Node } from './ast.ts';
import type { Checked } from './program.ts';
import { isKnownElsewhere, type Symbols } from './symbols.ts';
import { accepts, type Member, nameOfType, type Value, type ValueType } from './types.ts';

export interface Checking {
  readonly symbols: Symbols;
  readonly asks: Set<'groups' | 'now'>;
  readonly patterns: PatternCompiler;
  readonly fault: (message: string, at: number) => Checked;
  readonly value: (node: Node) => Checked;
  readonly place: (node: Node) => { readonly member: Member; readonly path: readonly string[] } | undefined;
  readonly attribute: (place: { readonly member: Member; readonly path: readonly string[] }, at: number) => Checked;
}

interface Given {
  readonly checked: Checked;
  readonly at: number;
}

const counted = (count: number): string => (count === 1 ? '1 argument' : `${count} arguments`);

function countFault({ minimumRest = 0, optional = 0, parameters, rest }: FunctionDefinition, count: number): string {
  const least = parameters.length - optional + minimumRest;
  if (count < least) return `needs at least ${counted(least)}`;
  return rest === undefined && count > parameters.length ? `takes at most ${counted(parameters.length)}` : '';
}

/** Returns the value of a literal or of a list of literals. */
function literalOf(checked: Checked): Value | undefined {
  if (checked.op === 'constant') return checked.value;
  if (checked.op !== 'list') return undefined;
  const elements = checked.elements.map(literalOf);
  return elements.every((element) => element !== undefined) ? elements : undefined;
}

function applied(
  checking: Checking,
  { at, name }: CallNode,
  definition: FunctionDefinition,
  given: readonly Given[],
): Checked {
  const wrongCount = countFault(definition, given.length);
  if (wrongCount !== '') return checking.fault(`${name}: ${wrongCount}`, at);
  const wrong = given.find(({ checked }, index) => {
    const expected: ValueType | undefined = definition.parameters[index] ?? definition.rest;
    return expected !== undefined && !accepts(expected, checked.type);
  });
  if (wrong !== undefined) {
    const index = given.indexOf(wrong);
    const expected = definition.parameters[index] ?? definition.rest;
    const names = `${expected === undefined ? '' : nameOfType(expected)}, not ${nameOfType(wrong.checked.type)}`;
    return checking.fault(`${name}: argument ${index + 1} must be of type ${names}`, wrong.at);
  }
  const prepared = definition.prepare?.(
    given.map(({ checked }) => literalOf(checked)),
    checking.patterns,
  ) ?? { prepared: null };
  if ('refused' in prepared) return checking.fault(`${name}: ${prepared.refused}`, at);
  if (definition.asks !== undefined) checking.asks.add(definition.asks);
  const { result } = definition;
  return {
    op: 'call',
    definition,
    arguments: given.map(({ checked }) => checked),
    prepared: prepared.prepared,
    type: typeof result === 'function' ? result(given.map(({ checked }) => checked.type)) : result,
  };
}

const argumentsOf = (checking: Checking, nodes: readonly Node[]): readonly Given[] =>
  nodes.map((node) => ({ checked: checking.value(node), at: node.at }));

function unknownFunction(checking: Checking, name: string, at: number): Checked {
  const reason = isKnownElsewhere(name) ? `${name} cannot be used here` : `Unknown function '${name}'`;
  return checking.fault(reason, at);
}

/** Reads the criteria of `user.isMemberOf({...})`, which must be literals, or returns a message. */
function criteriaOf(checking: Checking, nodes: readonly Node[]): readonly CriteriaArgument[] | string {
  const read: CriteriaArgument[] = [];
  for (const node of nodes) {
    const criteria = node.op === 'map' ? oneCriteria(checking, node) : 'each argument must be {"name": value}';
    if (typeof criteria === 'string') return criteria;
    read.push(criteria);
  }
  return read.length === 0 ? 'needs at least 1 argument' : read;
}

function oneCriteria(checking: Checking, { entries }: MapNode): CriteriaArgument | string {
  const criteria = new Map<string, Value>();
  for (const { key, value } of entries) {
    const literal = literalOf(checking.value(value));
    const isText = [literal].flat().every((one) => typeof one === 'string');
    if (!CRITERIA.has(key)) return `'${key}' must be one of ${[...CRITERIA].join(', ')}`;
    if (literal === undefined || !isText) return `'${key}' must be a literal text or a list of literal texts`;
    criteria.set(key, literal);
  }
  const operator = criteria.get('operator');
  if (operator !== undefined && operator !== 'EXACT' && operator !== 'STARTS_WITH') {
    return "'operator' must be EXACT or STARTS_WITH";
  }
  return criteria.size > 0 ? criteria : 'criteria must not be empty';
}

/**
 * Checks a method call on an object, such as `user.isMemberOf({...})`. Returns undefined if the target is not an
 * object.
 */
function objectCall(checking: Checking, node: CallNode, target: Node): Checked | undefined {
  const place = checking.place(target);
  if (place?.member.type.kind !== 'object') return undefined;
  const { at, name } = node;
  if (name === 'isMemberOf' && checking.symbols.groups) {
    const criteria = criteriaOf(checking, node.arguments);
    if (typeof criteria === 'string') return checking.fault(`isMemberOf: ${criteria}`, at);
    checking.asks.add('groups');
    return { op: 'call', definition: IS_MEMBER_OF, arguments: [], prepared: criteria, type: { kind: 'boolean' } };
  }
  const { internal } = place.member.type;
  if (name !== 'getInternalProperty' || internal === undefined) return unknownFunction(checking, name, at);
  const [asked, ...others] = node.arguments;
  const property = asked?.op === 'literal' && typeof asked.value === 'string' ? asked.value : '';
  const member = others.length === 0 ? internal.get(property) : undefined;
  return member === undefined
    ? checking.fault(`getInternalProperty: must name one of ${[...internal.keys()].join(', ')}`, at)
    : checking.attribute({ member, path: [...place.path, ...(member.at ?? [property])] }, at);
}

export function checkCall(checking: Checking, node: CallNode): Checked {
  const { at, name, target } = node;
  const { functions, methods, variables } = checking.symbols;
  if (target === null) {
    const definition = functions.get(name);
    return definition === undefined
      ? unknownFunction(checking, name, at)
      : applied(checking, node, definition, argumentsOf(checking, node.arguments));
  }
  if (target.op === 'name' && !variables.has(target.name)) {
    const whole = `${target.name}.${name}`;
    const definition = functions.get(whole);
    return definition === undefined
      ? unknownFunction(checking, whole, target.at)
      : applied(checking, { ...node, name: whole }, definition, argumentsOf(checking, node.arguments));
  }
  const called = objectCall(checking, node, target);
  if (called !== undefined) return called;
  const receiver = { checked: checking.value(target), at: target.at };
  const { type } = receiver.checked;
  const definition = methods.get(type.kind)?.get(name);
  if (definition !== undefined) {
    return applied(checking, node, definition, [receiver, ...argumentsOf(checking, node.arguments)]);
  }
  if (type.kind === 'any') return checking.fault(`The type of the value before ${name} is unknown`, at);
  return checking.fault(`A value of type ${nameOfType(type)} has no function '${name}'`, at);
}
