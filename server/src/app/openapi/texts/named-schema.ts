/** The place where a schema is declared: the body or the answer of an operation. For a list, it means the items. */
export type SchemaPlace = `${'answer' | 'body'} ${string}`;

/** A named schema of the document, wherever it occurs. */
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
