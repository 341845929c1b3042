import type { Clock } from '../../kernel/clock.ts';
import { type OrgId, toOrgId } from '../../kernel/ids.ts';
import { createAuthorisationCache, type Db } from '../../platform/postgres/index.ts';
import {
  compileRouting,
  compileSignOn,
  type ProviderFacts,
  type RoutingDecision,
  type RoutingFacts,
  type SignOnDecision,
  type SignOnFacts,
} from './evaluation-rules.ts';
import { compileExpression } from './expression.ts';
import { readActiveRules } from './rule-store.ts';
import type { PolicyType } from './rules.ts';

/** Asks the policies of an org. What it knows of them is at most a second old. */
export interface PolicyEngine {
  /** Whether and for how long someone may be signed in. */
  readonly signOn: (orgId: OrgId, facts: SignOnFacts) => Promise<SignOnDecision>;
  /** Which identity providers a login is sent to. */
  readonly route: (orgId: OrgId, facts: RoutingFacts) => Promise<RoutingDecision>;
  /** Called when this process has changed policies, rules or identity providers of an org. */
  readonly drop: (orgId: OrgId) => void;
}

export interface PolicyEngineOptions {
  readonly db: Db;
  readonly clock: Clock;
  /** The org's identity providers, of every status. */
  readonly listProviders: (db: Db, orgId: OrgId) => Promise<readonly ProviderFacts[]>;
}

/** Orgs whose compiled rules are kept; each entry lives a second. */
const MAXIMUM_ENTRIES = 1_000;

/** Default rules hold for everyone; without them nobody can be let in. */
const noDefault = (type: PolicyType): Error => new Error(`the org has no default ${type} policy`);

export function createPolicyEngine({ db, clock, listProviders }: PolicyEngineOptions): PolicyEngine {
  const signOnRules = createAuthorisationCache({
    clock,
    maximumEntries: MAXIMUM_ENTRIES,
    load: async ({ id }) => compileSignOn(await readActiveRules(db, toOrgId(id), 'SIGN_ON')),
  });
  const routingRules = createAuthorisationCache({
    clock,
    maximumEntries: MAXIMUM_ENTRIES,
    load: async ({ id }) => {
      const orgId = toOrgId(id);
      const [rules, providers] = await Promise.all([
        readActiveRules(db, orgId, 'IDP_DISCOVERY'),
        listProviders(db, orgId),
      ]);
      return compileRouting(rules, providers, compileExpression);
    },
  });
  const keyOf = (orgId: OrgId, kind: PolicyType) => ({ orgId, kind, id: orgId });
  return {
    signOn: async (orgId, facts) => {
      const decision = (await signOnRules.get(keyOf(orgId, 'SIGN_ON')))(facts);
      if (decision === null) throw noDefault('SIGN_ON');
      return decision;
    },
    route: async (orgId, facts) => {
      const decision = (await routingRules.get(keyOf(orgId, 'IDP_DISCOVERY')))(facts);
      if (decision === null) throw noDefault('IDP_DISCOVERY');
      return decision;
    },
    drop: (orgId) => {
      signOnRules.drop(orgId);
      routingRules.drop(orgId);
    },
  };
}
