import type { AnyRoute } from '../../platform/http/index.ts';
import { APP_SCHEMAS } from './texts/app-schemas.ts';
import { DIRECTORY_SCHEMAS } from './texts/directory-schemas.ts';
import type { NamedSchema, NamedSchemas, SchemaPlace } from './texts/named-schema.ts';
import { ORG_SCHEMAS } from './texts/org-schemas.ts';
import { SIGN_IN_SCHEMAS } from './texts/sign-in-schemas.ts';

export type Json = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const NAMED_SCHEMAS: NamedSchemas = {
  ...DIRECTORY_SCHEMAS,
  ...APP_SCHEMAS,
  ...ORG_SCHEMAS,
  ...SIGN_IN_SCHEMAS,
};

/** Returns the schema itself or, if it is a plain list (an array without a description), the schema of its items. */
export function itemOf(schema: unknown): unknown {
  if (!isRecord(schema) || schema['type'] !== 'array' || schema['description'] !== undefined) return schema;
  return itemOf(schema['items']);
}

/**
 * Returns the schema at a place or, if it is a plain list, the schema of its items. Returns undefined if there is none.
 */
export function schemaAt(routes: readonly AnyRoute[], place: SchemaPlace): unknown {
  const [side, operationId] = place.split(' ', 2);
  const route = routes.find((one) => one.operationId === operationId);
  return itemOf(side === 'body' ? route?.body : (route?.response.schema ?? undefined));
}

export interface Components {
  /** Returns the schema as it appears in the document, with references in place of named schemas. */
  readonly hoist: (schema: unknown) => unknown;
  readonly schemas: ReadonlyMap<string, Json>;
}

/** TypeBox writes a map as a pattern that every key matches; client generators need `additionalProperties`. */
const EVERY_KEY = '^(.*)$';

function withoutEveryKey(schema: Json): Json {
  const { patternProperties, ...rest } = schema;
  if (!isRecord(patternProperties) || !(EVERY_KEY in patternProperties)) return schema;
  return { ...rest, additionalProperties: patternProperties[EVERY_KEY] };
}

/** An empty schema among the choices accepts anything, so `anyOf` is left out. */
function withoutEmptyChoice(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  const isEmpty = (one: unknown): boolean => isRecord(one) && Object.keys(one).length === 0;
  return Array.isArray(anyOf) && anyOf.some(isEmpty) ? rest : schema;
}

/** Collects the schemas of `named` and those with an `$id`. Identical schemas elsewhere become references to these. */
export function componentsOf(routes: readonly AnyRoute[], named: NamedSchemas = NAMED_SCHEMAS): Components {
  const nameOf = new Map<string, readonly [name: string, text: NamedSchema]>();
  for (const [name, text] of Object.entries(named)) {
    const schema = schemaAt(routes, text.place);
    if (schema !== undefined) nameOf.set(JSON.stringify(schema), [name, text]);
  }
  const schemas = new Map<string, Json>();
  const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

  const plain = (schema: Json): Json =>
    Object.fromEntries(
      Object.entries(withoutEmptyChoice(withoutEveryKey(schema))).map(([key, item]) => {
        const isName = key === '$ref' && typeof item === 'string' && !item.startsWith('#');
        return [key, isName ? `#/components/schemas/${item}` : hoist(item)];
      }),
    );

  function hoist(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(hoist);
    if (!isRecord(value)) return value;
    const { $id, ...withoutId } = value;
    // A property can itself be called `$id`. The value is then a schema, not a string.
    const rest = typeof $id === 'string' ? withoutId : value;
    const [name, text] = nameOf.get(JSON.stringify(value)) ?? [typeof $id === 'string' ? $id : undefined, undefined];
    if (name === undefined) return plain(rest);
    if (!schemas.has(name)) {
      const { description = rest['description'], example } = text ?? {};
      const examples = example === undefined ? {} : { examples: [example] };
      schemas.set(name, { ...plain(rest), ...(description === undefined ? {} : { description }), ...examples });
    }
    return reference(name);
  }

  return { hoist, schemas };
}
