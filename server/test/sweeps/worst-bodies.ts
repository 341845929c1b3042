import { isRecord, type JsonRecord } from '../support/contract-schema.ts';

// Each of the worst bodies contains one expensive value: a long list or map, deeply nested objects, or a long string.

/** Strings of this size are long enough to reveal quadratic work. */
const MOST_TEXT_BYTES = 65_536;

/** Functions that make a string of about the given size. Each string targets a different weakness. */
export const TEXTS: Readonly<Record<string, (bytes: number) => string>> = {
  // Unicode normalization has to sort these marks, which can take n² steps.
  marks: (bytes) => `a${'\u0315'.repeat(bytes / 4)}${'\u0316'.repeat(bytes / 4)}`,
  // Long runs of blanks and many separators can make a regular expression take n² steps.
  parts: (bytes) => `a${'b.c@d/e:f,g-h_i='.repeat(bytes / 32)}${' '.repeat(bytes / 2 - 20)}!`,
};

const BOTH = 'marks and parts';

/** Combines both strings, so that half as many requests are needed. */
const both = (bytes: number): string =>
  Object.values(TEXTS)
    .map((text) => text(bytes / 2))
    .join('');

type Path = readonly (string | number)[];
export interface SchemaNode {
  readonly path: Path;
  readonly schema: JsonRecord;
}

export interface WorstBody {
  readonly label: string;
  /** The largest size in bytes that is worth sending. */
  readonly most?: number;
  readonly make: (bytes: number) => unknown;
}

const branchesOf = (schema: JsonRecord): readonly JsonRecord[] =>
  [schema['anyOf'], schema['oneOf'], schema['allOf']].flatMap((some) =>
    Array.isArray(some) ? some.filter(isRecord) : [],
  );

function childrenOf({ path, schema }: SchemaNode): SchemaNode[] {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const members = Object.entries(properties).map(([name, value]) => [name, value] as const);
  const items = isRecord(schema['items']) ? [[0, schema['items']] as const] : [];
  return [...members, ...items].flatMap(([key, value]) =>
    isRecord(value) ? [{ path: [...path, key], schema: value }] : [],
  );
}

const MAXIMUM_DEPTH = 14;

export function nodesBelow(node: SchemaNode): SchemaNode[] {
  if (node.path.length > MAXIMUM_DEPTH) return [];
  const branches = branchesOf(node.schema);
  if (branches.length > 0) return branches.flatMap((schema) => nodesBelow({ path: node.path, schema }));
  return [node, ...childrenOf(node).flatMap(nodesBelow)];
}

export function smallest(schema: JsonRecord): unknown {
  const [branch] = branchesOf(schema);
  if (branch !== undefined) return smallest(branch);
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0] as unknown;
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  switch (schema['type']) {
    case 'object':
      return Object.fromEntries(
        required.map((name) => [name, isRecord(properties[name]) ? smallest(properties[name]) : 'a']),
      );
    case 'array':
      return [];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return schema['minimum'] ?? 1;
    default:
      return 'a';
  }
}

/**
 * Returns `base` with the value at the path. Missing objects on the path get small values for their required members.
 */
export function withValue(base: unknown, schema: JsonRecord, path: Path, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const branches = branchesOf(schema);
  const has = (one: JsonRecord): boolean =>
    branchesOf(one).some(has) ||
    (typeof key === 'number' ? isRecord(one['items']) : isRecord(one['properties']) && key in one['properties']);
  const chosen = branches.find(has) ?? schema;
  if (chosen !== schema) return withValue(base, chosen, path, value);
  if (typeof key === 'number') {
    const items = isRecord(schema['items']) ? schema['items'] : {};
    const [first] = Array.isArray(base) ? (base as unknown[]) : [];
    return [withValue(first, items, rest, value)];
  }
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const member = isRecord(properties[key]) ? properties[key] : {};
  const whole = isRecord(base) ? base : smallest(schema);
  const members = isRecord(whole) ? whole : {};
  return { ...members, [key]: withValue(members[key], member, rest, value) };
}

const ITEM_BYTES = 12;
const many = (bytes: number, item: (index: number) => unknown, size = ITEM_BYTES): unknown[] =>
  Array.from({ length: Math.ceil(bytes / size) }, (_, index) => item(index));
const numbered = (index: number): string => `i${String(index).padStart(7, '0')}`;
const wide = (bytes: number): unknown =>
  Object.fromEntries(many(bytes, (index) => [numbered(index), index], 2 * ITEM_BYTES) as [string, unknown][]);

/** Builds 50 nested objects. The innermost one contains a list of about the given size. */
function deep(bytes: number): unknown {
  let value: unknown = many(bytes, (index) => [index]);
  for (let depth = 0; depth < 50; depth += 1) value = { a: value };
  return value;
}

function itemsOf(schema: JsonRecord, bytes: number): unknown[] {
  const items = isRecord(schema['items']) ? schema['items'] : {};
  const item = smallest(items);
  const size = JSON.stringify(item).length + 1;
  const isName = typeof item === 'string' && !Array.isArray(items['enum']);
  const all = isName ? many(bytes, numbered) : many(bytes, () => item, size);
  return typeof schema['maxItems'] === 'number' ? all.slice(0, schema['maxItems']) : all;
}

function worstOf(schema: JsonRecord): Readonly<Record<string, (bytes: number) => unknown>> {
  if (Array.isArray(schema['enum']) || 'const' in schema) return {};
  // A string that is too long is refused before anything processes it.
  if (schema['type'] === 'string') return typeof schema['maxLength'] === 'number' ? {} : { [BOTH]: both };
  if (schema['type'] === 'array') return { 'many items': (bytes) => itemsOf(schema, bytes) };
  const isMap = schema['type'] === 'object' && !isRecord(schema['properties']);
  if (isMap || schema['type'] === undefined) return { 'many members': wide, depth: deep };
  return {};
}

export function worstBodies(schema: JsonRecord, base: unknown): WorstBody[] {
  return nodesBelow({ path: [], schema }).flatMap(({ path, schema: at }) =>
    Object.entries(worstOf(at)).map(([name, make]) => ({
      label: `${path.join('.') || 'body'}: ${name}`,
      ...(name === BOTH ? { most: MOST_TEXT_BYTES } : {}),
      make: (bytes: number) => withValue(base, schema, path, make(bytes)),
    })),
  );
}
