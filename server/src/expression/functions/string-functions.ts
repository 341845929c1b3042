import { nameKey } from '../../kernel/texts/text.ts';
import { BOOLEAN, INTEGER, STRING, type Value } from '../language/types.ts';
import {
  type CallContext,
  type FunctionDefinition,
  functionTable,
  numberOf,
  question,
  strict,
  textOf,
} from './functions.ts';

function made(text: string, { meter }: CallContext): string {
  meter.text(text.length);
  return text;
}

/**
 * Replaces the first occurrence of a string if `once` is true, otherwise all of them. Charges the meter first, because
 * the result can be many times longer than the input.
 */
function replaced(given: readonly Value[], context: CallContext, once: boolean): string {
  const [input, match, replacement] = [textOf(given[0]), textOf(given[1]), textOf(given[2])];
  context.meter.read(input.length);
  if (match === '') return made(input, context);
  const found = input.split(match).length - 1;
  const times = once ? Math.min(found, 1) : found;
  context.meter.text(input.length + times * (replacement.length - match.length));
  return once ? input.replace(match, () => replacement) : input.replaceAll(match, () => replacement);
}

function substring(given: readonly Value[], context: CallContext): string {
  const input = textOf(given[0]);
  const start = Math.max(0, numberOf(given[1]));
  const end = given.length > 2 ? numberOf(given[2]) : input.length;
  return made(end > start ? input.slice(start, end) : '', context);
}

function before(given: readonly Value[], context: CallContext): string {
  const [input, search] = [textOf(given[0]), textOf(given[1])];
  context.meter.read(input.length);
  const at = input.indexOf(search);
  return made(at < 0 ? input : input.slice(0, at), context);
}

function after(given: readonly Value[], context: CallContext): string {
  const [input, search] = [textOf(given[0]), textOf(given[1])];
  context.meter.read(input.length);
  const at = input.indexOf(search);
  return made(at < 0 ? '' : input.slice(at + search.length), context);
}

/** Returns the value of the first key, in the given order, that the input contains, or else the default. */
function stringSwitch(given: readonly Value[], context: CallContext): Value {
  const [input, otherwise = null, ...pairs] = given;
  if (typeof input !== 'string') return otherwise;
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    const key = pairs[index];
    context.meter.read(input.length);
    if (typeof key === 'string' && input.includes(key)) return pairs[index + 1] ?? null;
  }
  return otherwise;
}

function joined(separator: string, parts: readonly Value[], context: CallContext): string {
  const texts = parts.map(textOf);
  const length = texts.reduce((sum, text) => sum + text.length, separator.length * Math.max(0, texts.length - 1));
  context.meter.text(length);
  return texts.join(separator);
}

const evenPairs: NonNullable<FunctionDefinition['prepare']> = (given) =>
  given.length % 2 === 0 ? { prepared: null } : { refused: 'keys and values must come in pairs' };

const contains: FunctionDefinition = {
  parameters: [STRING, STRING],
  result: BOOLEAN,
  call: question(([input, search], { meter }) => {
    meter.read(textOf(input).length);
    return nameKey(textOf(input)).includes(nameKey(textOf(search)));
  }),
};
const len: FunctionDefinition = { parameters: [STRING], result: INTEGER, call: ([input]) => textOf(input).length };
const toUpperCase: FunctionDefinition = {
  parameters: [STRING],
  result: STRING,
  call: strict(([input], context) => made(textOf(input).toUpperCase(), context)),
};
const toLowerCase: FunctionDefinition = {
  parameters: [STRING],
  result: STRING,
  call: strict(([input], context) => made(textOf(input).toLowerCase(), context)),
};
const removeSpaces: FunctionDefinition = {
  parameters: [STRING],
  result: STRING,
  call: strict(([input], context) => made(textOf(input).replaceAll(/\s/g, ''), context)),
};
const replace: FunctionDefinition = {
  parameters: [STRING, STRING, STRING],
  result: STRING,
  call: strict((given, context) => replaced(given, context, false)),
};
const replaceFirst: FunctionDefinition = {
  ...replace,
  call: strict((given, context) => replaced(given, context, true)),
};
const substringOf: FunctionDefinition = {
  parameters: [STRING, INTEGER, INTEGER],
  optional: 1,
  result: STRING,
  call: strict(substring),
};
const substringBefore: FunctionDefinition = { parameters: [STRING, STRING], result: STRING, call: strict(before) };
const substringAfter: FunctionDefinition = { parameters: [STRING, STRING], result: STRING, call: strict(after) };

/** The documented `String.*` functions. `append`, `join` and `len` treat absent strings as empty. */
export const STRING_FUNCTIONS = functionTable({
  'String.append': {
    parameters: [STRING, STRING],
    result: STRING,
    call: (given, context) => joined('', given, context),
  },
  'String.join': {
    parameters: [STRING],
    rest: STRING,
    result: STRING,
    call: ([separator, ...parts], context) => joined(textOf(separator), parts, context),
  },
  'String.len': len,
  'String.removeSpaces': removeSpaces,
  'String.replace': replace,
  'String.replaceFirst': replaceFirst,
  'String.startsWith': {
    parameters: [STRING, STRING],
    result: BOOLEAN,
    call: question(([input, search]) => nameKey(textOf(input)).startsWith(nameKey(textOf(search)))),
  },
  'String.stringContains': contains,
  'String.stringSwitch': {
    parameters: [STRING, STRING],
    rest: STRING,
    minimumRest: 2,
    result: STRING,
    prepare: evenPairs,
    call: stringSwitch,
  },
  'String.substring': substringOf,
  'String.substringAfter': substringAfter,
  'String.substringBefore': substringBefore,
  'String.toLowerCase': toLowerCase,
  'String.toUpperCase': toUpperCase,
  // The documentation still lists these older names.
  removeSpaces,
  substring: substringOf,
  substringAfter,
  substringBefore,
  toLowerCase,
  toUpperCase,
});

export const STRING_METHODS = functionTable({
  contains,
  endsWith: {
    parameters: [STRING, STRING],
    result: BOOLEAN,
    call: question(([input, search]) => nameKey(textOf(input)).endsWith(nameKey(textOf(search)))),
  },
  length: len,
  removeSpaces,
  replace,
  replaceFirst,
  startsWith: {
    parameters: [STRING, STRING],
    result: BOOLEAN,
    call: question(([input, search]) => nameKey(textOf(input)).startsWith(nameKey(textOf(search)))),
  },
  substring: substringOf,
  substringAfter,
  substringBefore,
  toLowerCase,
  toUpperCase,
});
