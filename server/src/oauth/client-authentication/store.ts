import type { ClientId, OrgId } from '../../kernel/words/ids.ts';
import {
  assumed,
  prepared,
  rowsFrom,
  sendAhead,
  type Tx,
  textArray,
  timestampArray,
} from '../../platform/postgres/index.ts';

/** A record of a used credential, which is stored only as a hash. */
export interface UsedAssertion {
  readonly hash: Buffer;
  readonly expiresAt: Date;
}

export type Use = UsedAssertion & { readonly clientId: ClientId };

const INSERT = `insert into used_assertions (org_id, client_id, jti_hash, expires_at) values ($1, $2, $3, $4)
  on conflict (org_id, client_id, jti_hash) do nothing returning 1 as inserted`;
const valuesOf = (orgId: OrgId, { clientId, expiresAt, hash }: Use) => [orgId, clientId, hash, expiresAt];

/**
 * Records the use, after any concurrent use has been committed or rolled back. Returns false if the credential was used
 * before, in any process.
 */
export const insertUsedAssertion = async (tx: Tx, orgId: OrgId, used: Use): Promise<boolean> =>
  (await prepared(tx, 'used_assertion_insert', INSERT, valuesOf(orgId, used))).length > 0;

/**
 * Records a use without awaiting the result. The unit of work fails if the credential was used before (see `assuming`).
 */
export function assumeUnusedAssertion(tx: Tx, orgId: OrgId, used: Use): void {
  const text = `with inserted as (${INSERT}) select ${assumed('exists (select from inserted)')}`;
  sendAhead(tx, { name: 'used_assertion_assume', text, values: valuesOf(orgId, used) });
}

/**
 * Locks the client and records the use of the credential. Returns false for a replay, or if the client does not exist.
 */
export async function lockClientAndUse(
  tx: Tx,
  orgId: OrgId,
  clientId: ClientId,
  { expiresAt, hash }: UsedAssertion,
): Promise<boolean> {
  const text = `with client as materialized (select client_id from apps where org_id = $1 and client_id = $2 for share)
    insert into used_assertions (org_id, client_id, jti_hash, expires_at)
    select $1, client.client_id, $3::bytea, $4::timestamptz from client
    on conflict (org_id, client_id, jti_hash) do nothing returning 1 as inserted`;
  return (await prepared(tx, 'client_lock_and_use', text, [orgId, clientId, hash, expiresAt])).length > 0;
}

export interface LockedUse {
  readonly clientId: ClientId;
  /** The hashes of the credentials of the client whose use was recorded. */
  readonly used: readonly Buffer[];
}

/**
 * Locks clients like `lockClientAndUse` and records uses of their credentials. Leaves out clients that other
 * transactions have locked, instead of waiting. It waits only for the end of another use of the same credential.
 */
export function lockFreeClientsAndUse(tx: Tx, orgId: OrgId, uses: readonly Use[]): Promise<LockedUse[]> {
  // The order prevents deadlocks. The planner must not see the length of the arrays (see `rowsFrom`).
  const text = `with clients as materialized (
      select client_id from apps where org_id = $1 and client_id = any((select $2::text[])::text[])
      for share skip locked),
    used as (
      insert into used_assertions (org_id, client_id, jti_hash, expires_at)
      select $1, c.client_id, u.jti_hash, u.expires_at
      from ${rowsFrom(['$2::text[]', '$3::bytea[]', '$4::timestamptz[]'], 'u (client_id, jti_hash, expires_at)')}
      join clients c on c.client_id = u.client_id order by u.jti_hash, c.client_id
      on conflict (org_id, client_id, jti_hash) do nothing returning client_id, jti_hash)
    select c.client_id as "clientId", array(select u.jti_hash from used u where u.client_id = c.client_id) as used
    from clients c`;
  const values = [
    orgId,
    textArray(uses.map(({ clientId }) => clientId)),
    uses.map(({ hash }) => hash),
    timestampArray(uses.map(({ expiresAt }) => expiresAt)),
  ];
  return prepared<LockedUse>(tx, 'clients_lock_free_and_use', text, values);
}
