import { readFilter } from '../../filter/index.ts';
import type { Context } from '../../kernel/context.ts';
import type { KeysetPage } from '../../platform/http/index.ts';
import { type ListPorts, type PageQuery, pageById, type RawQuery } from '../resource/index.ts';
import { TRUSTED_ORIGIN_FIELDS } from './filter-fields.ts';
import { readTrustedOrigins, type TrustedOrigin } from './store.ts';

export interface ListTrustedOriginsQuery extends PageQuery {
  readonly q: string | undefined;
  readonly filter: string | undefined;
}

export async function listTrustedOrigins(
  ports: ListPorts,
  context: Context,
  query: ListTrustedOriginsQuery,
  rawQuery: RawQuery,
): Promise<KeysetPage<TrustedOrigin>> {
  const wanted = {
    q: query.q ?? null,
    filter: query.filter === undefined ? null : readFilter(query.filter, TRUSTED_ORIGIN_FIELDS),
  };
  return pageById(ports, context, 'listTrustedOrigins', query, rawQuery, (request) =>
    readTrustedOrigins(ports.db, context.orgId, wanted, request),
  );
}
