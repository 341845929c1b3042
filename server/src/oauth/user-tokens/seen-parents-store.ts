import type { ClientId, OrgId } from '../../kernel/words/ids.ts';
import { assignedSinceOf } from '../../management/app-assignments/index.ts';
import { ACCESS_POLICY_OF_APP, GRANTED_SCOPES } from '../../management/apps/index.ts';
import {
  assumed,
  type Db,
  digestOf,
  prepared,
  rowsFrom,
  sendAhead,
  type Tx,
  textArray,
  together,
} from '../../platform/postgres/index.ts';
import { type FamiliesPlace, hasAllFamilies } from '../refresh-tokens/index.ts';
import { COLUMNS, LOCK, type LockedClient, type LockedRow, type ParentFacts, type TokenUser } from './parents-store.ts';

type SeenRow = LockedRow & ParentFacts & { readonly digest: string };

/**
 * Any further fact that decides about tokens must be selected here too, because requests that rely on what they have
 * read notice changes only in the row of this query. The place has SQL expressions for a user, a client, and the server
 * on which a family of refresh tokens may start, which is null if none may start. `offset 0` makes PostgreSQL evaluate
 * the columns once, and not again for the digest.
 */
const seenFrom = (place: FamiliesPlace): string => `select ${COLUMNS}, a.status as "clientStatus",
    a.application_type as "applicationType", a.valid_after as "clientValidAfter", a.id as "appId",
    ${GRANTED_SCOPES} as scopes, ${assignedSinceOf('u.id')} as "assignedSince",
    ${ACCESS_POLICY_OF_APP} as "accessPolicyId", ${hasAllFamilies({ ...place, user: 'u.id' })} as "hasAllFamilies"
  from users u join apps a on a.org_id = u.org_id
  where u.org_id = $1 and u.id = ${place.user} and a.client_id = ${place.client}
    and a.sign_on_mode = 'OPENID_CONNECT' offset 0`;

export interface SeenParents {
  readonly user: TokenUser;
  readonly client: LockedClient;
  readonly clientId: ClientId;
  readonly facts: ParentFacts;
  /** The server on which a family of refresh tokens may start; null if none may start. */
  readonly familiesAt: string | null;
  /** A digest of everything that was read except `issuedAt`, by which a change of any of it is noticed. */
  readonly digest: string;
}

/** A kind of grants of which each row names a user and a client (`user_id`, `client_id`). */
export interface NamingGrants {
  /** The name of the prepared statement that reads the parents. */
  readonly name: string;
  readonly table: 'refresh_tokens' | 'authorization_codes';
  /** The column that identifies a grant, and the type of its arrays. */
  readonly key: 'id' | 'code_hash';
  readonly type: 'text[]' | 'bytea[]';
  /** The server on which a family of refresh tokens may start; null if none may start. */
  readonly familiesAt: '' | null;
}

interface NamedParents<Key> {
  readonly key: Key;
  readonly parents: SeenParents;
}

/** Reads the parents of the tokens that these grants yield. A grant without a user or a client is left out. */
export async function findSeenParents<Key>(
  db: Db,
  orgId: OrgId,
  { familiesAt, key, name, table, type }: NamingGrants,
  keys: readonly Key[],
): Promise<readonly NamedParents<Key>[]> {
  const place = { user: 'g.user_id', client: 'g.client_id', server: familiesAt === null ? 'null::text' : `''::text` };
  const text = `select g.${key} as "grantKey", g.client_id as "clientId", q.*, ${digestOf('q')} as digest,
      clock_timestamp() as "issuedAt"
    from ${table} g cross join lateral (${seenFrom(place)}) q
    where g.org_id = $1 and g.${key} = any((select $2::${type})::${type})`;
  type Row = SeenRow & { readonly grantKey: Key; readonly clientId: ClientId };
  const rows = await prepared<Row>(db, name, text, [orgId, keys]);
  return rows.map(({ grantKey, clientId, ...row }) => {
    const { accessPolicyId, appId, assignedSince, hasAllFamilies: hasAll, issuedAt, scopes, ...others } = row;
    const { applicationType, clientStatus, clientValidAfter, digest, ...user } = others;
    const parents: SeenParents = {
      user,
      client: { status: clientStatus, applicationType, validAfter: clientValidAfter },
      clientId,
      facts: { accessPolicyId, appId, assignedSince, hasAllFamilies: hasAll, issuedAt, scopes },
      familiesAt,
      digest,
    };
    return { key: grantKey, parents };
  });
}

