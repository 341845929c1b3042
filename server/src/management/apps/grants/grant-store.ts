import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';

/** A scope that an administrator granted to a client. */
export interface ScopeGrant {
  readonly id: string;
  /** Neutral name. */
  readonly scope: string;
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly createdByType: string;
  readonly lastUpdatedAt: Date;
}

/** Columns in the spelling of ScopeGrant, so that a row needs no mapping. */
const COLUMNS = `id, scope, created_at as "createdAt", created_by as "createdBy", created_by_type as "createdByType",
  last_updated_at as "lastUpdatedAt"`;

/** Finds every grant of an app, at most one per scope. */
export function findGrants(db: Db, orgId: OrgId, appId: AppId): Promise<ScopeGrant[]> {
  const text = `select ${COLUMNS} from app_grants where org_id = $1 and app_id = $2 order by created_at, id`;
  return prepared<ScopeGrant>(db, 'app_grants', text, [orgId, appId]);
}

export async function insertGrant(tx: Tx, orgId: OrgId, appId: AppId, grant: ScopeGrant): Promise<void> {
  const text = `insert into app_grants
      (org_id, app_id, id, scope, created_at, created_by, created_by_type, last_updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8)`;
  const { id, scope, createdAt, createdBy, createdByType, lastUpdatedAt } = grant;
  const values = [orgId, appId, id, scope, createdAt, createdBy, createdByType, lastUpdatedAt];
  await prepared(tx, 'app_grant_insert', text, values);
}

export async function removeGrant(tx: Tx, orgId: OrgId, appId: AppId, id: string): Promise<void> {
  const text = 'delete from app_grants where org_id = $1 and app_id = $2 and id = $3';
  await prepared(tx, 'app_grant_delete', text, [orgId, appId, id]);
}
