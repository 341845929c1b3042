import type { ClientId, OrgId } from '../../kernel/words/ids.ts';
import {
  assumed,
  columns,
  type Db,
  digestOf,
  prepared,
  rowsFrom,
  type Statement,
  sendAhead,
  sendChange,
  type Tx,
  textArray,
  timestampArray,
  together,
} from '../../platform/postgres/index.ts';

export interface AuthorizationCode {
  readonly hash: Buffer;
  /** This is empty for the org's own server. */
  readonly serverId: string;
  readonly clientId: ClientId;
  readonly userId: string;
  /** Null means that there is no session. */
  readonly sessionExternalId: string | null;
  readonly redirectUri: string | null;
  /** Scopes are spelled as they appear on the wire. */
  readonly scopes: readonly string[];
  readonly nonce: string | null;
  /** The S256 code challenge; null if the request had none. */
  readonly codeChallenge: string | null;
  /** The thumbprint of the key that the authorization request named (RFC 9449 10); null if it named none. */
  readonly dpopJkt: string | null;
  readonly authTime: Date;
  readonly amr: readonly string[];
  /** Further values for the tokens, such as `acr` and `idp`. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface StoredCode extends AuthorizationCode {
  /** The time comes from the database's clock, because it is compared with times from the same clock. */
  readonly issuedAt: Date;
  /** Null means that the code has not been redeemed yet. */
  readonly usedAt: Date | null;
  readonly refreshTokenId: string | null;
  readonly accessJtiHash: Buffer | null;
}

const CODES = columns<StoredCode, AuthorizationCode>('authorization_codes', {
  hash: { is: 'key', name: 'code_hash' },
  serverId: 'fixed',
  clientId: 'fixed',
  userId: 'fixed',
  sessionExternalId: 'fixed',
  redirectUri: 'fixed',
  scopes: 'fixed json',
  nonce: 'fixed',
  codeChallenge: 'fixed',
  dpopJkt: 'fixed',
  authTime: 'fixed',
  amr: 'fixed json',
  details: 'fixed json',
  createdAt: 'fixed',
  expiresAt: 'fixed',
  issuedAt: 'read',
  usedAt: 'read',
  refreshTokenId: 'read',
  accessJtiHash: 'read',
});
const COLUMNS = CODES.select();
const INSERT = CODES.insert();

/** The caller must have locked the code's user and client. */
export async function insertAuthorizationCode(tx: Tx, orgId: OrgId, code: AuthorizationCode): Promise<void> {
  await prepared(tx, 'authorization_code_insert', INSERT.text, INSERT.values(orgId, code));
}

/** A code with a digest of its whole row, by which `assumeAuthorizationCode` notices any change. */
export interface SeenCode extends StoredCode {
  readonly digest: string;
}

export async function findAuthorizationCode(db: Db, orgId: OrgId, hash: Buffer): Promise<SeenCode | undefined> {
  const text = `select ${COLUMNS}, ${digestOf('c')} as digest from authorization_codes c
    where c.org_id = $1 and c.code_hash = $2`;
  const [row] = await prepared<SeenCode>(db, 'authorization_code', text, [orgId, hash]);
  return row;
}

/** Reads codes like `findAuthorizationCode`. */
export function findAuthorizationCodes(db: Db, orgId: OrgId, hashes: readonly Buffer[]): Promise<SeenCode[]> {
  const text = `select ${COLUMNS}, ${digestOf('c')} as digest from authorization_codes c
    where c.org_id = $1 and c.code_hash = any((select $2::bytea[])::bytea[])`;
  return prepared<SeenCode>(db, 'authorization_codes_seen', text, [orgId, hashes]);
}

type Held = Pick<SeenCode, 'hash' | 'digest'>;

function lockFree(tx: Tx, orgId: OrgId, codes: readonly SeenCode[]): Promise<Held[]> {
  const text = `with live as materialized (
      select s.external_id from sessions s
      where s.org_id = $1 and s.external_id = any((select $3::text[])::text[]) for key share skip locked),
    held as materialized (
      select c.code_hash, c.session_external_id, ${digestOf('c')} as digest from authorization_codes c
      where c.org_id = $1 and c.code_hash = any((select $2::bytea[])::bytea[]) for update skip locked)
    select h.code_hash as hash, h.digest from held h
    where h.session_external_id is null or h.session_external_id in (select l.external_id from live l)`;
  const sessions = codes.flatMap(({ sessionExternalId }) => sessionExternalId ?? []);
  const values = [orgId, codes.map(({ hash }) => hash), textArray(sessions)];
  return prepared<Held>(tx, 'authorization_codes_lock_free', text, values);
}

/**
 * Locks a code and its session together with those of other requests (see `together`). Returns false if the code is no
 * longer as it was read, if its session has ended, or if another transaction has locked one of them.
 */
