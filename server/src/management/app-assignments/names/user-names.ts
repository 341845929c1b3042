import {
  compileExpression,
  evaluateExpression,
  type Member,
  namedPaths,
  type Program,
  parseExpression,
  symbolsOf,
} from '../../../expression/index.ts';
import { placeholdersOf } from '../../../kernel/errors/placeholders.ts';
import { sizedCache } from '../../../platform/caches/index.ts';
import { MAXIMUM_USER_NAME_LENGTH } from './user-name-rules.ts';

/** The template by which an app makes the names of its users (contract section 17: credentials.userNameTemplate). */
export interface NameTemplate {
  readonly template?: string | null;
  /** The type `NONE` makes no names. */
  readonly type?: string | null;
  readonly userSuffix?: string | null;
}

type Profile = Readonly<Record<string, unknown>>;

type Part = string | Program;

/** A profile may have any attributes, because a template is not tied to one user type. */
const profile: Member = { type: { kind: 'object', member: () => ({ type: { kind: 'any' } }) } };
const symbols = symbolsOf(
  new Map([
    ['source', profile],
    ['user', profile],
  ]),
  [],
);

/** The cache's limit, in characters of template text. */
const MAXIMUM_KEPT_SIZE = 1_000_000;
/** An instruction of a compiled regular expression counts as this many characters. */
const INSTRUCTION_SIZE = 20;
const sizeOf = (parts: readonly Part[]): number =>
  parts.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : part.patternSize * INSTRUCTION_SIZE), 0);

const compiled = sizedCache<readonly Part[]>(MAXIMUM_KEPT_SIZE, sizeOf);

/**
 * In templates, string functions may have the prefix `fn:`, such as `fn:toLowerCase` for the function that expressions
 * call `String.toLowerCase`.
 */
const expressionOf = (text: string): string => text.replaceAll(/\bfn:(?=[a-z])/gi, 'String.');

function programOf(text: string): Program | null {
  const result = compileExpression(expressionOf(text), symbols);
  return result.ok ? result.program : null;
}

/** A template without `${...}` is one expression. */
function partsOf(template: string): readonly Part[] | null {
  if (!template.includes('${')) {
    const program = programOf(template);
    return program === null ? null : [program];
  }
  const parts: Part[] = [];
  let end = 0;
  for (const placeholder of placeholdersOf(template)) {
    const program = programOf(placeholder.text);
    if (program === null) return null;
    parts.push(template.slice(end, placeholder.start), program);
    end = placeholder.end;
  }
  return [...parts, template.slice(end)];
}

function compile(template: string): readonly Part[] | null {
  const parts = compiled.get(template) ?? partsOf(template);
  if (parts !== null) compiled.set(template, parts);
  return parts;
}

function textOf(part: Part, facts: Parameters<typeof evaluateExpression>[1]): string {
  if (typeof part === 'string') return part;
  const evaluated = evaluateExpression(part, facts);
  const value = 'value' in evaluated ? evaluated.value : null;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

export function nameByTemplate(template: NameTemplate | null, source: Profile): string | null {
  if (template === null || template.type === 'NONE') return null;
  const text = template.template ?? '';
  const parts = text === '' ? null : compile(text);
  if (parts === null) return null;
  const facts = { variables: { source, user: source } };
  const name = parts.map((part) => textOf(part, facts)).join('');
  return name === '' ? null : `${name}${template.userSuffix ?? ''}`.slice(0, MAXIMUM_USER_NAME_LENGTH);
}

export function attributesIn({ template, type }: NameTemplate): readonly string[] {
  const text = template ?? '';
  if (type === 'NONE' || text === '' || compile(text) === null) return [];
  const texts = text.includes('${') ? placeholdersOf(text).map((placeholder) => placeholder.text) : [text];
  const names = texts.flatMap((one) => {
    const parsed = parseExpression(expressionOf(one));
    return parsed.ok ? namedPaths(parsed.node).flatMap(({ path: [, name] }) => name ?? []) : [];
  });
  return [...new Set(names)];
}
