import type { GroupFact } from '../../expression/index.ts';
import type { UserStatus } from '../../kernel/user-statuses.ts';
import type { AppId, ClientId, OrgId } from '../../kernel/words/ids.ts';
import { assignedSinceOf } from '../../management/app-assignments/index.ts';
import { ACCESS_POLICY_OF_APP, GRANTED_SCOPES, type LiveClient } from '../../management/apps/index.ts';
import { type Db, type FindById, gatherReads, prepared, type Tx } from '../../platform/postgres/index.ts';
import { hasAllFamilies } from '../refresh-tokens/index.ts';

export interface TokenUser {
  readonly id: string;
  readonly login: string;
  readonly status: UserStatus;
  readonly typeId: string;
  readonly profile: Readonly<Record<string, unknown>>;
  readonly lastUpdatedAt: Date;
  readonly unprovedEmail: string | null;
  /** Tokens and grants that were not issued after this time are void. */
  readonly validAfter: Date;
}

/** The columns of a user `u`. */
export const COLUMNS = `u.id, u.login, u.status, u.type_id as "typeId", u.profile, u.last_updated_at as "lastUpdatedAt",
  u.unproved_email as "unprovedEmail", u.valid_after as "validAfter"`;
const USER = `select ${COLUMNS} from users u where u.org_id = $1 and u.id = $2`;

/** The part of a client's row that decides whether the client may get tokens. */
export type LockedClient = Pick<LiveClient, 'status' | 'applicationType' | 'validAfter'>;

/** The row of a user with a client, as `LOCK` returns it. */
export type LockedRow = TokenUser & {
  readonly clientStatus: LockedClient['status'];
  readonly applicationType: string;
  readonly clientValidAfter: Date;
};

/** This statement locks the user before the app. A fixed order prevents deadlocks. */
export const LOCK = `select ${COLUMNS}, a.status as "clientStatus", a.application_type as "applicationType",
    a.valid_after as "clientValidAfter"
  from users u join apps a on a.org_id = u.org_id
  where u.org_id = $1 and u.id = $2 and a.client_id = $3 and a.sign_on_mode = 'OPENID_CONNECT' for share of u, a`;

/**
 * Locks a user and a client against change. Returns undefined, without a lock on either, if one of them does not exist.
 */
export async function lockUserAndClient(
  tx: Tx,
  orgId: OrgId,
  userId: string,
  clientId: ClientId,
): Promise<{ readonly user: TokenUser; readonly client: LockedClient } | undefined> {
  const [row] = await prepared<LockedRow>(tx, 'token_parents_lock', LOCK, [orgId, userId, clientId]);
  if (row === undefined) return undefined;
  const { applicationType, clientStatus, clientValidAfter, ...user } = row;
  return { user, client: { status: clientStatus, applicationType, validAfter: clientValidAfter } };
}

export async function lockTokenUser(tx: Tx, orgId: OrgId, userId: string): Promise<TokenUser | undefined> {
  const [row] = await prepared<TokenUser>(tx, 'token_user_lock', `${USER} for share`, [orgId, userId]);
  return row;
}

/** Creates a reader that reads the users of simultaneous requests with one statement. */
export const tokenUserReader = (db: Db): FindById<TokenUser> => {
  const text = `select ${COLUMNS} from users u where u.org_id = $1 and u.id = any($2::text[])`;
  return gatherReads((orgId, ids) => prepared<TokenUser>(db, 'token_users_gathered', text, [orgId, ids]));
};

const GROUP = `g.id, g.name, case when g.type = 'NATIVE_GROUP' then $3 || '_GROUP' else g.type end as type,
  coalesce(g.source_id, $3) as source`;

/** Finds the groups of a user, including Everyone, which has no membership rows. */
export function findTokenGroups(db: Db, orgId: OrgId, userId: string, upperWord: string): Promise<GroupFact[]> {
  const text = `select ${GROUP} from groups g where g.org_id = $1 and g.type = 'BUILT_IN'
    union all
    select ${GROUP} from group_members m join groups g on g.org_id = m.org_id and g.id = m.group_id
      where m.org_id = $1 and m.user_id = $2
    order by name, id`;
  return prepared<GroupFact>(db, 'token_groups', text, [orgId, userId, upperWord]);
}

export interface ParentFacts {
  /** The scopes that are granted to the client, without the namespace word. */
  readonly scopes: readonly string[];
  /** The start of the user's uninterrupted access to the app; null if there is none. */
  readonly assignedSince: Date | null;
  /** Null means that the app was deleted. */
  readonly appId: AppId | null;
  /** The id of the app's access policy. Null means the default policy. */
  readonly accessPolicyId: string | null;
  /**
   * Whether the user has the maximum number of refresh tokens of the client on the server; false if `familiesAt` is
   * null.
   */
  readonly hasAllFamilies: boolean;
  /** The database's time at which these facts were read. */
  readonly issuedAt: Date;
}

/**
 * Call this after the locks on the user, client, server and consents. The query then sees everything that was committed
 * while the locks were awaited. `familiesAt` is the server on which a family of refresh tokens may start; null if no
 * family may start.
 */
export async function findParentFacts(
  tx: Tx,
  orgId: OrgId,
  place: { readonly userId: string; readonly clientId: ClientId; readonly familiesAt: string | null },
): Promise<ParentFacts> {
  const text = `select a.id as "appId", ${GRANTED_SCOPES} as scopes, ${assignedSinceOf('$3')} as "assignedSince",
    ${ACCESS_POLICY_OF_APP} as "accessPolicyId",
    ${hasAllFamilies({ user: '$3', client: '$2', server: '$4::text' })} as "hasAllFamilies",
    clock_timestamp() as "issuedAt"
    from (select 1) one left join apps a on a.org_id = $1 and a.client_id = $2`;
  const values = [orgId, place.clientId, place.userId, place.familiesAt];
  const [row] = await prepared<ParentFacts>(tx, 'token_parent_facts', text, values);
  if (row === undefined) throw new Error('a statement without a condition had no row');
  return row;
}
