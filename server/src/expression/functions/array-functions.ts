import { sameValue, textForm } from '../language/operators.ts';
import {
  ANY,
  ARRAY,
  arrayOf,
  BOOLEAN,
  INTEGER,
  STRING,
  type Type,
  unified,
  type Value,
  type ValueType,
} from '../language/types.ts';
import { type CallContext, type FunctionDefinition, functionTable, listOf, numberOf } from './functions.ts';

const elementOf = (type: Type | undefined): ValueType => (type?.kind === 'array' ? type.element : ANY);
const valueTypeOf = (type: Type | undefined): ValueType => (type === undefined || type.kind === 'object' ? ANY : type);

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

function flattened(values: readonly Value[], context: CallContext): readonly Value[] {
  const flat: Value[] = [];
  // Pushing each inner list in reverse keeps the elements in order without recursion.
  const waiting = values.toReversed();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    context.meter.step();
    if (isList(next)) waiting.push(...next.toReversed());
    else flat.push(next);
  }
  context.meter.array(flat.length);
  return flat;
}

const add: FunctionDefinition = {
  parameters: [ARRAY, ANY],
  result: ([list, value]) => arrayOf(unified(elementOf(list), valueTypeOf(value))),
  call: ([list, value = null], { meter }) => {
    meter.array(listOf(list).length + 1);
    return [...listOf(list), value];
  },
};

const remove: FunctionDefinition = {
  parameters: [ARRAY, ANY],
  result: ([list]) => arrayOf(elementOf(list)),
  call: ([list, value = null], { meter }) => {
    const elements = listOf(list);
    meter.array(elements.length);
    const at = elements.findIndex((element) => sameValue(element, value));
    return at < 0 ? elements : elements.toSpliced(at, 1);
  },
};

const contains: FunctionDefinition = {
  parameters: [ARRAY, ANY],
  result: BOOLEAN,
  call: ([list, value = null], { meter }) => {
    meter.step(listOf(list).length);
    return listOf(list).some((element) => sameValue(element, value));
  },
};

const size: FunctionDefinition = { parameters: [ARRAY], result: INTEGER, call: ([list]) => listOf(list).length };
const isEmpty: FunctionDefinition = {
  parameters: [ARRAY],
  result: BOOLEAN,
  call: ([list]) => listOf(list).length === 0,
};

const get: FunctionDefinition = {
  parameters: [ARRAY, INTEGER],
  result: ([list]) => elementOf(list),
  call: ([list, position = null]) => (position === null ? null : (listOf(list)[numberOf(position)] ?? null)),
};

const flatten: FunctionDefinition = {
  parameters: [],
  rest: ANY,
  minimumRest: 1,
  result: ARRAY,
  call: flattened,
};

const toCsvString: FunctionDefinition = {
  parameters: [ARRAY],
  result: STRING,
  call: ([list], { meter }) => {
    const parts = listOf(list).map((element) => textForm(element) ?? '');
    meter.text(parts.reduce((sum, part) => sum + part.length + 1, 0));
    return parts.join(',');
  },
};

/** The documented `Arrays.*` functions. All except `flatten` treat an absent array as an empty one. */
export const ARRAY_FUNCTIONS = functionTable({
  'Arrays.add': add,
  'Arrays.clear': { parameters: [ARRAY], result: ARRAY, call: () => [] },
  'Arrays.contains': contains,
  'Arrays.flatten': flatten,
  'Arrays.get': get,
  'Arrays.isEmpty': isEmpty,
  'Arrays.remove': remove,
  'Arrays.size': size,
  'Arrays.toCsvString': toCsvString,
});

export const ARRAY_METHODS = functionTable({ add, contains, flatten, isEmpty, remove, size });
