import type { OrgId } from '../../kernel/words/ids.ts';
import {
  assumed,
  prepared,
  rowsFrom,
  type Statement,
  sendChange,
  type Tx,
  timestampArray,
} from '../../platform/postgres/index.ts';
import { expiry, SESSION, type Session, type SessionOwner, USER, type Watermarked } from './store.ts';

const refreshedAt = (now: string): string => `greatest(s.last_refreshed_at, ${now})`;
const newExpiry = (now: string): string =>
  expiry(refreshedAt(now), 's.idle_minutes', 's.created_at', 's.lifetime_minutes');
/** Sets the times of a session `s` that is refreshed. A clock that is behind never shortens a session. */
const extension = (now: string): string => `last_refreshed_at = ${refreshedAt(now)}, expires_at = ${newExpiry(now)}`;

const NOW = '$3::timestamptz';
const EXTEND = `update sessions s set ${extension(NOW)} from locked u
  where s.org_id = $1 and s.id_hash = $2 and s.user_id = u.id and s.expires_at > $3`;
const LOCKED = 'u.id, u.status, u.login, u.profile, u.valid_after';

/** Extends a session that has not expired at `now`. The caller must check `isCurrent` and the user's status. */
export async function extendSession(
  tx: Tx,
  orgId: OrgId,
  idHash: Buffer,
  now: Date,
): Promise<(Session & Watermarked) | undefined> {
  const text = `with locked as (
      select ${LOCKED} from users u
      where u.org_id = $1 and u.id = (select k.user_id from sessions k where k.org_id = $1 and k.id_hash = $2)
      for share)
    ${EXTEND} returning ${SESSION}, ${USER}, s.issued_at > u.valid_after as "isCurrent"`;
  const [row] = await prepared<Session & Watermarked>(tx, 'session_extend', text, [orgId, idHash, now]);
  return row;
}

/**
 * Extends a session like `extendSession`, but does not wait for locks. Fails if the session or its user is locked, if
 * the session has ended or is void, or if its public ids or the data of its user differ from `seen` (see `assumed`).
 */
export async function extendSeenSession(
  tx: Tx,
  orgId: OrgId,
  idHash: Buffer,
  now: Date,
  seen: SessionOwner,
): Promise<Session> {
  const text = `with locked as (
      select ${LOCKED} from sessions k join users u on u.org_id = $1 and u.id = k.user_id
      where k.org_id = $1 and k.id_hash = $2
      for share of u skip locked for no key update of k skip locked),
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

/** A session that is to be refreshed at `now`. */
export interface RefreshTime {
  readonly idHash: Buffer;
  readonly now: Date;
}

export interface LockedSession extends Session, Watermarked {
  readonly idHash: Buffer;
  readonly isUnexpired: boolean;
  /** The expiry after the refresh. */
  readonly extendedUntil: Date;
}

const TIMES = rowsFrom(['$2::bytea[]', '$3::timestamptz[]'], 'r (id_hash, refreshed_at)');

const valuesOf = (orgId: OrgId, times: readonly RefreshTime[]): unknown[] => [
  orgId,
  times.map(({ idHash }) => idHash),
  timestampArray(times.map(({ now }) => now)),
];

/**
 * Locks sessions and their users. Leaves out sessions that other transactions have locked, or whose users they have
 * locked, instead of waiting.
 */
export function lockFreeSessions(tx: Tx, orgId: OrgId, times: readonly RefreshTime[]): Promise<LockedSession[]> {
  const text = `select ${SESSION}, ${USER}, s.id_hash as "idHash", s.issued_at > u.valid_after as "isCurrent",
      s.expires_at > r.refreshed_at as "isUnexpired", ${newExpiry('r.refreshed_at')} as "extendedUntil"
    from ${TIMES}
    join sessions s on s.org_id = $1 and s.id_hash = r.id_hash
    join users u on u.org_id = $1 and u.id = s.user_id
    for share of u skip locked for no key update of s skip locked`;
  return prepared<LockedSession>(tx, 'sessions_lock_free', text, valuesOf(orgId, times));
}

const extensionOf = (orgId: OrgId, times: readonly RefreshTime[]): Statement => ({
  name: 'sessions_extend',
  text: `update sessions s set ${extension('r.refreshed_at')} from ${TIMES}
    where s.org_id = $1 and s.id_hash = r.id_hash`,
  values: valuesOf(orgId, times),
});

/** Extends a session that `lockFreeSessions` has locked. If this fails, the unit of work fails (see `sendChange`). */
export const extendLockedSession = (tx: Tx, orgId: OrgId, time: RefreshTime): void =>
  sendChange(tx, 'sessions_extend', time, (times) => extensionOf(orgId, times));
