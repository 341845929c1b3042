import type { ClientId, OrgId } from '../../kernel/words/ids.ts';
import {
  columns,
  type Db,
  digestOf,
  needOwnTransaction,
  prepared,
  sendAhead,
  sendChange,
  type Tx,
} from '../../platform/postgres/index.ts';
import { liveRefreshTokens } from './live-tokens.ts';

/** A family of refresh tokens: the first token and all its successors. */
export interface RefreshToken {
  readonly id: string;
  /** An empty string means the org's own server. */
  readonly serverId: string;
  readonly clientId: ClientId;
  readonly userId: string;
  readonly sessionExternalId: string | null;
  /** The scopes of the first grant, spelled as they appear on the wire. */
  readonly scopes: readonly string[];
  readonly grantType: string;
  /** The generation of the token that is valid now. */
  readonly generation: number;
  readonly rotatedAt: Date | null;
  /** The thumbprint of the key that the token is bound to. */
  readonly dpopJkt: string | null;
  /** Null means that the user was absent, which `details` records. */
  readonly authTime: Date | null;
  readonly amr: readonly string[];
  readonly details: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  /** The time at which the token expires if it is not used. */
  readonly idleExpiresAt: Date;
  /** The absolute expiry, which `idleExpiresAt` never exceeds; null if there is none. */
  readonly expiresAt: Date | null;
}

export interface StoredRefreshToken extends RefreshToken {
  /** The time is taken from the database's clock, because it is compared with watermarks. */
  readonly issuedAt: Date;
}

/**
 * This member of `details` marks an absent user. `auth_time` is then the creation time, because older releases require
 * a value.
 */
const ABSENT = { absent: true };
const AUTH_TIME = `case when details @> '${JSON.stringify(ABSENT)}' then null else auth_time end`;

const TOKENS = columns<StoredRefreshToken, RefreshToken & { readonly authTime: Date }>('refresh_tokens', {
  id: 'key',
  serverId: 'fixed',
  clientId: 'fixed',
  userId: 'fixed',
  sessionExternalId: 'fixed',
  scopes: 'fixed json',
  grantType: 'fixed',
  generation: 'fixed',
  rotatedAt: 'fixed',
  dpopJkt: 'fixed',
  authTime: { is: 'fixed', reads: AUTH_TIME },
  amr: 'fixed json',
  details: 'fixed json',
  createdAt: 'fixed',
  lastUpdatedAt: 'fixed',
  idleExpiresAt: 'fixed',
  expiresAt: 'fixed',
  issuedAt: 'read',
});
const COLUMNS = TOKENS.select();
const INSERT_EXCHANGED = TOKENS.insert(({ free }) => ({ parent_id: free(0), subject_hash: free(1) }));
/** The SQL types of the columns that are neither text nor JSON. */
export const TYPES = {
  generation: 'integer',
  rotatedAt: 'timestamptz',
  authTime: 'timestamptz',
  createdAt: 'timestamptz',
  lastUpdatedAt: 'timestamptz',
  idleExpiresAt: 'timestamptz',
  expiresAt: 'timestamptz',
} as const;
const INSERT = TOKENS.insertMany(TYPES);

/** The maximum number of families of refresh tokens for one user, client and server. */
const MAXIMUM_FAMILIES = 100;

/** SQL expressions for a user, a client and a server. */
export interface FamiliesPlace {
  readonly user: string;
  readonly client: string;
  readonly server: string;
}

/**
 * Returns the SQL condition that a user has the maximum number of tokens of a client on a server. The first parameter
 * of the statement must be the org. The condition is false if the server is null.
 */
export const hasAllFamilies = ({ client, server, user }: FamiliesPlace): string =>
  `(${server} is not null and exists (select from refresh_tokens o
    where o.org_id = $1 and o.user_id = ${user} and o.client_id = ${client} and o.server_id = ${server}
    offset ${MAXIMUM_FAMILIES - 1} limit 1))`;

/** Ends the oldest tokens beyond the maximum, but skips locked ones instead of waiting for them. */
async function endOldest(tx: Tx, orgId: OrgId, { clientId, serverId, userId }: RefreshToken): Promise<string[]> {
  const text = `delete from refresh_tokens where org_id = $1 and id in (
    select t.id from refresh_tokens t where t.org_id = $1 and t.id in (
      select o.id from refresh_tokens o
      where o.org_id = $1 and o.user_id = $2 and o.client_id = $3 and o.server_id = $4
      order by o.issued_at desc, o.id desc offset $5::integer)
    for update skip locked) returning id`;
  const values = [orgId, userId, clientId, serverId, MAXIMUM_FAMILIES];
  return (await prepared<{ id: string }>(tx, 'refresh_tokens_limit', text, values)).map(({ id }) => id);
}

