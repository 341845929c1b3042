import { allRoutes } from '../../server/src/app/declared-routes.ts';

export interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

export const plain = (schema: object): JsonSchema => JSON.parse(JSON.stringify(schema)) as JsonSchema;

const innerOf = ({ anyOf = [], items, patternProperties = {} }: JsonSchema): readonly JsonSchema[] => [
  ...anyOf,
  ...Object.values(patternProperties),
  ...(items === undefined ? [] : [items]),
];

const membersOf = (schema: JsonSchema): [string, JsonSchema][] => [
  ...Object.entries(schema.properties ?? {}),
  ...innerOf(schema).flatMap(membersOf),
];

/** Returns the places of all values that a schema accepts, such as `visibility.hide.web`. */
export function placesOf(schema: JsonSchema, place = ''): string[] {
  const members = membersOf(schema);
  if (members.length === 0) return [place];
  return members.flatMap(([name, member]) => placesOf(member, place === '' ? name : `${place}.${name}`));
}

/** Returns the places of all values that the request bodies of these operations can contain. */
export const bodiesOf = (...operationIds: readonly string[]): string[] => [
  ...new Set(
    operationIds.flatMap((operationId) => {
      const body = allRoutes.find((route) => route.operationId === operationId)?.body;
      if (body === undefined) throw new Error(`${operationId} is no operation with a body`);
      return placesOf(plain(body));
    }),
  ),
];

/** Returns the places of all values in a document. An array is one value. */
export function storedIn(document: unknown, place = ''): string[] {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return [place];
  return Object.entries(document).flatMap(([name, member]) =>
    storedIn(member, place === '' ? name : `${place}.${name}`),
  );
}
