import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { columns, type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';
import type { OfApp } from '../store.ts';

export interface ScopeGrant {
  readonly id: string;
  /** The scope without the namespace word. */
  readonly scope: string;
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly createdByType: string;
  readonly lastUpdatedAt: Date;
}

const COLUMNS = columns<ScopeGrant, ScopeGrant & OfApp>('app_grants', {
  appId: { is: 'key', reads: null },
  id: 'key',
  scope: 'fixed',
  createdAt: 'fixed',
  createdBy: 'fixed',
  createdByType: 'fixed',
  lastUpdatedAt: 'fixed',
});
const INSERT = COLUMNS.insert();

export function findGrants(db: Db, orgId: OrgId, appId: AppId): Promise<ScopeGrant[]> {
  const text = `select ${COLUMNS.select()} from app_grants
    where org_id = $1 and app_id = $2 order by created_at, id`;
  return prepared<ScopeGrant>(db, 'app_grants', text, [orgId, appId]);
}

export async function insertGrant(tx: Tx, orgId: OrgId, appId: AppId, grant: ScopeGrant): Promise<void> {
  await prepared(tx, 'app_grant_insert', INSERT.text, INSERT.values(orgId, { ...grant, appId }));
}

export async function removeGrant(tx: Tx, orgId: OrgId, appId: AppId, id: string): Promise<void> {
  await prepared(tx, 'app_grant_delete', `delete from app_grants where ${COLUMNS.isKey}`, [orgId, appId, id]);
}