/** The token whose exchange started a family. The family ends when that token is revoked. */
export interface Origin {
  /**
   * A family of the exchanged token's user, client and server, locked by the caller. Its end also ends the new family.
   */
  readonly parentId: string;
  /** The SHA-256 of the exchanged token's `jti`. */
  readonly subjectHash: Buffer;
}

/** Locks the newest family of a user, client and server, but prefers families of the given session. */
export async function lockFamily(
  tx: Tx,
  orgId: OrgId,
  of: Pick<RefreshToken, 'userId' | 'clientId' | 'serverId' | 'sessionExternalId'>,
): Promise<string | null> {
  const text = `select id from refresh_tokens
    where org_id = $1 and user_id = $2 and client_id = $3 and server_id = $4
    order by (session_external_id is not distinct from $5) desc, issued_at desc, id desc limit 1 for key share`;
  const values = [orgId, of.userId, of.clientId, of.serverId, of.sessionExternalId];
  const [row] = await prepared<{ id: string }>(tx, 'refresh_token_family', text, values);
  return row?.id ?? null;
}

/** Ends the refresh tokens that were issued in exchange for a token that is now void. */
export async function removeExchanged(tx: Tx, orgId: OrgId, subjectHash: Buffer): Promise<string[]> {
  const text = 'delete from refresh_tokens where org_id = $1 and subject_hash = $2 returning id';
  return (await prepared<{ id: string }>(tx, 'refresh_tokens_exchanged', text, [orgId, subjectHash])).map(
    ({ id }) => id,
  );
}

/**
 * Stores a refresh token. The caller must have locked the user, the client, the server and the scopes. `isLast` means
 * that the user already has the maximum number of tokens, so the oldest ones end.
 */
export async function insertRefreshToken(
  tx: Tx,
  orgId: OrgId,
  token: RefreshToken,
  isLast: boolean,
  origin: Origin | null,
): Promise<string[]> {
  const authTime = token.authTime ?? token.createdAt;
  const details = token.authTime === null ? { ...token.details, ...ABSENT } : token.details;
  const row = { ...token, authTime, details };
  if (isLast) needOwnTransaction(tx);
  if (origin === null) {
    sendChange(tx, 'refresh_tokens_insert', row, (rows) => ({
      name: 'refresh_tokens_insert',
      text: INSERT.text,
      values: INSERT.values(orgId, rows),
    }));
  } else {
    const values = [...INSERT_EXCHANGED.values(orgId, row), origin.parentId, origin.subjectHash];
    sendAhead(tx, { name: 'refresh_token_insert', text: INSERT_EXCHANGED.text, values });
  }
  return isLast ? endOldest(tx, orgId, token) : [];
}

/** A token with a digest of its whole row, by which `assumeRefreshToken` notices any change. */
export interface SeenRefreshToken extends StoredRefreshToken {
  readonly digest: string;
}

export async function findRefreshToken(db: Db, orgId: OrgId, id: string): Promise<SeenRefreshToken | undefined> {
  const text = `select ${COLUMNS}, ${digestOf('t')} as digest from refresh_tokens t where t.org_id = $1 and t.id = $2`;
  const [row] = await prepared<SeenRefreshToken>(db, 'refresh_token', text, [orgId, id]);
  return row;
}

/** The condition that a token `t` is one of those that the second parameter lists. */
export const IS_ONE = 't.org_id = $1 and t.id = any((select $2::text[])::text[])';

/** Reads tokens like `findRefreshToken`. */
export const findRefreshTokens = (db: Db, orgId: OrgId, ids: readonly string[]): Promise<SeenRefreshToken[]> =>
  prepared<SeenRefreshToken>(
    db,
    'refresh_tokens_seen',
    `select ${COLUMNS}, ${digestOf('t')} as digest from refresh_tokens t where ${IS_ONE}`,
    [orgId, ids],
  );

/**
 * Finds a token and its user's login, unless a change to the user, app, app assignment or server has voided the token.
 * Checks neither the expiry of the token nor the approval for an absent user.
 */
export async function findLiveRefreshToken(
  db: Db,
  orgId: OrgId,
  id: string,
): Promise<(StoredRefreshToken & { readonly login: string }) | undefined> {
  const text = `select ${COLUMNS}, login from ${liveRefreshTokens('$1')} t where t.id = $2`;
  const [row] = await prepared<StoredRefreshToken & { login: string }>(db, 'refresh_token_live', text, [orgId, id]);
  return row;
}

export async function removeRefreshToken(tx: Tx, orgId: OrgId, id: string): Promise<boolean> {
  const text = 'delete from refresh_tokens where org_id = $1 and id = $2 returning 1 as removed';
  return (await prepared(tx, 'refresh_token_delete', text, [orgId, id])).length > 0;
}
