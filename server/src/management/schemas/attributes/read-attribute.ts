import { mustBeOfType } from '../../../kernel/errors/problems.ts';
import { problemOfText } from '../../../kernel/texts/text.ts';
import { problemOfLine } from '../../../kernel/texts/written-text.ts';
import { problemsOfValue } from '../profiles/check-profile.ts';
import { type Problems, readWord } from '../reading.ts';
import { ATTRIBUTE_FORMATS, type AttributeValue, MUTABILITIES, type ProfileAttribute, SCOPES } from './attribute.ts';
import { ATTRIBUTE_TYPES, type AttributeType, hasMember } from './attribute-types.ts';
import { problemOfPattern } from './patterns.ts';
import { readChoices, readItems } from './read-choices.ts';
import { readMaster, readPermission } from './read-permission.ts';
import { type AttributeDefinition, type SchemaKind, wireAttribute } from './wire-attribute.ts';

export interface ReadingOptions {
  readonly kind: SchemaKind;
  readonly upperWord: string;
  readonly needsExternalName?: boolean;
}

const MAXIMUM_TEXT_LENGTH = 255;
const MAXIMUM_DESCRIPTION_LENGTH = 1_024;
const MAXIMUM_LENGTH = 65_536;

export const ATTRIBUTE_MEMBERS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'type',
  'required',
  'unique',
  'externalName',
  'externalNamespace',
  'format',
  'mutability',
  'scope',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'pattern',
  'enum',
  'oneOf',
  'items',
  'default',
  'permissions',
  'master',
  'union',
]);

function readText(problems: Problems, name: string, value: unknown, maximum: number): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && problemOfText(value, maximum) === null) return value;
  problems.push(`${name} must be a text of at most ${maximum} characters.`);
  return undefined;
}

function readTitle(problems: Problems, value: unknown): string {
  const title = readText(problems, 'title', value, MAXIMUM_TEXT_LENGTH);
  if (value === undefined || title?.trim() === '') problems.push('title cannot be left blank.');
  return title ?? '';
}

function readFlag(problems: Problems, name: string, value: unknown): boolean {
  if (value !== undefined && typeof value !== 'boolean') problems.push(`${name} ${mustBeOfType('true or false')}`);
  return value === true;
}

/** Clients send `unique` as a boolean, or as a word such as UNIQUE_VALIDATED, which responses contain. */
function readUnique(problems: Problems, value: unknown, type: AttributeType, { kind }: ReadingOptions): boolean {
  if (value === undefined || value === false || value === 'NOT_UNIQUE') return false;
  if (value !== true && value !== 'UNIQUE_VALIDATED') problems.push('unique must be true, false or UNIQUE_VALIDATED.');
  else if (kind !== 'USER') problems.push('unique is possible with attributes of users alone.');
  else if (!hasMember(type, 'unique')) problems.push(`unique is not possible with the type ${type}.`);
  return true;
}

function readUnion(problems: Problems, value: unknown, { kind }: ReadingOptions): boolean {
  const isUnion = readWord(problems, 'union', value, ['ENABLE', 'DISABLE'], 'DISABLE') === 'ENABLE';
  if (isUnion && kind !== 'APP_USER') problems.push('union is possible with attributes of app users alone.');
  return isUnion;
}

function belongsTo(problems: Problems, name: string, value: unknown, type: AttributeType): boolean {
  if (value === undefined) return false;
  const isPossible = hasMember(type, name);
  if (!isPossible) problems.push(`${name} is not possible with the type ${type}.`);
  return isPossible;
}

type Limits = Pick<ProfileAttribute, 'minLength' | 'maxLength' | 'minimum' | 'maximum'>;

function readLimits(problems: Problems, given: AttributeDefinition, type: AttributeType): Limits {
  const limits: Record<string, number> = {};
  for (const [low, high, isLength] of [
    ['minLength', 'maxLength', true],
    ['minimum', 'maximum', false],
  ] as const) {
    for (const name of [low, high]) {
      const value = given[name];
      if (!belongsTo(problems, name, value, type)) continue;
      const isLimit = isLength
        ? Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAXIMUM_LENGTH
        : Number.isFinite(value);
      if (isLimit) limits[name] = Number(value);
      else problems.push(isLength ? `${name} must be between 0 and ${MAXIMUM_LENGTH}.` : `${name} must be a number.`);
    }
    const { [low]: least, [high]: most } = limits;
    if (least !== undefined && most !== undefined && least > most) problems.push(`${low} is greater than ${high}.`);
  }
  return limits;
}

