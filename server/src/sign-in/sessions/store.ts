import { hasGainedRights, heldRoles, type RolesSince, rolesSince } from '../../access/index.ts';
import type { UserStatus } from '../../kernel/user-statuses.ts';
import type { HeldRole } from '../../kernel/words/held-role.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { CLOCK, type Db, prepared, run, sendAhead, type Tx } from '../../platform/postgres/index.ts';

export interface SessionToBe {
  readonly externalSessionId: string;
  readonly idleMinutes: number;
  readonly lifetimeMinutes: number;
  readonly usePersistentCookie: boolean;
  readonly amr: readonly string[];
  readonly idp: { readonly id: string; readonly type: string };
  /** The time of the password check, as API responses and ID tokens show it. */
  readonly passwordVerifiedAt: string;
  /** The time of the password check, by the database's clock. It is absent unless an earlier request made the check. */
  readonly authenticatedAt?: string;
  /** The time at which a second factor was verified. It is absent if there was none. */
  readonly factorVerifiedAt?: string;
}

export function insertSessionToken(
  tx: Tx,
  orgId: OrgId,
  token: { hash: Buffer; userId: string; expiresAt: Date; session: SessionToBe },
): void {
  const text = `insert into session_tokens (org_id, token_hash, user_id, expires_at, session, held_roles)
    select $1, $2, $3, $4, $5, ${heldRoles('$3')}`;
  const { expiresAt, hash, session, userId } = token;
  const values = [orgId, hash, userId, expiresAt, JSON.stringify(session)];
  sendAhead(tx, { name: 'session_token_insert', text, values });
}

export interface SessionUser {
  readonly userId: string;
  readonly userStatus: UserStatus;
  readonly login: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
}

export const USER = `u.status as "userStatus", u.login, u.profile ->> 'firstName' as "firstName",
  u.profile ->> 'lastName' as "lastName"`;

/** The database compares `issued_at` and `valid_after` in microseconds, because a Date would round them. */
export interface Watermarked {
  /** Whether the session or token was issued after the last change that voids earlier credentials. */
  readonly isCurrent: boolean;
}

export interface TakenToken extends SessionUser, Watermarked {
  /** The time at which the user authenticated, by the database's clock. It is text, because a Date would round it. */
  readonly authenticatedAt: string;
  readonly expiresAt: Date;
  readonly session: SessionToBe;
}

/**
 * Consumes a token. First locks the user, to wait for a change that voids credentials. The second of two concurrent
 * callers finds no token. `isCurrent` is also false if the user has gained rights since the token was issued.
 */
export async function takeSessionToken(tx: Tx, orgId: OrgId, hash: Buffer): Promise<TakenToken | undefined> {
  const text = `with locked as (
      select u.id, u.status, u.login, u.profile, u.valid_after from users u
      where u.org_id = $1
        and u.id = (select k.user_id from session_tokens k where k.org_id = $1 and k.token_hash = $2)
      for share),
    taken as (
      delete from session_tokens t using locked u
      where t.org_id = $1 and t.token_hash = $2 and t.user_id = u.id
      returning t.user_id, t.expires_at, t.session, t.issued_at, t.held_roles)
    select t.user_id as "userId", t.expires_at as "expiresAt", t.session, t.issued_at > u.valid_after as "isCurrent",
      coalesce(t.session ->> 'authenticatedAt', t.issued_at::text) as "authenticatedAt", ${USER},
      ${rolesSince('t')}
    from taken t join locked u on u.id = t.user_id`;
  const [row] = await prepared<TakenToken & RolesSince>(tx, 'session_token_take', text, [orgId, hash]);
  if (row === undefined) return undefined;
  const { rolesBefore, rolesNow, ...token } = row;
  return { ...token, isCurrent: token.isCurrent && !hasGainedRights({ rolesBefore, rolesNow }) };
}

export interface Session extends SessionUser {
  /** The session's public id (`trs...`), which events and logout tokens contain. */
  readonly externalId: string;
  readonly rootExternalId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly lastPasswordVerifiedAt: Date | null;
  readonly lastFactorVerifiedAt: Date | null;
  readonly amr: readonly string[];
  readonly idpId: string;
  readonly idpType: string;
}

