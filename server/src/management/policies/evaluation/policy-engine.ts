import { type OrgId, toOrgId } from '../../../kernel/words/ids.ts';
import type { PasswordSubject } from '../../../kernel/words/password-policy.ts';
import { createAuthorisationCache, type Db } from '../../../platform/postgres/index.ts';
import type { Foundation } from '../../../system-log/index.ts';
import { groupsOfEveryone, groupsOfUser } from '../../groups/index.ts';
import { listProviderFacts } from '../../identity-providers/index.ts';
import { compileExpression } from '../conditions/expression.ts';
import { readActiveRules } from '../rules/rule-store.ts';
import { findDefaultsOf } from '../store.ts';
import { type CompiledAppSignOn, compileAppSignOn } from '../types/app-sign-on-rules.ts';
import type { PolicyType } from '../types/type-rules.ts';
import {
  type CompiledSignOn,
  compileRouting,
  compileSignOn,
  type ProviderFacts,
  type RoutingDecision,
  type RoutingFacts,
  type SignOnDecision,
  type SignOnFacts,
} from './evaluation-rules.ts';
import {
  type CompiledPassword,
  compilePassword,
  type PasswordDecision,
  type PasswordFacts,
} from './password-evaluation-rules.ts';
import { DEFAULT_PASSWORD_SETTINGS } from './password-settings-rules.ts';

/** Cached policies can be slightly out of date. */
export interface PolicyEngine {
  readonly signOn: (orgId: OrgId, facts: Omit<SignOnFacts, 'groups'>) => Promise<SignOnDecision>;
  readonly appSignOn: (orgId: OrgId) => Promise<CompiledAppSignOn>;
  readonly password: (orgId: OrgId, subject: PasswordSubject) => Promise<PasswordDecision>;
  readonly route: (orgId: OrgId, facts: RoutingFacts) => Promise<RoutingDecision>;
  readonly drop: (orgId: OrgId) => void;
}

/** Directories store the passwords of their users. Users of all other providers count as users of this org. */
const keeperOf = (providerType: string | undefined): PasswordFacts['provider'] =>
  providerType === 'ACTIVE_DIRECTORY' || providerType === 'LDAP' ? providerType : 'INTERNAL';

export interface PolicyEngineOptions extends Pick<Foundation, 'db' | 'clock'> {
  readonly listProviders?: (db: Db, orgId: OrgId) => Promise<readonly ProviderFacts[]>;
}

const MAXIMUM_ENTRIES = 1_000;
const NO_GROUPS: ReadonlySet<string> = new Set();

/** The default rules match everyone. If no rule matches, the default policy is therefore missing. */
const noDefault = (type: PolicyType): Error => new Error(`the org has no default ${type} policy`);

/** This decision applies to orgs that an older release created without a password policy. */
const CLASSIC: PasswordDecision = {
  policyId: '',
  policyName: 'Default Policy',
  settings: DEFAULT_PASSWORD_SETTINGS,
  selfService: () => ({ mayChangePassword: true, mayResetPassword: true, mayUnlock: true, question: 'ifSet' }),
};

export function createPolicyEngine(options: PolicyEngineOptions): PolicyEngine {
  const { clock, db, listProviders = listProviderFacts } = options;
  const cacheOf = <Compiled>(load: (orgId: OrgId) => Promise<Compiled>) =>
    createAuthorisationCache({ clock, maximumEntries: MAXIMUM_ENTRIES, load: ({ id }) => load(toOrgId(id)) });
  const signOnRules = cacheOf<CompiledSignOn>(async (orgId) =>
    compileSignOn(await readActiveRules(db, orgId, 'SIGN_ON')),
  );
  const appRules = cacheOf<CompiledAppSignOn>(async (orgId) => {
    const [rules, defaults] = await Promise.all([
      readActiveRules(db, orgId, 'ACCESS_POLICY'),
      findDefaultsOf(db, orgId, ['ACCESS_POLICY']),
    ]);
    const defaultId = defaults.get('ACCESS_POLICY');
    if (defaultId === undefined) throw noDefault('ACCESS_POLICY');
    return compileAppSignOn(rules, defaultId);
  });
  const passwordRules = cacheOf<CompiledPassword>(async (orgId) =>
    compilePassword(await readActiveRules(db, orgId, 'PASSWORD')),
  );
  const routingRules = cacheOf(async (orgId) => {
    const [rules, providers] = await Promise.all([
      readActiveRules(db, orgId, 'IDP_DISCOVERY'),
      listProviders(db, orgId),
    ]);
    return compileRouting(rules, providers, compileExpression);
  });
  const keyOf = (orgId: OrgId, kind: PolicyType) => ({ orgId, kind, id: orgId });
  const groupsOf = async (orgId: OrgId, userId: string | null): Promise<ReadonlySet<string>> =>
    new Set(userId === null ? await groupsOfEveryone(db, orgId) : await groupsOfUser(db, orgId, userId));
  return {
    signOn: async (orgId, { userId, zones }) => {
      const { asksGroups, decide } = await signOnRules.get(keyOf(orgId, 'SIGN_ON'));
      const decision = decide({ userId, zones, groups: asksGroups ? await groupsOf(orgId, userId) : NO_GROUPS });
      if (decision === null) throw noDefault('SIGN_ON');
      return decision;
    },
    appSignOn: async (orgId) => appRules.get(keyOf(orgId, 'ACCESS_POLICY')),
    password: async (orgId, { groupIds = [], id: userId, providerType }) => {
      const { asksGroups, decide } = await passwordRules.get(keyOf(orgId, 'PASSWORD'));
      const known = asksGroups ? await groupsOf(orgId, userId) : NO_GROUPS;
      return decide({ userId, provider: keeperOf(providerType), groups: new Set([...known, ...groupIds]) }) ?? CLASSIC;
    },
    route: async (orgId, facts) => {
      const decision = (await routingRules.get(keyOf(orgId, 'IDP_DISCOVERY')))(facts);
      if (decision === null) throw noDefault('IDP_DISCOVERY');
      return decision;
    },
    drop: (orgId) => {
      for (const rules of [signOnRules, appRules, passwordRules, routingRules]) rules.drop(orgId);
    },
  };
}
