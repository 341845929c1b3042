import { asksGroups, holdsForGroups, holdsForUser, type IdChoices } from '../conditions/people-rules.ts';
import type { PasswordRuleActions } from '../types/password-rule-rules.ts';
import type { PolicyConditions } from '../types/type-rules.ts';
import { compileNetwork, groupsOfPolicy, type LoadedRule } from './evaluation-rules.ts';
import type { PasswordSettings } from './password-settings-rules.ts';

export interface PasswordFacts {
  /** This is null for a user who is unknown or is being created. */
  readonly userId: string | null;
  readonly groups: ReadonlySet<string>;
  /** INTERNAL is this org itself. */
  readonly provider: 'INTERNAL' | 'ACTIVE_DIRECTORY' | 'LDAP';
}

export interface SelfServiceDecision {
  readonly mayChangePassword: boolean;
  readonly mayResetPassword: boolean;
  readonly mayUnlock: boolean;
  /** `ifSet` asks only users who have a recovery question. */
  readonly question: 'ifSet' | 'required' | 'never';
}

export interface PasswordDecision {
  readonly policyId: string;
  readonly policyName: string;
  readonly settings: PasswordSettings;
  /** The first rule that matches the client's zones decides. Without such a rule, nothing is allowed. */
  readonly selfService: (zones: readonly string[]) => SelfServiceDecision;
}

export interface CompiledPassword {
  readonly asksGroups: boolean;
  /** Returns the first policy that applies to the user and has a rule for the user, or null if there is none. */
  readonly decide: (facts: PasswordFacts) => PasswordDecision | null;
}

const NOTHING: SelfServiceDecision = {
  mayChangePassword: false,
  mayResetPassword: false,
  mayUnlock: false,
  question: 'ifSet',
};

/** Email is the only supported recovery method. */
function selfServiceOf(actions: PasswordRuleActions, { recovery }: PasswordSettings): SelfServiceDecision {
  const { requirement } = actions;
  const takesMail = recovery.email.isActive && (requirement?.methods ?? ['email']).includes('email');
  const isRequired = requirement?.isQuestionRequired ?? null;
  const asked = isRequired === null ? 'ifSet' : isRequired ? 'required' : 'never';
  return {
    mayChangePassword: actions.passwordChange === 'ALLOW',
    mayResetPassword: takesMail && actions.selfServicePasswordReset === 'ALLOW',
    mayUnlock: recovery.email.isActive && actions.selfServiceUnlock === 'ALLOW',
    question: recovery.question.isActive ? asked : 'never',
  };
}

interface CompiledRule {
  readonly users: IdChoices;
  readonly groups: IdChoices;
  readonly isNetwork: (zones: readonly string[]) => boolean;
  readonly decision: SelfServiceDecision;
}

interface CompiledPolicy extends Pick<PasswordDecision, 'policyId' | 'policyName' | 'settings'> {
  readonly groups: IdChoices;
  readonly provider: NonNullable<PolicyConditions['authProvider']>;
  readonly rules: CompiledRule[];
}

function compilePolicies(rules: readonly LoadedRule[]): CompiledPolicy[] {
  const policies = new Map<string, CompiledPolicy>();
  for (const rule of rules) {
    if (rule.type !== 'PASSWORD' || rule.policySettings === null) continue;
    const { policyConditions, policyId, policyName } = rule;
    const policy = policies.get(policyId) ?? {
      policyId,
      policyName,
      settings: rule.policySettings as PasswordSettings,
      groups: groupsOfPolicy(rule),
      provider: policyConditions?.authProvider ?? 'ANY',
      rules: [],
    };
    const { network, people } = rule.conditions;
    const decision = selfServiceOf(rule.actions, policy.settings);
    policy.rules.push({ ...people, isNetwork: compileNetwork(network), decision });
    policies.set(policyId, policy);
  }
  return [...policies.values()];
}

const holdsForProvider = (wanted: CompiledPolicy['provider'], { provider }: PasswordFacts): boolean =>
  wanted === 'ANY' || (wanted === '{WORD}' ? provider === 'INTERNAL' : provider === wanted);

const holdsForPeople = ({ groups, users }: CompiledRule, facts: PasswordFacts): boolean =>
  holdsForGroups(groups, facts.groups) && holdsForUser(users, facts.userId);

/**
 * The network decides about self-service only. If the network also chose the policy, users could set a weaker
 * password or get more attempts by choosing a network.
 */
export function compilePassword(rules: readonly LoadedRule[]): CompiledPassword {
  const policies = compilePolicies(rules);
  return {
    asksGroups: policies.some(
      ({ groups, rules: own }) => asksGroups(groups) || own.some((rule) => asksGroups(rule.groups)),
    ),
    decide: (facts) => {
      for (const { groups, policyId, policyName, provider, rules: own, settings } of policies) {
        if (!holdsForGroups(groups, facts.groups) || !holdsForProvider(provider, facts)) continue;
        const meant = own.filter((rule) => holdsForPeople(rule, facts));
        if (meant.length === 0) continue;
        const selfService = (zones: readonly string[]) =>
          meant.find(({ isNetwork }) => isNetwork(zones))?.decision ?? NOTHING;
        return { policyId, policyName, settings, selfService };
      }
      return null;
    },
  };
}