export const SESSION = `s.user_id as "userId", s.external_id as "externalId", s.root_external_id as "rootExternalId",
  s.created_at as "createdAt", s.expires_at as "expiresAt", s.last_password_verified_at as "lastPasswordVerifiedAt",
  s.last_factor_verified_at as "lastFactorVerifiedAt", s.amr, s.idp_id as "idpId", s.idp_type as "idpType"`;

const USER_OF_VIEW = `s.user_status as "userStatus", s.login, s.user_profile ->> 'firstName' as "firstName",
  s.user_profile ->> 'lastName' as "lastName"`;

/** PostgreSQL adds to a time with a time zone by the zone of the session. Citus refuses that in an update. */
const later = (instant: string, minutes: string): string =>
  `((${instant} at time zone 'UTC') + make_interval(mins => ${minutes})) at time zone 'UTC'`;

/** Returns the SQL for the end of a session that was opened or last refreshed at `from`. */
export const expiry = (from: string, idleMinutes: string, createdAt: string, lifetimeMinutes: string): string =>
  `least(${later(from, idleMinutes)}, case when ${lifetimeMinutes} = 0 then 'infinity'
    else ${later(createdAt, lifetimeMinutes)} end)`;

export interface NewSession {
  readonly idHash: Buffer;
  readonly userId: string;
  readonly session: SessionToBe;
  readonly authenticatedAt: string;
  readonly clientAddress: string | null;
  readonly userAgent: string | null;
}

export type SessionNames = Pick<Session, 'externalId' | 'rootExternalId' | 'expiresAt'>;

const NAMES = `external_id as "externalId", root_external_id as "rootExternalId", expires_at as "expiresAt"`;

const valuesOf = ({ authenticatedAt, clientAddress, idHash, session, userAgent }: NewSession, now: Date) => [
  idHash,
  now,
  new Date(session.passwordVerifiedAt),
  session.idleMinutes,
  session.lifetimeMinutes,
  session.amr,
  session.idp.id,
  session.idp.type,
  clientAddress,
  userAgent,
  authenticatedAt,
  session.factorVerifiedAt === undefined ? null : new Date(session.factorVerifiedAt),
];

const EXPIRY_OF_NEW = expiry('$3::timestamptz', '$5::integer', '$3::timestamptz', '$6::integer');

/**
 * Stores a session. The caller must have locked the user's row. The database's clock sets `issued_at`, which is thus
 * clearly before or after any change that voids credentials.
 */
export async function insertSession(tx: Tx, orgId: OrgId, given: NewSession, now: Date): Promise<SessionNames> {
  const text = `insert into sessions (org_id, id_hash, created_at, last_refreshed_at, last_password_verified_at,
      idle_minutes, lifetime_minutes, expires_at, amr, idp_id, idp_type, client_address, user_agent, authenticated_at,
      last_factor_verified_at, user_id, external_id, root_external_id)
    values ($1, $2, $3, $3, $4, $5::integer, $6::integer, ${EXPIRY_OF_NEW}, $7, $8, $9, $10, $11,
      $12::text::timestamptz, $13, $14, $15, $15)
    returning ${NAMES}`;
  const values = [orgId, ...valuesOf(given, now), given.userId, given.session.externalSessionId];
  const [row] = await prepared<SessionNames>(tx, 'session_insert', text, values);
  if (row === undefined) throw new Error('an inserted session was not returned');
  return row;
}

/** Locks a session, valid or not. The caller checks `isCurrent` and the expiry. */
export async function lockSession(tx: Tx, orgId: OrgId, idHash: Buffer): Promise<(Session & Watermarked) | undefined> {
  const text = `select ${SESSION}, ${USER}, s.issued_at > u.valid_after as "isCurrent"
    from sessions s join users u on u.org_id = $1 and u.id = s.user_id
    where s.org_id = $1 and s.id_hash = $2 for update of s`;
  const [row] = await prepared<Session & Watermarked>(tx, 'session_lock', text, [orgId, idHash]);
  return row;
}

/** Replaces everything in a locked session except its user and its public ids. */
export async function continueSession(
  tx: Tx,
  orgId: OrgId,
  before: Buffer,
  given: NewSession,
  now: Date,
): Promise<SessionNames> {
  const text = `update sessions set id_hash = $2, created_at = $3, last_refreshed_at = $3,
      last_password_verified_at = $4, idle_minutes = $5::integer, lifetime_minutes = $6::integer,
      expires_at = ${EXPIRY_OF_NEW}, amr = $7, idp_id = $8, idp_type = $9, client_address = $10, user_agent = $11,
      authenticated_at = $12::text::timestamptz, last_factor_verified_at = $13, issued_at = clock.now
    from ${CLOCK} where org_id = $1 and id_hash = $14
    returning ${NAMES}`;
  const values = [orgId, ...valuesOf(given, now), before];
  const [row] = await prepared<SessionNames>(tx, 'session_continue', text, values);
  if (row === undefined) throw new Error('a locked session was not there');
  return row;
}

