import { sql } from 'kysely';
import { heldRoles } from '../../access/index.ts';
import type { UserStatus } from '../../kernel/user-statuses.ts';
import type { HeldRole } from '../../kernel/words/held-role.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import { columns, type Db, keysetRows, prepared, run, type Tx } from '../../platform/postgres/index.ts';
import type { TokenNetwork } from './use/network-rules.ts';

export interface ApiToken {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  /** The name that responses show after the namespace word. */
  readonly clientName: string;
  readonly network: TokenNetwork;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly lastUsedAt: Date;
  /** The revision rises when the name or the network changes, but not when the token is used. */
  readonly revision: number;
}

const TOKENS = columns<ApiToken>('api_tokens', {
  id: 'key',
  userId: 'fixed',
  name: 'changes',
  clientName: 'fixed',
  network: 'json',
  createdAt: 'fixed',
  lastUpdatedAt: 'changes',
  lastUsedAt: 'fixed',
  revision: 'revision',
});
const COLUMNS = TOKENS.select();
const INSERT = TOKENS.insert(({ free }) => ({ token_hash: free(0) }));
const UPDATE = TOKENS.update();

export async function findApiToken(db: Db, orgId: OrgId, id: string, usedAfter: Date): Promise<ApiToken | undefined> {
  const text = `select ${COLUMNS} from api_tokens where org_id = $1 and id = $2 and last_used_at > $3`;
  const [row] = await prepared<ApiToken>(db, 'api_token_by_id', text, [orgId, id, usedAfter]);
  return row;
}

export async function findApiTokenForUpdate(
  tx: Tx,
  orgId: OrgId,
  id: string,
  usedAfter: Date,
): Promise<ApiToken | undefined> {
  const text = `select ${COLUMNS} from api_tokens where org_id = $1 and id = $2 and last_used_at > $3 for update`;
  const [row] = await prepared<ApiToken>(tx, 'api_token_for_update', text, [orgId, id, usedAfter]);
  return row;
}

export const readApiTokens = (
  db: Db,
  orgId: OrgId,
  usedAfter: Date,
  request: KeysetRequest<string>,
): Promise<ApiToken[]> =>
  keysetRows<ApiToken>(
    db,
    sql`select ${sql.raw(COLUMNS)} from api_tokens where org_id = ${orgId} and last_used_at > ${usedAfter}`,
    'id',
    request,
  );

export async function insertApiToken(tx: Tx, orgId: OrgId, token: ApiToken, tokenHash: Buffer): Promise<void> {
  await prepared(tx, 'api_token_insert', INSERT.text, [...INSERT.values(orgId, token), tokenHash]);
}

export async function updateApiTokenRow(tx: Tx, orgId: OrgId, token: ApiToken): Promise<void> {
  await prepared(tx, 'api_token_update', UPDATE.text, UPDATE.values(orgId, token));
}

/** Locks these zones against deletion until the transaction ends. Returns the ids of those that exist in the org. */
export async function lockZones(tx: Tx, orgId: OrgId, zoneIds: readonly string[]): Promise<readonly string[]> {
  const text = 'select id from network_zones where org_id = $1 and id = any($2::text[]) order by id for key share';
  return (await run<{ id: string }>(tx, text, [orgId, zoneIds])).map(({ id }) => id);
}

export async function findTokenNaming(tx: Tx, orgId: OrgId, zoneId: string): Promise<string | null> {
  const text = `select name from api_tokens where org_id = $1
      and (network -> 'include' ? $2 or network -> 'exclude' ? $2) limit 1`;
  const [row] = await run<{ name: string }>(tx, text, [orgId, zoneId]);
  return row?.name ?? null;
}

export async function removeApiToken(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  await prepared(tx, 'api_token_delete', 'delete from api_tokens where org_id = $1 and id = $2', [orgId, id]);
}

export const removeApiTokensOfUser = (tx: Tx, orgId: OrgId, userId: string): Promise<ApiToken[]> =>
  run<ApiToken>(tx, `delete from api_tokens where org_id = $1 and user_id = $2 returning ${COLUMNS}`, [orgId, userId]);

export const removeApiTokensNamed = (tx: Tx, orgId: OrgId, name: string): Promise<ApiToken[]> =>
  run<ApiToken>(tx, `delete from api_tokens where org_id = $1 and name = $2 returning ${COLUMNS}`, [orgId, name]);

export interface TokenOwner {
  readonly tokenId: string;
  readonly name: string;
  readonly network: TokenNetwork;
  readonly lastUsedAt: Date;
  readonly userId: string;
  readonly status: UserStatus;
  readonly login: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly roles: readonly HeldRole[];
}

/** Reads everything in one statement, because any request with a token may have to run it. */
export async function findTokenOwner(db: Db, orgId: string, tokenHash: Buffer): Promise<TokenOwner | null> {
  const text = `select t.id as "tokenId", t.name, t.network, t.last_used_at as "lastUsedAt", t.user_id as "userId",
      u.status, u.login,
      u.profile ->> 'firstName' as "firstName", u.profile ->> 'lastName' as "lastName",
      ${heldRoles('t.user_id')} as roles
    from api_tokens t join users u on u.org_id = $1 and u.id = t.user_id
    where t.org_id = $1 and t.token_hash = $2`;
  const [row] = await prepared<TokenOwner>(db, 'api_token_owner', text, [orgId, tokenHash]);
  return row ?? null;
}

export interface LastUse {
  readonly tokenId: string;
  readonly usedAt: Date;
}

/**
 * Stores the last use of each token. Skips a token if another process has meanwhile stored a later use, or a use less
 * than the interval before this one.
 */
export async function storeLastUses(
  db: Db,
  orgId: string,
  uses: readonly LastUse[],
  intervalMilliseconds: number,
): Promise<void> {
  const text = `update api_tokens t set last_used_at = used.at
    from unnest($2::text[], $3::timestamptz[], $4::timestamptz[]) as used (id, at, before)
    where t.org_id = $1 and t.id = used.id and t.last_used_at <= used.before`;
  await run(db, text, [
    orgId,
    uses.map(({ tokenId }) => tokenId),
    uses.map(({ usedAt }) => usedAt),
    uses.map(({ usedAt }) => new Date(usedAt.getTime() - intervalMilliseconds)),
  ]);
}
