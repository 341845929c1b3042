import { type RawBuilder, sql } from 'kysely';
import { type CheckedExpression, columnLeaves, toSql } from '../../filter/index.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import { columns, type Db, prepared } from '../../platform/postgres/index.ts';
import { resourceStore } from '../resource/index.ts';
import type { TrustedOriginStatus } from './lifecycle.ts';
import type { ScopeType, TrustedOriginScope } from './rules.ts';

export interface TrustedOrigin {
  readonly id: string;
  readonly name: string;
  readonly origin: string;
  readonly scopes: readonly TrustedOriginScope[];
  readonly status: TrustedOriginStatus;
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly lastUpdatedAt: Date;
  readonly lastUpdatedBy: string;
  readonly revision: number;
}

const COLUMNS = columns<TrustedOrigin>('trusted_origins', {
  id: 'key',
  name: 'changes',
  origin: 'changes',
  scopes: 'json',
  status: 'changes',
  createdAt: 'fixed',
  createdBy: 'fixed',
  lastUpdatedAt: 'changes',
  lastUpdatedBy: 'changes',
  revision: 'revision',
});

export const TRUSTED_ORIGINS = resourceStore('trusted_origin', COLUMNS);

/** `origin` must be written as browsers send it. */
export async function isTrustedOrigin(
  db: Db,
  orgId: OrgId,
  origin: string,
  scopes: readonly ScopeType[],
): Promise<boolean> {
  const text = `select 1 from trusted_origins where org_id = $1 and origin = $2 and status = 'ACTIVE'
    and exists (select from jsonb_array_elements(scopes) scope where scope ->> 'type' = any($3::text[]))`;
  return (await prepared(db, 'trusted_origin_holds', text, [orgId, origin, scopes])).length > 0;
}

export interface TrustedOriginQuery {
  /** The beginning of the name or origin. */
  readonly q: string | null;
  readonly filter: CheckedExpression | null;
}

const filterLeaf = columnLeaves(
  new Map([
    ['name', { value: sql.ref('name') }],
    ['origin', { value: sql.ref('origin') }],
    ['status', { value: sql.ref('status') }],
    ['type', { value: sql`array(select scope ->> 'type' from jsonb_array_elements(scopes) scope)` }],
  ]),
);

export function readTrustedOrigins(
  db: Db,
  orgId: OrgId,
  { filter, q }: TrustedOriginQuery,
  request: KeysetRequest<string>,
): Promise<TrustedOrigin[]> {
  const conditions: RawBuilder<unknown>[] = [];
  if (q !== null) conditions.push(sql`(starts_with(name, ${q}) or starts_with(origin, ${q}))`);
  if (filter !== null) conditions.push(toSql(filter, filterLeaf));
  return TRUSTED_ORIGINS.readPage(db, orgId, conditions, request);
}
