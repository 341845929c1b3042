import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { columns, type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';
import type { OfApp } from '../store.ts';
import type { SealedSigningKey, SigningKey } from './signing-key.ts';

const COLUMNS = columns<SigningKey, SealedSigningKey & OfApp>('app_signing_keys', {
  appId: { is: 'key', reads: null },
  kid: 'key',
  jwk: 'fixed json',
  sealedKey: { is: 'fixed', reads: null },
  expiresAt: 'fixed',
  createdAt: 'fixed',
  lastUpdatedAt: 'fixed',
});
const SELECT = COLUMNS.select();
const INSERT = COLUMNS.insert();

export function findSigningKeys(db: Db, orgId: OrgId, appId: AppId): Promise<SigningKey[]> {
  const text = `select ${SELECT} from app_signing_keys
    where org_id = $1 and app_id = $2 order by created_at, kid`;
  return prepared<SigningKey>(db, 'app_signing_keys', text, [orgId, appId]);
}

export async function findSigningKey(
  db: Db,
  orgId: OrgId,
  appId: AppId,
  kid: string,
): Promise<SealedSigningKey | undefined> {
  const text = `select ${SELECT}, sealed_key as "sealedKey" from app_signing_keys where ${COLUMNS.isKey}`;
  const [row] = await prepared<SealedSigningKey>(db, 'app_signing_key', text, [orgId, appId, kid]);
  return row;
}

export async function insertSigningKey(tx: Tx, orgId: OrgId, appId: AppId, key: SealedSigningKey): Promise<void> {
  await prepared(tx, 'app_signing_key_insert', INSERT.text, INSERT.values(orgId, { ...key, appId }));
}