export async function findLiveSession(db: Db, orgId: OrgId, idHash: Buffer, now: Date): Promise<Session | undefined> {
  const text = `select ${SESSION}, ${USER_OF_VIEW} from live_sessions s
    where s.org_id = $1 and s.id_hash = $2 and s.expires_at > $3`;
  const [row] = await prepared<Session>(db, 'session_live', text, [orgId, idHash, now]);
  return row;
}

export interface SessionOwner extends SessionUser {
  readonly externalId: string;
  readonly rootExternalId: string;
  readonly expiresAt: Date;
  readonly roles: readonly HeldRole[];
}

/** Finds the owner of a session, even of an expired one. */
export async function findSessionOwner(db: Db, orgId: string, idHash: Buffer): Promise<SessionOwner | null> {
  const text = `select ${SESSION}, ${USER_OF_VIEW},
      ${heldRoles('s.user_id')} as roles
    from live_sessions s where s.org_id = $1 and s.id_hash = $2`;
  const [row] = await prepared<SessionOwner>(db, 'session_owner', text, [orgId, idHash]);
  return row ?? null;
}

/** Deletes a session, valid or not. The caller checks `isCurrent`, the expiry and the user's status. */
export async function removeSession(
  tx: Tx,
  orgId: OrgId,
  idHash: Buffer,
): Promise<(Session & Watermarked) | undefined> {
  const text = `delete from sessions s using users u
    where s.org_id = $1 and s.id_hash = $2 and u.org_id = $1 and u.id = s.user_id
    returning ${SESSION}, ${USER}, s.issued_at > u.valid_after as "isCurrent"`;
  const [row] = await prepared<Session & Watermarked>(tx, 'session_remove', text, [orgId, idHash]);
  return row;
}

/** Deletes a user's sessions, session tokens and sign-ins in progress. The caller must have locked the user. */
export async function removeSessionsOfUser(tx: Tx, orgId: OrgId, userId: string): Promise<void> {
  const text = `with tokens as (delete from session_tokens where org_id = $1 and user_id = $2),
    transactions as (delete from authentication_transactions where org_id = $1 and user_id = $2)
    delete from sessions where org_id = $1 and user_id = $2`;
  await run(tx, text, [orgId, userId]);
}

export interface OwnSession {
  readonly externalId: string;
  readonly createdAt: Date;
  readonly clientAddress: string | null;
  readonly userAgent: string | null;
}

export function findSessionsOfUser(
  db: Db,
  orgId: OrgId,
  userId: string,
  { limit, now }: { readonly now: Date; readonly limit: number },
): Promise<OwnSession[]> {
  const text = `select s.external_id as "externalId", s.created_at as "createdAt", s.client_address as "clientAddress",
      s.user_agent as "userAgent"
    from live_sessions s
    where s.org_id = $1 and s.user_id = $2 and s.expires_at > $3
    order by s.created_at desc, s.external_id limit $4::integer`;
  return run<OwnSession>(db, text, [orgId, userId, now, limit]);
}

export async function findIdHashOfUser(
  tx: Tx,
  orgId: OrgId,
  userId: string,
  externalId: string,
): Promise<Buffer | undefined> {
  const text = `select id_hash as "idHash" from sessions where org_id = $1 and user_id = $2 and external_id = $3`;
  const [row] = await prepared<{ idHash: Buffer }>(tx, 'session_own_hash', text, [orgId, userId, externalId]);
  return row?.idHash;
}

export async function removeSessionOfUser(
  tx: Tx,
  orgId: OrgId,
  userId: string,
  externalId: string,
): Promise<Session | undefined> {
  const text = `delete from sessions s using users u
    where s.org_id = $1 and s.external_id = $3 and s.user_id = $2 and u.org_id = $1 and u.id = s.user_id
    returning ${SESSION}, ${USER}`;
  const [row] = await prepared<Session>(tx, 'session_remove_own', text, [orgId, userId, externalId]);
  return row;
}
