import type { Context } from '../../kernel/context.ts';
import { assignedSince, findAppUserFacts } from '../../management/app-assignments/index.ts';
import { type LiveClient, lockLiveClient } from '../../management/apps/index.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import {
  asksGroups,
  type ClaimSubject,
  type ConsentWatermark,
  type LockedServer,
  lockConsentWatermarks,
  lockServer,
  type ServerConfiguration,
} from '../custom-servers/index.ts';
import { databaseInstant, findTokenGroups, lockTokenUser, type TokenUser } from './parents-store.ts';
import { namedScopes, type ScopesAsked } from './scope-rules.ts';

/** All that tokens of a user depend on, which nobody changes until the transaction ends. */
export interface TokenParents {
  /** Undefined: there is none. */
  readonly user: TokenUser | undefined;
  readonly live: LiveClient | undefined;
  /** Undefined: of the org's own server, which is no row, or gone. */
  readonly locked: LockedServer | undefined;
  /** Since when the user has the app without a break, by the database's clock; null: not at all. */
  readonly assignedSince: Date | null;
  /** What the user took back of what the client had at the server. */
  readonly takenBack: readonly ConsentWatermark[];
  /** None where neither scopes nor server ask for groups. */
  readonly groups: ClaimSubject['groups'];
  readonly appUser: ClaimSubject['appUser'];
  /** By the database's clock, when every lock was had. */
  readonly issuedAt: Date;
}

export interface TokenPlace {
  readonly userId: string;
  readonly clientId: string;
  /** Null: the org's own. */
  readonly server: ServerConfiguration | null;
  readonly requestedScopes: ScopesAsked;
}

const namesIn = (requestedScopes: ScopesAsked): readonly string[] => {
  const asked = namedScopes(requestedScopes);
  return 'refused' in asked ? [] : asked.scopes;
};

/** Whether claims of a server look at what the app knows of its user beside the name. */
const asksAppProfile = ({ claims }: ServerConfiguration): boolean =>
  claims.some(({ value, valueType }) => valueType === 'EXPRESSION' && /\bappuser\./i.test(value ?? ''));

/**
 * Locks user, app, server and the scopes asked for, in the order of the slices, and reads what decides. All statements
 * are sent together: one way to the database and back; what is read behind a lock is what stood when it was had.
 */
export async function lockTokenParents(tx: Tx, context: Context, place: TokenPlace): Promise<TokenParents> {
  const { namespace, orgId } = context;
  const { clientId, requestedScopes, server, userId } = place;
  const names = namesIn(requestedScopes);
  const withGroups = server === null ? names.includes('groups') : asksGroups(server);
  const withProfile = server !== null && asksAppProfile(server);
  const [user, live, locked, takenBack, assigned, groups, issuedAt] = await Promise.all([
    lockTokenUser(tx, orgId, userId),
    lockLiveClient(tx, orgId, clientId),
    server === null ? undefined : lockServer(tx, orgId, server.facts.id, names),
    server === null ? [] : lockConsentWatermarks(tx, orgId, { userId, clientId, serverId: server.facts.id }),
    assignedSince(tx, orgId, clientId, userId),
    withGroups ? findTokenGroups(tx, orgId, userId, namespace.upper) : [],
    databaseInstant(tx),
  ]);
  const appUser = server === null ? null : await findAppUserFacts(tx, context, clientId, userId, { withProfile });
  return { user, live, locked, takenBack, assignedSince: assigned, groups, appUser, issuedAt };
}
