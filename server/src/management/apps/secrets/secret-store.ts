import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { columns, type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';
import type { OfApp } from '../store.ts';
import type { StoredSecret } from './secret-stored.ts';

const COLUMNS = columns<StoredSecret, StoredSecret & OfApp>('app_secrets', {
  appId: { is: 'key', reads: null },
  id: 'key',
  sealedSecret: 'fixed',
  secretHash: 'fixed',
  status: 'changes',
  createdAt: 'fixed',
  lastUpdatedAt: 'changes',
  revision: 'revision',
});
const INSERT = COLUMNS.insert();
const UPDATE = COLUMNS.update();

export function findSecrets(db: Db, orgId: OrgId, appId: AppId): Promise<StoredSecret[]> {
  const text = `select ${COLUMNS.select()} from app_secrets where org_id = $1 and app_id = $2
    order by created_at, id`;
  return prepared<StoredSecret>(db, 'app_secrets', text, [orgId, appId]);
}

export async function insertSecret(tx: Tx, orgId: OrgId, appId: AppId, secret: StoredSecret): Promise<void> {
  await prepared(tx, 'app_secret_insert', INSERT.text, INSERT.values(orgId, { ...secret, appId }));
}

export async function updateSecretStatus(tx: Tx, orgId: OrgId, appId: AppId, secret: StoredSecret): Promise<void> {
  await prepared(tx, 'app_secret_status', UPDATE.text, UPDATE.values(orgId, { ...secret, appId }));
}

export async function removeSecret(tx: Tx, orgId: OrgId, appId: AppId, id: string): Promise<void> {
  await prepared(tx, 'app_secret_delete', `delete from app_secrets where ${COLUMNS.isKey}`, [orgId, appId, id]);
}
