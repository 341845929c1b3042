import { type AccessLimit, closedParts, secondsOf, verdictOfPassword } from '../conditions/access-limit-rules.ts';
import { asksGroups, holdsForGroups, holdsForUser, type IdChoices, NO_CHOICE } from '../conditions/people-rules.ts';
import { compileNetwork, type LoadedRule, namesOf, type RuleNames } from '../evaluation/evaluation-rules.ts';

/**
 * Which network is judged: the zones of an address, where the user is at it; `judgedBefore`: he was judged, or will be,
 * where he is; `nobody`: nobody is or was there.
 */
export type AppNetwork = { readonly zones: readonly string[] } | 'judgedBefore' | 'nobody';

/** What is known of somebody who comes to an app. */
export interface AppSignOnFacts {
  readonly userId: string;
  readonly userTypeId: string;
  /** Ids of the groups that the user is in; may be left empty where nothing asks for them. */
  readonly groups: ReadonlySet<string>;
  readonly network: AppNetwork;
}

export type AppDenial = 'DENIED_BY_RULE' | 'NETWORK_UNKNOWN' | AccessLimit;

/** What the policy of an app says of somebody, and the rule that said it. */
export interface AppSignOnDecision extends RuleNames {
  readonly access: 'ALLOW' | 'DENY';
  /** Null: the user is let in. */
  readonly reason: AppDenial | null;
  /** How old a sign-in may be in seconds; 0: there is one for each request; null: of any age. */
  readonly signInAgeSeconds: number | null;
}

/** The access policies of an org as one function. */
export interface CompiledAppSignOn {
  /** Whether anything asks in which groups somebody is. */
  readonly asksGroups: boolean;
  /** Whether anything asks where somebody is. */
  readonly asksNetwork: boolean;
  /** Whether there is anybody whom it would not let in. */
  readonly deniesSomebody: boolean;
  /** `policyId`: of the app; null, or of one that is not active: the default counts. Null: no rule holds. */
  readonly decide: (policyId: string | null, facts: AppSignOnFacts) => AppSignOnDecision | null;
}

interface CompiledRule {
  readonly decision: AppSignOnDecision;
  readonly users: IdChoices;
  readonly groups: IdChoices;
  readonly userTypes: IdChoices;
  /** Null: it holds anywhere. */
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
  // A condition that cannot be told may hold: whatever the rule says, whoever falls under the rest does not get in.
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
 * What a rule says whose people somebody is of; null: it is passed. Where the network was judged before, a rule that
 * depends on one is taken to hold if it lets in; where nobody is there, if it does not.
 */
function said({ decision, isNetwork }: CompiledRule, network: AppNetwork): AppSignOnDecision | null {
  if (isNetwork === null) return decision;
  const letsIn = decision.access === 'ALLOW';
  if (network === 'judgedBefore') return letsIn ? decision : null;
  if (network === 'nobody') return letsIn ? null : { ...decision, reason: 'NETWORK_UNKNOWN' };
  return isNetwork(network.zones) ? decision : null;
}

/** Rules in the order they are asked; `defaultId`: of the policy of apps that were put under none. */
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