/**
 * Locks the parents like `lockUserAndClient`, without awaiting the result. The unit of work fails if the parents are no
 * longer as they were read (see `assuming`).
 */
export function assumeParents(tx: Tx, orgId: OrgId, { clientId, digest, familiesAt, user }: SeenParents): void {
  sendAhead(tx, { name: 'token_parents_lock', text: LOCK, values: [orgId, user.id, clientId] });
  // This statement repeats the query after the locks, so that it sees the changes for which they waited.
  const place = { user: '$3', client: '$2', server: '$4::text' };
  const isAsSeen = `(select ${digestOf('q')} from (${seenFrom(place)}) q) = $5`;
  const values = [orgId, clientId, user.id, familiesAt, digest];
  sendAhead(tx, { name: 'token_parents_assume', text: `select ${assumed(isAsSeen)}`, values });
}

type ParentsPlace = Pick<SeenParents, 'clientId' | 'familiesAt'> & { readonly userId: string };

/** This statement locks the users before the apps, like `LOCK`. */
const LOCK_FREE = `select u.id as "userId", a.client_id as "clientId"
  from ${rowsFrom(['$2::text[]', '$3::text[]'], 'r (user_id, client_id)')}
  join users u on u.org_id = $1 and u.id = r.user_id
  join apps a on a.org_id = $1 and a.client_id = r.client_id
  for share of u skip locked for share of a skip locked`;

const DIGESTS = `select r.user_id as "userId", r.client_id as "clientId", r.families_at as "familiesAt",
    ${digestOf('q')} as digest
  from ${rowsFrom(['$2::text[]', '$3::text[]', '$4::text[]'], 'r (user_id, client_id, families_at)')}
  cross join lateral (${seenFrom({ user: 'r.user_id', client: 'r.client_id', server: 'r.families_at' })}) q`;

type Pair = Pick<ParentsPlace, 'userId' | 'clientId'>;

const isPair = (one: Pair, other: Pair): boolean => one.userId === other.userId && one.clientId === other.clientId;

/** Locks the parents that no other transaction has locked, and then reads the digests of all of them. */
async function lockFree(tx: Tx, orgId: OrgId, places: readonly ParentsPlace[]) {
  const users = textArray(places.map(({ userId }) => userId));
  const clients = textArray(places.map(({ clientId }) => clientId));
  const families = textArray(places.map(({ familiesAt }) => familiesAt));
  const [locked, read] = await Promise.all([
    prepared<Pair>(tx, 'token_parents_lock_free', LOCK_FREE, [orgId, users, clients]),
    prepared<ParentsPlace & { readonly digest: string }>(tx, 'token_parents_digests', DIGESTS, [
      orgId,
      users,
      clients,
      families,
    ]),
  ]);
  return read.filter((one) => locked.some((pair) => isPair(pair, one)));
}

/**
 * Locks the parents together with those of other requests (see `together`). Returns false if the parents are no longer
 * as they were read, or if another transaction has locked one of them.
 */
export async function lockSeenParents(tx: Tx, orgId: OrgId, seen: SeenParents): Promise<boolean> {
  const place = { userId: seen.user.id, clientId: seen.clientId, familiesAt: seen.familiesAt };
  const held = await together(tx, 'token parents', place, (all, places) => lockFree(all, orgId, places));
  return held.some((one) => isPair(one, place) && one.familiesAt === place.familiesAt && one.digest === seen.digest);
}
