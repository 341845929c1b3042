import type { ClientId, OrgId } from '../../kernel/words/ids.ts';
import { CLOCK, type Db, prepared, type Tx } from '../../platform/postgres/index.ts';
import type { ConsentDecision } from './consent-rules.ts';

export interface ConsentParties {
  readonly userId: string;
  readonly clientId: ClientId;
  readonly serverId: string;
}

export function readConsents(
  db: Db,
  orgId: OrgId,
  { clientId, serverId, userId }: ConsentParties,
): Promise<ConsentDecision[]> {
  const text = `select c.scope_id as "scopeId", c.decision = 'GRANTED' as "isGranted" from live_consents c
    where c.org_id = $1 and c.user_id = $2 and c.client_id = $3 and c.server_id = $4`;
  return prepared<ConsentDecision>(db, 'consents', text, [orgId, userId, clientId, serverId]);
}

/** Requires locks on the user, client and server. */
export async function lockConsents(tx: Tx, orgId: OrgId, parties: ConsentParties): Promise<ConsentDecision[]> {
  const { clientId, serverId, userId } = parties;
  const lock = `select 1 as locked from user_consents
    where org_id = $1 and user_id = $2 and client_id = $3 and server_id = $4 order by id for share`;
  // These are two statements, so that the second one sees changes that were committed while the first one waited.
  const [, consents] = await Promise.all([
    prepared(tx, 'consents_write_lock', lock, [orgId, userId, clientId, serverId]),
    readConsents(tx, orgId, parties),
  ]);
  return consents;
}

export interface NewConsent extends ConsentDecision {
  readonly id: string;
}

/** Replaces earlier decisions about the same scopes. Requires locks on the user, client, server and scopes. */
export async function writeConsents(
  tx: Tx,
  orgId: OrgId,
  { clientId, serverId, userId }: ConsentParties,
  consents: readonly NewConsent[],
  now: Date,
): Promise<void> {
  const text = `insert into user_consents (org_id, id, user_id, client_id, server_id, scope_id, decision, source,
      created_by, created_at, last_updated_at, issued_at)
    select $1, d.id, $2, $3, $4, d."scopeId", case when d."isGranted" then 'GRANTED' else 'LEFT_OUT' end, 'END_USER',
      $2, $5, $5, clock_timestamp()
    from jsonb_to_recordset($6::jsonb) as d (id text, "scopeId" text, "isGranted" boolean)
    order by d."scopeId"
    on conflict (org_id, user_id, client_id, server_id, scope_id) do update
      set id = excluded.id, decision = excluded.decision, source = excluded.source, created_by = excluded.created_by,
        created_at = excluded.created_at, last_updated_at = excluded.last_updated_at, issued_at = excluded.issued_at,
        valid_after = case when user_consents.decision = 'GRANTED' and excluded.decision = 'LEFT_OUT'
          then excluded.issued_at else user_consents.valid_after end
      where user_consents.org_id = excluded.org_id`;
  // The time of the insert must be that after the wait for a transaction that issues tokens by these decisions.
  const lock = `select 1 as locked from user_consents
    where org_id = $1 and user_id = $2 and client_id = $3 and server_id = $4 order by scope_id for update`;
  await Promise.all([
    prepared(tx, 'consents_lock', lock, [orgId, userId, clientId, serverId]),
    prepared(tx, 'consents_write', text, [orgId, userId, clientId, serverId, now, JSON.stringify(consents)]),
  ]);
}

/** Marks grants as revoked, so that tokens issued earlier lose the scopes. The caller must have locked the grants. */
export async function markRevoked(tx: Tx, orgId: OrgId, ids: readonly string[], now: Date): Promise<void> {
  const text = `update user_consents set decision = 'REVOKED', valid_after = clock.now, last_updated_at = $3
    from ${CLOCK} where org_id = $1 and id = any($2::text[])`;
  await prepared(tx, 'consents_revoke', text, [orgId, ids, now]);
}
