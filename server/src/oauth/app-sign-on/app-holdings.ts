import type { Clock } from '../../kernel/clock.ts';
import { type ClientId, type OrgId, toOrgId } from '../../kernel/words/ids.ts';
import { groupsOfUser } from '../../management/groups/index.ts';
import { createAuthorisationCache, type Db } from '../../platform/postgres/index.ts';
import { type AppPoliciesPorts, decideAppSignOn } from './decide-app-sign-on.ts';
import { findHoldingFacts } from './store.ts';

/** A user's assignment to an app, and the decision of the app's policy. */
export interface AppHolding {
  /** The start of the user's uninterrupted access to the app, by the database's clock; null if there is none. */
  readonly since: Date | null;
  readonly access: 'ALLOW' | 'DENY';
}

export interface AppHoldingsPorts extends Pick<AppPoliciesPorts, 'appSignOn'> {
  readonly db: Db;
}

export async function findAppHolding(
  { appSignOn, db }: AppHoldingsPorts,
  orgId: OrgId,
  clientId: ClientId,
  userId: string,
): Promise<AppHolding> {
  const policies = await appSignOn(orgId);
  const [facts, groupIds] = await Promise.all([
    findHoldingFacts(db, orgId, clientId, userId),
    policies.deniesSomebody && policies.asksGroups ? groupsOfUser(db, orgId, userId) : [],
  ]);
  const { accessPolicyId, since, userTypeId } = facts;
  if (!policies.deniesSomebody || since === null || userTypeId === null) return { since, access: 'ALLOW' };
  const { access } = decideAppSignOn(
    { policies, zones: [] },
    {
      path: 'useUserToken',
      isPublicClient: false,
      accessPolicyId,
      user: { id: userId, typeId: userTypeId },
      groupIds,
    },
  );
  return { since, access };
}

/** A short-lived cache of users' access to apps. */
export interface AppHoldings {
  get(orgId: OrgId, clientId: ClientId, user: { readonly id: string } | null): Promise<AppHolding | null>;
  drop(orgId: OrgId): void;
}

export function createAppHoldings(ports: AppHoldingsPorts & { readonly clock: Clock }): AppHoldings {
  const holdings = createAuthorisationCache<AppHolding>({
    clock: ports.clock,
    load: ({ id, orgId }) => {
      // Ids contain no spaces.
      const [clientId = '', userId = ''] = id.split(' ');
      return findAppHolding(ports, toOrgId(orgId ?? ''), clientId, userId);
    },
  });
  return {
    get: async (orgId, clientId, user) =>
      user === null ? null : holdings.get({ orgId, kind: 'holding', id: `${clientId} ${user.id}` }),
    drop: (orgId) => holdings.drop(orgId),
  };
}
