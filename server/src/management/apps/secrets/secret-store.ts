import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';
import type { StoredSecret } from './secret-stored.ts';

/** Columns in the spelling of StoredSecret, so that a row needs no mapping. */
const COLUMNS = `id, sealed_secret as "sealedSecret", secret_hash as "secretHash", status, created_at as "createdAt",
  last_updated_at as "lastUpdatedAt", revision`;

/** Finds every secret of an app, oldest first. */
export function findSecrets(db: Db, orgId: OrgId, appId: AppId): Promise<StoredSecret[]> {
  const text = `select ${COLUMNS} from app_secrets where org_id = $1 and app_id = $2 order by created_at, id`;
  return prepared<StoredSecret>(db, 'app_secrets', text, [orgId, appId]);
}

export async function insertSecret(tx: Tx, orgId: OrgId, appId: AppId, secret: StoredSecret): Promise<void> {
  const text = `insert into app_secrets
      (org_id, app_id, id, sealed_secret, secret_hash, status, created_at, last_updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8)`;
  const { id, sealedSecret, secretHash, status, createdAt, lastUpdatedAt } = secret;
  const values = [orgId, appId, id, sealedSecret, secretHash, status, createdAt, lastUpdatedAt];
  await prepared(tx, 'app_secret_insert', text, values);
}

export async function updateSecretStatus(tx: Tx, orgId: OrgId, appId: AppId, secret: StoredSecret): Promise<void> {
  const text = `update app_secrets set status = $4, last_updated_at = $5, revision = revision + 1
    where org_id = $1 and app_id = $2 and id = $3`;
  await prepared(tx, 'app_secret_status', text, [orgId, appId, secret.id, secret.status, secret.lastUpdatedAt]);
}

export async function removeSecret(tx: Tx, orgId: OrgId, appId: AppId, id: string): Promise<void> {
  const text = 'delete from app_secrets where org_id = $1 and app_id = $2 and id = $3';
  await prepared(tx, 'app_secret_delete', text, [orgId, appId, id]);
}
