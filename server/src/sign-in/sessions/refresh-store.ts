import type { OrgId } from '../../kernel/words/ids.ts';
import { assumed, prepared, type Tx } from '../../platform/postgres/index.ts';
import { expiry, SESSION, type Session, type SessionOwner, USER, type Watermarked } from './store.ts';

const LOCKED_USER = `locked as (
    select u.id, u.status, u.login, u.profile, u.valid_after from users u
    where u.org_id = $1 and u.id = (select k.user_id from sessions k where k.org_id = $1 and k.id_hash = $2)
    for share)`;
const EXTEND = `update sessions s set last_refreshed_at = greatest(s.last_refreshed_at, $3::timestamptz),
    expires_at = ${expiry(
      'greatest(s.last_refreshed_at, $3::timestamptz)',
      's.idle_minutes',
      's.created_at',
      's.lifetime_minutes',
    )}
  from locked u
  where s.org_id = $1 and s.id_hash = $2 and s.user_id = u.id and s.expires_at > $3`;

/**
 * Extends a session that has not expired at `now`. The caller must check `isCurrent` and the user's status. A clock
 * that is behind never shortens a session.
 */
export async function extendSession(
  tx: Tx,
  orgId: OrgId,
  idHash: Buffer,
  now: Date,
): Promise<(Session & Watermarked) | undefined> {
  const text = `with ${LOCKED_USER} ${EXTEND}
    returning ${SESSION}, ${USER}, s.issued_at > u.valid_after as "isCurrent"`;
  const [row] = await prepared<Session & Watermarked>(tx, 'session_extend', text, [orgId, idHash, now]);
  return row;
}

/**
 * Extends a session like `extendSession`. Fails if the session has ended or is void, or if its public ids or the data
 * of its user differ from `seen` (see `assuming`).
 */
export async function extendSeenSession(
  tx: Tx,
  orgId: OrgId,
  idHash: Buffer,
  now: Date,
  seen: SessionOwner,
): Promise<Session> {
  const text = `with ${LOCKED_USER},
    extended as (${EXTEND} and s.issued_at > u.valid_after and s.external_id = $4 and s.root_external_id = $5
        and u.id = $6 and u.status = $7 and u.login = $8 and u.profile ->> 'firstName' is not distinct from $9::text
        and u.profile ->> 'lastName' is not distinct from $10::text
      returning ${SESSION}, ${USER})
    select e.*, ${assumed('e."userId" is not null')} from (values (1)) as one (n) left join extended e on true`;
  const { externalId, firstName, lastName, login, rootExternalId, userId, userStatus } = seen;
  const values = [orgId, idHash, now, externalId, rootExternalId, userId, userStatus, login, firstName, lastName];
  const [row] = await prepared<Session>(tx, 'session_extend_seen', text, values);
  if (row === undefined) throw new Error('an extended session was not returned');
  return row;
}