function readPattern(problems: Problems, value: unknown, type: AttributeType): Pick<ProfileAttribute, 'pattern'> {
  if (!belongsTo(problems, 'pattern', value, type)) return {};
  if (typeof value !== 'string' || value === '') {
    problems.push('pattern must be a text.');
    return {};
  }
  const problem = problemOfPattern(value);
  if (problem === null) return { pattern: value };
  problems.push(`pattern ${problem}`);
  return {};
}

function readFormat(problems: Problems, value: unknown, type: AttributeType): Pick<ProfileAttribute, 'format'> {
  if (!belongsTo(problems, 'format', value, type)) return {};
  return { format: readWord(problems, 'format', value, ATTRIBUTE_FORMATS, 'uri') };
}

const textMember = <Name extends string>(name: Name, value: string | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { readonly [Key in Name]?: string };

function readDefault(problems: Problems, value: unknown, definition: ProfileAttribute): ProfileAttribute {
  if (value === undefined || problems.length > 0) return definition;
  if (definition.unique === true) problems.push('default is not possible with unique.');
  const faults = problemsOfValue('default', value, { ...definition, attributeId: 0 });
  problems.push(...faults.map((fault) => `default: ${fault}`));
  return { ...definition, default: value as AttributeValue };
}

function readWhole(
  given: AttributeDefinition,
  options: ReadingOptions,
): { readonly definition: ProfileAttribute; readonly problems: Problems } {
  const problems: Problems = [];
  for (const name of Object.keys(given)) {
    if (!ATTRIBUTE_MEMBERS.has(name)) problems.push(`${name} is not known of an attribute.`);
  }
  if (given['type'] === undefined) problems.push('type is required.');
  const type = readWord(problems, 'type', given['type'], ATTRIBUTE_TYPES, 'string');
  const text = (name: string, maximum: number) => readText(problems, name, given[name], maximum);
  const master = readMaster(problems, given['master'], options.upperWord);
  const definition: ProfileAttribute = {
    title: readTitle(problems, given['title']),
    ...textMember('description', text('description', MAXIMUM_DESCRIPTION_LENGTH)),
    type,
    required: readFlag(problems, 'required', given['required']),
    ...(readUnique(problems, given['unique'], type, options) ? { unique: true } : {}),
    ...textMember('externalName', text('externalName', MAXIMUM_TEXT_LENGTH)),
    ...textMember('externalNamespace', text('externalNamespace', MAXIMUM_TEXT_LENGTH)),
    ...readFormat(problems, given['format'], type),
    mutability: readWord(problems, 'mutability', given['mutability'], MUTABILITIES, 'READ_WRITE'),
    scope: readWord(problems, 'scope', given['scope'], SCOPES, 'NONE'),
    ...readLimits(problems, given, type),
    ...readPattern(problems, given['pattern'], type),
    ...readChoices(problems, given, type),
    ...readItems(problems, given['items'], type),
    permissions: [{ principal: 'SELF', action: readPermission(problems, given['permissions'], 'READ_ONLY') }],
    ...(master === null ? {} : { master }),
    ...(readUnion(problems, given['union'], options) ? { union: true } : {}),
  };
  return { definition: readDefault(problems, given['default'], definition), problems };
}

/**
 * Reads a new attribute or a change of `current`, and returns the problems that it finds. In a change, null removes a
 * member, and absent members stay.
 */
export function readAttribute(
  given: AttributeDefinition,
  current: ProfileAttribute | null,
  options: ReadingOptions,
): { readonly definition: ProfileAttribute; readonly problems: readonly string[] } {
  const printed = current === null ? {} : storedMembers(current, options);
  const merged = Object.entries({ ...printed, ...given }).filter(([, value]) => value !== null);
  const { definition, problems } = readWhole(Object.fromEntries(merged), options);
  const { title } = definition;
  const ofTitle = title === current?.title ? null : problemOfLine(title, MAXIMUM_TEXT_LENGTH);
  if (ofTitle !== null && problems.length === 0) problems.push(`title: ${ofTitle}`);
  if (options.needsExternalName === true && (definition.externalName ?? '') === '') {
    problems.push('externalName is required with attributes of identity providers.');
  }
  if (current !== null && problems.length === 0 && current.type !== definition.type) {
    problems.push('type cannot be changed: remove the attribute and add it anew.');
  }
  if (current !== null && problems.length === 0 && current.items?.type !== definition.items?.type) {
    problems.push('items.type cannot be changed: remove the attribute and add it anew.');
  }
  return { definition, problems };
}

/** Includes the members that schemas of app users omit, so that a change keeps them. */
const storedMembers = (current: ProfileAttribute, { upperWord }: ReadingOptions): AttributeDefinition =>
  wireAttribute(current, 'USER', upperWord);
