import type { OrgId } from '../../kernel/words/ids.ts';
import { columns, type Db, prepared, type Tx } from '../../platform/postgres/index.ts';
import type { RsaPublicJwk } from './rotation/make-signing-key.ts';
import { type KeyTimes, ORG_SERVER } from './rotation/rotation-rules.ts';

export interface SigningKey extends KeyTimes {
  /** `ORG_SERVER` or the id of a custom server. */
  readonly serverId: string;
  /** The RFC 7638 thumbprint of the key. */
  readonly kid: string;
  readonly algorithm: string;
  readonly publicJwk: RsaPublicJwk;
}

export interface SealedSigningKey extends SigningKey {
  readonly sealedKey: Buffer;
}

const KEYS = columns<SigningKey, SealedSigningKey>('signing_keys', {
  serverId: 'key',
  kid: 'key',
  algorithm: 'fixed',
  publicJwk: 'fixed json',
  sealedKey: { is: 'fixed', reads: null },
  createdAt: 'fixed',
  activeFrom: 'fixed',
  expiresAt: 'fixed',
});
const COLUMNS = KEYS.select();
const INSERT = KEYS.insert();

export function findSigningKeys(db: Db, orgId: string, serverId: string = ORG_SERVER): Promise<SigningKey[]> {
  const text = `select ${COLUMNS} from signing_keys where org_id = $1 and server_id = $2 order by active_from desc`;
  return prepared<SigningKey>(db, 'signing_keys_of_server', text, [orgId, serverId]);
}

export function findSigningKeysOf(db: Db, orgId: string, serverIds: readonly string[]): Promise<SigningKey[]> {
  const text = `select ${COLUMNS} from signing_keys where org_id = $1 and server_id = any($2::text[])
    order by server_id, active_from desc`;
  return prepared<SigningKey>(db, 'signing_keys_of_servers', text, [orgId, serverIds]);
}

export async function findSealedKey(db: Db, orgId: OrgId, kid: string): Promise<Buffer | null> {
  const text = 'select sealed_key as "sealedKey" from signing_keys where org_id = $1 and kid = $2';
  const [row] = await prepared<{ sealedKey: Buffer }>(db, 'signing_key_sealed', text, [orgId, kid]);
  return row?.sealedKey ?? null;
}

/** Locks the keys and then reads them, because a single statement that had to wait would miss a new successor. */
export async function lockSigningKeys(tx: Tx, orgId: OrgId, serverId: string): Promise<SigningKey[]> {
  const text = 'select kid from signing_keys where org_id = $1 and server_id = $2 order by kid for update';
  await prepared(tx, 'signing_keys_lock', text, [orgId, serverId]);
  return findSigningKeys(tx, orgId, serverId);
}

/** Stores a key. Returns false if it is already stored, or if another key of the server has the same `activeFrom`. */
export async function insertSigningKey(tx: Tx, orgId: OrgId, key: SealedSigningKey): Promise<boolean> {
  const text = `${INSERT.text} on conflict do nothing returning kid`;
  return (await prepared(tx, 'signing_key_insert', text, INSERT.values(orgId, key))).length > 0;
}

export async function updateKeyTimes(
  tx: Tx,
  orgId: OrgId,
  { kid, activeFrom, expiresAt }: Pick<SigningKey, 'kid' | 'activeFrom' | 'expiresAt'>,
): Promise<void> {
  const text = 'update signing_keys set active_from = $3, expires_at = $4 where org_id = $1 and kid = $2';
  await prepared(tx, 'signing_key_times', text, [orgId, kid, activeFrom, expiresAt]);
}
