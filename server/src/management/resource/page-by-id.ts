import type { Context } from '../../kernel/context.ts';
import { type KeysetPage, type KeysetRequest, keysetPage } from '../../platform/http/index.ts';
import type { Foundation } from '../../system-log/index.ts';

export type ListPorts = Pick<Foundation, 'db' | 'cursors'>;

export interface PageQuery {
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

/** The query as the client sent it. Page links are built from it. */
export type RawQuery = readonly (readonly [name: string, value: string])[];

/** Lists one page of rows, in order of id. `list` names the list in its cursors. */
export const pageById = <Row extends { readonly id: string }>(
  { cursors }: Pick<ListPorts, 'cursors'>,
  { orgId }: Context,
  list: string,
  { after, before, limit }: PageQuery,
  query: RawQuery,
  read: (request: KeysetRequest<string>) => Promise<readonly Row[]>,
): Promise<KeysetPage<Row>> =>
  keysetPage(cursors, { orgId, list, limit, after, before, query }, (row: Row) => row.id, read);
