import { type Problems, readWord } from '../reading.ts';
import type { ArrayItems, Choice, Choices } from './attribute.ts';
import { type AttributeType, hasMember, hasType, ITEM_TYPES } from './attribute-types.ts';
import type { AttributeDefinition } from './wire-attribute.ts';

const MAXIMUM_CHOICES = 1_000;
const MAXIMUM_TITLE_LENGTH = 255;

const isMembers = (value: unknown): value is AttributeDefinition =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isChoice = (value: unknown, type: AttributeType): value is string | number =>
  hasType(value, type) && value !== '';

function readEnum(problems: Problems, value: unknown, type: AttributeType, place: string): Choices['enum'] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAXIMUM_CHOICES) {
    problems.push(`${place}enum must be a list of 1 to ${MAXIMUM_CHOICES} values.`);
    return undefined;
  }
  const values: unknown[] = value;
  if (!values.every((choice) => isChoice(choice, type))) {
    problems.push(`${place}enum must have values of the type ${type}.`);
    return undefined;
  }
  if (new Set(values).size < values.length) problems.push(`${place}enum names a value twice.`);
  return values;
}

function readOneOf(problems: Problems, value: unknown, choices: Choices['enum'], place: string): Choices['oneOf'] {
  if (choices === undefined) {
    problems.push(`${place}oneOf needs an enum.`);
    return undefined;
  }
  const named = Array.isArray(value) && value.length === choices.length ? (value as unknown[]) : [];
  const read = named.flatMap((choice): Choice[] => {
    if (!isMembers(choice) || typeof choice['title'] !== 'string') return [];
    const { const: stands, title } = choice;
    const isTitle = title.trim() !== '' && Array.from(title).length <= MAXIMUM_TITLE_LENGTH;
    return isTitle && (typeof stands === 'string' || typeof stands === 'number') ? [{ const: stands, title }] : [];
  });
  if (read.length === choices.length && read.every((choice, index) => choice.const === choices[index])) return read;
  problems.push(`${place}oneOf must name the values of enum, each with a title, in the same order.`);
  return undefined;
}

export function readChoices(problems: Problems, given: AttributeDefinition, type: AttributeType, place = ''): Choices {
  const { enum: values, oneOf } = given;
  if (values === undefined && oneOf === undefined) return {};
  if (!hasMember(type, 'enum')) {
    problems.push(`enum is not possible with the type ${type}.`);
    return {};
  }
  const choices = values === undefined ? undefined : readEnum(problems, values, type, place);
  if (values !== undefined && choices === undefined) return {};
  const named = oneOf === undefined ? undefined : readOneOf(problems, oneOf, choices, place);
  return {
    ...(choices === undefined ? {} : { enum: choices }),
    ...(named === undefined ? {} : { oneOf: named }),
  };
}

export function readItems(problems: Problems, value: unknown, type: AttributeType): { readonly items?: ArrayItems } {
  if (!hasMember(type, 'items')) {
    if (value !== undefined) problems.push(`items is not possible with the type ${type}.`);
    return {};
  }
  if (!isMembers(value)) {
    problems.push('items must say of which type the elements are.');
    return {};
  }
  const members = Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
  for (const name of Object.keys(members)) {
    if (!['type', 'enum', 'oneOf'].includes(name)) problems.push(`items.${name} is not known of an attribute.`);
  }
  const itemType = readWord(problems, 'items.type', members['type'], ITEM_TYPES, 'string');
  return { items: { type: itemType, ...readChoices(problems, members, itemType, 'items.') } };
}
