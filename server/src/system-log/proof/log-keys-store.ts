import type { OrgId } from '../../kernel/words/ids.ts';
import { type Db, prepared } from '../../platform/postgres/index.ts';

/** The public half of a key that signed a statement about the log, as a JWK (RFC 7517). */
export interface LogKey {
  readonly kid: string;
  readonly publicJwk: Readonly<Record<string, unknown>>;
  readonly firstSignedAt: Date;
}

/** Stores the public half of a signing key, because statements outlive signing keys by years. */
export async function noteLogKey(db: Db, orgId: OrgId, key: LogKey): Promise<void> {
  const text = `insert into log_keys (org_id, kid, public_jwk, first_signed_at) values ($1, $2, $3::jsonb, $4)
    on conflict (org_id, kid) do nothing`;
  await prepared(db, 'log_key_note', text, [orgId, key.kid, JSON.stringify(key.publicJwk), key.firstSignedAt]);
}

export function findLogKeys(db: Db, orgId: OrgId): Promise<LogKey[]> {
  const text = `select kid, public_jwk as "publicJwk", first_signed_at as "firstSignedAt" from log_keys
    where org_id = $1 order by first_signed_at, kid`;
  return prepared<LogKey>(db, 'log_keys_of_org', text, [orgId]);
}
