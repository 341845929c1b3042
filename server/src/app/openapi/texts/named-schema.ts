/**
 * The place of a schema: `body` for a request or `answer` for a response, and an operation id. If the schema there is a
 * plain list, the place stands for the schema of its items.
 */
export type SchemaPlace = `${'answer' | 'body'} ${string}`;

export interface NamedSchema {
  readonly place: SchemaPlace;
  readonly description: string;
  readonly example?: unknown;
}

export type NamedSchemas = Readonly<Record<string, NamedSchema>>;

export const answer = (operationId: string, description: string, example?: unknown): NamedSchema => ({
  place: `answer ${operationId}`,
  description,
  ...(example === undefined ? {} : { example }),
});

export const body = (operationId: string, description: string, example?: unknown): NamedSchema => ({
  place: `body ${operationId}`,
  description,
  ...(example === undefined ? {} : { example }),
});