export async function lockSeenAuthorizationCode(tx: Tx, orgId: OrgId, seen: SeenCode): Promise<boolean> {
  const held = await together(tx, 'authorization codes', seen, (all, codes) => lockFree(all, orgId, codes));
  return held.some(({ digest, hash }) => hash.equals(seen.hash) && digest === seen.digest);
}

/**
 * Locks a code and its session like `lockAuthorizationCode`, without awaiting the result. The unit of work fails if the
 * code is no longer as it was read, or if its session has ended (see `assuming`).
 */
export function assumeAuthorizationCode(tx: Tx, orgId: OrgId, { digest, hash, sessionExternalId }: SeenCode): void {
  const text = `with session as (
      select 1 from sessions s where s.org_id = $1 and s.external_id = $3 for key share),
    held as materialized (
      select ${digestOf('c')} as digest from authorization_codes c where c.org_id = $1 and c.code_hash = $2 for update)
    select ${assumed('(select digest from held) = $4 and ($3::text is null or exists (select from session))')}`;
  sendAhead(tx, { name: 'authorization_code_assume', text, values: [orgId, hash, sessionExternalId, digest] });
}

export interface LockedCode extends Pick<StoredCode, 'usedAt' | 'refreshTokenId' | 'accessJtiHash'> {
  /** Whether the code's session is still stored; also true for a code without a session. */
  readonly hasSession: boolean;
}

/**
 * Locks the code, so that it is not redeemed twice, and its session, so that the session does not end meanwhile.
 * Returns undefined if there is no such code.
 */
export async function lockAuthorizationCode(
  tx: Tx,
  orgId: OrgId,
  { hash, sessionExternalId }: Pick<StoredCode, 'hash' | 'sessionExternalId'>,
): Promise<LockedCode | undefined> {
  const text = `with session as (
      select 1 from sessions s where s.org_id = $1 and s.external_id = $3 for key share)
    select used_at as "usedAt", refresh_token_id as "refreshTokenId", access_jti_hash as "accessJtiHash",
      session_external_id is null or exists (select from session) as "hasSession"
    from authorization_codes where org_id = $1 and code_hash = $2 for update`;
  const values = [orgId, hash, sessionExternalId];
  const [row] = await prepared<LockedCode>(tx, 'authorization_code_lock', text, values);
  return row;
}

interface Redemption {
  readonly usedAt: Date;
  readonly refreshTokenId: string | null;
  readonly accessJtiHash: Buffer | null;
}

const USE = `update authorization_codes c set used_at = $3, refresh_token_id = $4, access_jti_hash = $5
  where c.org_id = $1 and c.code_hash = $2`;

const useValues = (orgId: OrgId, hash: Buffer, { accessJtiHash, refreshTokenId, usedAt }: Redemption) => [
  orgId,
  hash,
  usedAt,
  refreshTokenId,
  accessJtiHash,
];

interface Redeemed extends Redemption {
  readonly hash: Buffer;
}

const USES = rowsFrom(
  ['$2::bytea[]', '$3::timestamptz[]', '$4::text[]', '$5::bytea[]'],
  'r (code_hash, used_at, refresh_token_id, access_jti_hash)',
);

const usesOf = (orgId: OrgId, codes: readonly Redeemed[]): Statement => ({
  name: 'authorization_codes_use',
  text: `update authorization_codes c set used_at = r.used_at, refresh_token_id = r.refresh_token_id,
      access_jti_hash = r.access_jti_hash
    from ${USES} where c.org_id = $1 and c.code_hash = r.code_hash`,
  values: [
    orgId,
    codes.map(({ hash }) => hash),
    timestampArray(codes.map(({ usedAt }) => usedAt)),
    textArray(codes.map(({ refreshTokenId }) => refreshTokenId)),
    codes.map(({ accessJtiHash }) => accessJtiHash),
  ],
});

/** Records the redemption of a locked code, with its tokens. If this fails, so does the unit of work. */
export const useAuthorizationCode = (tx: Tx, orgId: OrgId, hash: Buffer, redemption: Redemption): void =>
  sendChange(tx, 'authorization_codes_use', { hash, ...redemption }, (codes) => usesOf(orgId, codes));

/**
 * Records the redemption of a code without a lock, and locks its session. The unit of work fails if the code is no
 * longer as it was read, or if its session has ended (see `assuming`). If another transaction holds the code, the
 * condition is evaluated for the newest version of the row.
 */
export function useSeenAuthorizationCode(tx: Tx, orgId: OrgId, seen: SeenCode, redemption: Redemption): void {
  const text = `with session as (
      select 1 from sessions s where s.org_id = $1 and s.external_id = $6 for key share),
    used as (${USE} and ${digestOf('c')} = $7 and ($6::text is null or exists (select from session)) returning 1)
    select ${assumed('exists (select from used)')}`;
  const values = [...useValues(orgId, seen.hash, redemption), seen.sessionExternalId, seen.digest];
  sendAhead(tx, { name: 'authorization_code_use_seen', text, values });
}
