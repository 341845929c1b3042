export type JsonRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The namespace word in the contract, and the word that the tested server uses instead. */
export interface Words {
  readonly from: string;
  readonly to: string;
}

const capitalise = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

function otherWord(value: unknown, { from, to }: Words): unknown {
  if (typeof value !== 'string') return value;
  return value
    .replaceAll(from, to)
    .replaceAll(from.toUpperCase(), to.toUpperCase())
    .replaceAll(capitalise(from), capitalise(to));
}

/** Keys that do not matter for validation, or that JSON Schema does not define as OpenAPI 3.0 does. */
const DROPPED = new Set([
  'nullable',
  'discriminator',
  'example',
  'examples',
  'description',
  'title',
  'default',
  'xml',
  'externalDocs',
  'deprecated',
  'readOnly',
  'writeOnly',
  'format',
  '$id',
]);

/** Members that have more types in recorded responses than in the published schemas. */
const RECORDED_TYPES: Readonly<Record<string, readonly [published: string, recorded: readonly string[]]>> = {
  // The uniqueness of an attribute may also be the string UNIQUE_VALIDATED.
  unique: ['boolean', ['boolean', 'string']],
  // The choices of an attribute may also be numbers.
  const: ['string', ['string', 'number']],
};

function withRecordedTypes(name: string, schema: unknown): unknown {
  const known = Object.hasOwn(RECORDED_TYPES, name) ? RECORDED_TYPES[name] : undefined;
  return known !== undefined && isRecord(schema) && schema['type'] === known[0]
    ? { ...schema, type: known[1] }
    : schema;
}

const reference = (target: string): string => `contract${target}`;

/** Builds one condition for each value of the discriminator: an object with this value must match its branch. */
function branches(discriminator: JsonRecord): JsonRecord[] {
  const { propertyName, mapping } = discriminator;
  if (typeof propertyName !== 'string' || !isRecord(mapping)) return [];
  return Object.entries(mapping).map(([value, target]) => {
    const isMeant = { properties: { [propertyName]: { const: value } }, required: [propertyName] };
    return { anyOf: [{ not: isMeant }, { $ref: reference(String(target)) }] };
  });
}

function convertObject(schema: JsonRecord, words: Words): JsonRecord {
  const converted: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (DROPPED.has(key) || key.startsWith('x-')) continue;
    if (key === '$ref' && typeof value === 'string') converted[key] = reference(value);
    else if (key === 'enum' && Array.isArray(value)) converted[key] = value.map((item) => otherWord(item, words));
    // A pattern with `(?:$)` is broken: its look-ahead lost the `!` when the contract was published.
    else if (key === 'pattern' && String(value).includes('(?:$)')) continue;
    else if (key === 'pattern') converted[key] = otherWord(value, words);
    else if (key === 'properties' && isRecord(value)) converted[key] = convertEach(value, words);
    else converted[key] = toJsonSchema(value, words);
  }
  return converted;
}

const convertEach = (properties: JsonRecord, words: Words): JsonRecord =>
  Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, toJsonSchema(withRecordedTypes(name, value), words)]),
  );

function withUnion(converted: JsonRecord, discriminator: unknown): JsonRecord {
  const union = converted['oneOf'] ?? converted['anyOf'];
  if (!Array.isArray(union)) return converted;
  const { oneOf: _oneOf, anyOf: _anyOf, ...rest } = converted;
  const chosen = isRecord(discriminator) ? branches(discriminator) : [];
  // Branches of the contract overlap, so `oneOf` would refuse objects that the contract itself describes.
  return chosen.length > 0 ? { ...rest, allOf: chosen } : { ...rest, anyOf: union };
}

function withNull(schema: JsonRecord): JsonRecord {
  return { anyOf: [schema, { type: 'null' }] };
}

/**
 * Converts an OpenAPI 3.0 schema, or an object that contains such schemas, to JSON Schema. References point into the
 * schema named `contract`.
 */
export function toJsonSchema<Value>(value: Value, words: Words): Value extends JsonRecord ? JsonRecord : unknown;
export function toJsonSchema(value: unknown, words: Words): unknown {
  if (Array.isArray(value)) return value.map((item) => toJsonSchema(item, words));
  if (!isRecord(value)) return value;
  const converted = withUnion(convertObject(value, words), value['discriminator']);
  return value['nullable'] === true ? withNull(converted) : converted;
}
