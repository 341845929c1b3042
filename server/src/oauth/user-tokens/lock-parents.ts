import type { Presence } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import type { ClientId, OrgId } from '../../kernel/words/ids.ts';
import { lockAppUserFacts, subjectByLogin } from '../../management/app-assignments/index.ts';
import { findPresence, type LiveClient, lockLiveClient } from '../../management/apps/index.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import type { AppPolicies } from '../app-sign-on/index.ts';
import {
  asksGroups,
  type ClaimSubject,
  type ConsentWatermark,
  type LockedServer,
  lockConsentWatermarks,
  lockServer,
  type ServerConfiguration,
} from '../custom-servers/index.ts';
import {
  findParentFacts,
  findTokenGroups,
  lockTokenUser,
  lockUserAndClient,
  type ParentFacts,
  type TokenUser,
} from './parents-store.ts';
import { namedScopes, type RequestedScopes } from './scope-rules.ts';
import type { SeenParents } from './seen-parents-store.ts';

export interface TokenParents {
  readonly user: TokenUser | undefined;
  readonly live: LiveClient | undefined;
  /** Undefined means the org's own server, which has no row, or a server that was deleted. */
  readonly locked: LockedServer | undefined;
  /** The start of the user's uninterrupted access to the app; null if there is none. */
  readonly assignedSince: Date | null;
  /** The scopes for which the user's consent was revoked, with the time of each revocation. */
  readonly takenBack: readonly ConsentWatermark[];
  /** The user's groups. The list is empty unless the scopes, the server or the apps' policies use groups. */
  readonly groups: ClaimSubject['groups'];
  readonly appUser: ClaimSubject['appUser'];
  /** The policies come with the zones of the request's address. A null `accessPolicyId` means the default policy. */
  readonly appPolicies: AppPolicies;
  readonly accessPolicyId: string | null;
  /** Whether the user is present or, if not, whether the client may get tokens for the user (ADR 0060). */
  readonly presence: Presence;
  /** The default subject of the user's access tokens. */
  readonly subject: string;
  /**
   * Whether the user has the maximum number of refresh tokens of the client on the server; false if this was not read.
   */
  readonly hasAllFamilies: boolean;
  /** The database's time at which the app and its assignment were read. */
  readonly issuedAt: Date;
}

export interface TokenPlace {
  readonly userId: string;
  readonly clientId: ClientId;
  /** Null means the org's own server. */
  readonly server: ServerConfiguration | null;
  readonly requestedScopes: RequestedScopes;
  readonly appPolicies: AppPolicies;
  /** Whether a new family of refresh tokens may start. Defaults to false. */
  readonly mayBeginFamily?: boolean;
  /** Whether an app vouches for an absent user. Defaults to false. */
  readonly isUserAbsent?: boolean;
}

const namesIn = (requestedScopes: RequestedScopes): readonly string[] => {
  const asked = namedScopes(requestedScopes);
  return 'refused' in asked ? [] : asked.scopes;
};

/** Returns whether claims of a server use the app's own data about the user. */
const asksAppProfile = ({ claims }: ServerConfiguration): boolean =>
  claims.some(({ value, valueType }) => valueType === 'EXPRESSION' && /\bappuser\./i.test(value ?? ''));

type Parties = Pick<TokenParents, 'user' | 'live'>;

/** Throws if both parties exist although the first lock missed one. */
async function partiesOf(
  tx: Tx,
  orgId: OrgId,
  { clientId, userId }: TokenPlace,
  locked: Awaited<ReturnType<typeof lockUserAndClient>>,
  { issuedAt, scopes }: ParentFacts,
): Promise<Parties> {
  if (locked !== undefined) return { user: locked.user, live: { ...locked.client, scopes, issuedAt } };
  const user = await lockTokenUser(tx, orgId, userId);
  const live = await lockLiveClient(tx, orgId, clientId);
  if (user !== undefined && live !== undefined) throw new Error('what was gone is there again');
  return { user, live };
}

const presenceOf = async (tx: Tx, orgId: OrgId, { clientId, isUserAbsent, userId }: TokenPlace): Promise<Presence> =>
  isUserAbsent === true ? findPresence(tx, orgId, clientId, userId) : 'PRESENT';

/** Locks what the tokens depend on, in a fixed order, and reads the facts under these locks. */
export async function lockTokenParents(tx: Tx, context: Context, place: TokenPlace): Promise<TokenParents> {
  const { namespace, orgId } = context;
  const { appPolicies, clientId, mayBeginFamily = false, requestedScopes, server, userId } = place;
  const names = namesIn(requestedScopes);
  const areGroupsTold = server === null ? names.includes('groups') : asksGroups(server);
  const withGroups = areGroupsTold || appPolicies.policies.asksGroups;
  const withProfile = server !== null && asksAppProfile(server);
  const serverId = server?.facts.id ?? '';
  const isBeginAsked = mayBeginFamily && (names.length === 0 || names.includes('offline_access'));
  const [both, locked, takenBack, facts, groups, presence] = await Promise.all([
    lockUserAndClient(tx, orgId, userId, clientId),
    server === null ? undefined : lockServer(tx, orgId, serverId, names),
    server === null ? [] : lockConsentWatermarks(tx, orgId, { userId, clientId, serverId }),
    findParentFacts(tx, orgId, { userId, clientId, familiesAt: isBeginAsked ? serverId : null }),
    withGroups ? findTokenGroups(tx, orgId, userId, namespace.upper) : [],
    presenceOf(tx, orgId, place),
  ]);
  const { accessPolicyId, appId, assignedSince, hasAllFamilies, issuedAt } = facts;
  const held =
    server === null || appId === null ? null : await lockAppUserFacts(tx, context, appId, userId, { withProfile });
  const parties = await partiesOf(tx, orgId, place, both, facts);
  const app = { appPolicies, accessPolicyId, presence, appUser: held?.facts ?? null };
  const subject = held?.subject ?? (parties.user === undefined ? userId : subjectByLogin(parties.user));
  return { ...parties, ...app, locked, takenBack, assignedSince, groups, subject, hasAllFamilies, issuedAt };
}

/**
 * Returns what `lockTokenParents` would return for parents that were read without a lock. Returns null if the tokens
 * depend on more than was read.
 */
export function parentsAsSeen(place: TokenPlace, { client, facts, user }: SeenParents): TokenParents | null {
  const { appPolicies, isUserAbsent, requestedScopes, server } = place;
  const asksGroupsHere = namesIn(requestedScopes).includes('groups') || appPolicies.policies.asksGroups;
  if (server !== null || isUserAbsent === true || asksGroupsHere) return null;
  const { accessPolicyId, assignedSince, hasAllFamilies, issuedAt, scopes } = facts;
  return {
    user,
    live: { ...client, scopes, issuedAt },
    locked: undefined,
    assignedSince,
    takenBack: [],
    groups: [],
    appUser: null,
    appPolicies,
    accessPolicyId,
    presence: 'PRESENT',
    subject: subjectByLogin(user),
    hasAllFamilies,
    issuedAt,
  };
}
