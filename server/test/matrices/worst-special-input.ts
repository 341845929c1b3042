import type { RequestOptions } from '../support/client.ts';

export interface SpecialInput {
  readonly label: string;
  /** The maximum number of bytes of the input. By default, it follows from the limit of the route's body. */
  readonly most?: number;
  readonly make: (bytes: number, ids: Readonly<Record<string, string>>) => RequestOptions;
  /** The path of the request. By default, it is the route's path with its ids. */
  readonly path?: (ids: Readonly<Record<string, string>>) => string;
}

export const times = (text: string, bytes: number): string => text.repeat(Math.max(1, Math.floor(bytes / text.length)));
export const items = <Item>(bytes: number, size: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: Math.max(1, Math.floor(bytes / size)) }, (_, index) => item(index));
export const body = (value: unknown): RequestOptions => ({ body: value });
export const byName = (
  texts: Readonly<Record<string, (bytes: number) => string>>,
  make: (text: string, ids: Readonly<Record<string, string>>) => RequestOptions,
  most?: number,
): SpecialInput[] =>
  Object.entries(texts).map(([label, text]) => ({
    label,
    ...(most === undefined ? {} : { most }),
    make: (bytes, ids) => make(text(bytes), ids),
  }));
