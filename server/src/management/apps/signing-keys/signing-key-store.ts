import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';
import type { SealedSigningKey, SigningKey } from './signing-key.ts';

/** Columns in the spelling of SigningKey, so that a row needs no mapping. */
const COLUMNS = `kid, jwk, expires_at as "expiresAt", created_at as "createdAt", last_updated_at as "lastUpdatedAt"`;

/** Finds every key that signs for an app, oldest first. */
export function findSigningKeys(db: Db, orgId: OrgId, appId: AppId): Promise<SigningKey[]> {
  const text = `select ${COLUMNS} from app_signing_keys where org_id = $1 and app_id = $2 order by created_at, kid`;
  return prepared<SigningKey>(db, 'app_signing_keys', text, [orgId, appId]);
}

export async function findSigningKey(
  db: Db,
  orgId: OrgId,
  appId: AppId,
  kid: string,
): Promise<SealedSigningKey | undefined> {
  const text = `select ${COLUMNS}, sealed_key as "sealedKey" from app_signing_keys
    where org_id = $1 and app_id = $2 and kid = $3`;
  const [row] = await prepared<SealedSigningKey>(db, 'app_signing_key', text, [orgId, appId, kid]);
  return row;
}

export async function insertSigningKey(tx: Tx, orgId: OrgId, appId: AppId, key: SealedSigningKey): Promise<void> {
  const text = `insert into app_signing_keys
      (org_id, app_id, kid, jwk, sealed_key, expires_at, created_at, last_updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8)`;
  const { kid, jwk, sealedKey, expiresAt, createdAt, lastUpdatedAt } = key;
  const values = [orgId, appId, kid, JSON.stringify(jwk), sealedKey, expiresAt, createdAt, lastUpdatedAt];
  await prepared(tx, 'app_signing_key_insert', text, values);
}
