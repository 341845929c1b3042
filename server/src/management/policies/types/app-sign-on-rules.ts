import { type AccessLimit, closedParts, secondsOf, verdictOfPassword } from '../conditions/access-limit-rules.ts';
import { asksGroups, holdsForGroups, holdsForUser, type IdChoices, NO_CHOICE } from '../conditions/people-rules.ts';
import { compileNetwork, type LoadedRule, namesOf, type RuleNames } from '../evaluation/evaluation-rules.ts';

/** `judgedBefore` means that the network is evaluated elsewhere. `nobody` means that no user is present. */
export type AppNetwork = { readonly zones: readonly string[] } | 'judgedBefore' | 'nobody';

export interface AppSignOnFacts {
  readonly userId: string;
  readonly userTypeId: string;
  /** The ids of the user's groups. The set may be empty if no rule depends on groups. */
  readonly groups: ReadonlySet<string>;
  readonly network: AppNetwork;
}

export type AppDenial = 'DENIED_BY_RULE' | 'NETWORK_UNKNOWN' | AccessLimit;

export interface AppSignOnDecision extends RuleNames {
  readonly access: 'ALLOW' | 'DENY';
  readonly reason: AppDenial | null;
  /** The maximum age of the sign-in, in seconds; null allows any age. */
  readonly signInAgeSeconds: number | null;
}

export interface CompiledAppSignOn {
  readonly asksGroups: boolean;
  readonly asksNetwork: boolean;
  readonly deniesSomebody: boolean;
  /** The default policy decides if `policyId` is null or names an inactive policy. Returns null if no rule matches. */
  readonly decide: (policyId: string | null, facts: AppSignOnFacts) => AppSignOnDecision | null;
}

interface CompiledRule {
  readonly decision: AppSignOnDecision;
  readonly users: IdChoices;
  readonly groups: IdChoices;
  readonly userTypes: IdChoices;
  /** This is null if the rule applies on any network. */
  readonly isNetwork: ((zones: readonly string[]) => boolean) | null;
}

type AccessRule = Extract<LoadedRule, { readonly type: 'ACCESS_POLICY' }>;

function decisionOf(rule: AccessRule): AppSignOnDecision {
  const { actions, conditions } = rule;
  const denied = (reason: AppDenial): AppSignOnDecision => ({
    ...namesOf(rule),
    access: 'DENY',
    reason,
    signInAgeSeconds: null,
  });
  const closed = closedParts(conditions, actions);
  // A condition that cannot be evaluated might be true. Everyone who meets the other conditions is therefore denied
  // access.
  if (closed.conditions.length > 0) return denied('CONDITION_NOT_EVALUATED');
  if (actions.appSignOn.access === 'DENY') return denied('DENIED_BY_RULE');
  if (closed.actions.length > 0) return denied('SECOND_FACTOR_REQUIRED');
  const ages = verdictOfPassword(actions.appSignOn.verificationMethod).reauthenticateIn.map(secondsOf);
  return {
    ...namesOf(rule),
    access: 'ALLOW',
    reason: null,
    signInAgeSeconds: ages.length === 0 ? null : Math.min(...ages),
  };
}

function compileRule(rule: AccessRule): CompiledRule {
  const { network, people, userType } = rule.conditions ?? {};
  return {
    decision: decisionOf(rule),
    users: people?.users ?? NO_CHOICE,
    groups: people?.groups ?? NO_CHOICE,
    userTypes: userType ?? NO_CHOICE,
    isNetwork: network === undefined || network.connection === 'ANYWHERE' ? null : compileNetwork(network),
  };
}

const holdsForPeople = ({ groups, userTypes, users }: CompiledRule, facts: AppSignOnFacts): boolean =>
  holdsForUser(users, facts.userId) &&
  holdsForGroups(groups, facts.groups) &&
  holdsForUser(userTypes, facts.userTypeId);

/**
 * Returns the decision of a rule, or null if the rule does not apply. A rule may depend on a network that is not known
 * here. If the network is evaluated elsewhere, such a rule applies only if it allows access. If nobody is present, it
 * applies only if it denies access.
 */
function said({ decision, isNetwork }: CompiledRule, network: AppNetwork): AppSignOnDecision | null {
  if (isNetwork === null) return decision;
  const letsIn = decision.access === 'ALLOW';
  if (network === 'judgedBefore') return letsIn ? decision : null;
  if (network === 'nobody') return letsIn ? null : { ...decision, reason: 'NETWORK_UNKNOWN' };
  return isNetwork(network.zones) ? decision : null;
}

/** `defaultId` is the id of the default access policy. */
export function compileAppSignOn(rules: readonly LoadedRule[], defaultId: string): CompiledAppSignOn {
  const byPolicy = new Map<string, CompiledRule[]>();
  for (const rule of rules) {
    if (rule.type !== 'ACCESS_POLICY') continue;
    const compiled = byPolicy.get(rule.policyId) ?? [];
    compiled.push(compileRule(rule));
    byPolicy.set(rule.policyId, compiled);
  }
  const all = [...byPolicy.values()].flat();
  return {
    asksGroups: all.some(({ groups }) => asksGroups(groups)),
    asksNetwork: all.some(({ isNetwork }) => isNetwork !== null),
    deniesSomebody: all.some(({ decision, isNetwork }) => decision.access === 'DENY' || isNetwork !== null),
    decide: (policyId, facts) => {
      const own = policyId === null ? undefined : byPolicy.get(policyId);
      for (const rule of own ?? byPolicy.get(defaultId) ?? []) {
        if (!holdsForPeople(rule, facts)) continue;
        const decision = said(rule, facts.network);
        if (decision !== null) return decision;
      }
      return null;
    },
  };
}
