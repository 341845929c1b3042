import { asksGroups, holdsForGroups, holdsForUser, type IdChoices } from '../conditions/people-rules.ts';
import type { PasswordRuleActions } from '../types/password-rule-rules.ts';
import type { PolicyConditions } from '../types/type-rules.ts';
import { compileNetwork, groupsOfPolicy, type LoadedRule } from './evaluation-rules.ts';
import type { PasswordSettings } from './password-settings-rules.ts';

/** Whom a password policy is asked for. */
export interface PasswordFacts {
  /** Null: someone who is only being made. */
  readonly userId: string | null;
  /** Ids of the groups; may be left empty where nothing asks for them. */
  readonly groups: ReadonlySet<string>;
  /** Who keeps the password; INTERNAL: this org itself. */
  readonly provider: 'INTERNAL' | 'ACTIVE_DIRECTORY' | 'LDAP';
}

/** What users may do about their own password, and how they prove to be themselves. */
export interface SelfServiceDecision {
  readonly mayChangePassword: boolean;
  readonly mayResetPassword: boolean;
  readonly mayUnlock: boolean;
  /** Whether the recovery question is asked: `ifSet` of those who have one, `required` of everybody. */
  readonly question: 'ifSet' | 'required' | 'never';
}

/** The policy that someone is under. */
export interface PasswordDecision {
  readonly policyId: string;
  readonly policyName: string;
  readonly settings: PasswordSettings;
  /** By the first of the policy's rules that holds where the client is; where none does, nothing is allowed. */
  readonly selfService: (zones: readonly string[]) => SelfServiceDecision;
}

export interface CompiledPassword {
  readonly asksGroups: boolean;
  /** The first policy that is for someone and has a rule for him. Null: none. */
  readonly decide: (facts: PasswordFacts) => PasswordDecision | null;
}

const NOTHING: SelfServiceDecision = {
  mayChangePassword: false,
  mayResetPassword: false,
  mayUnlock: false,
  question: 'ifSet',
};

/** Mail is the only way here to prove oneself without the password: a rule that names others only allows nothing. */
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
 * Rules in the order they are asked. A policy is someone's by its groups, its provider and the people of its rules;
 * from where the client comes decides only what may be done there: a weaker password, or more attempts, must not be a
 * question of the network that somebody chooses.
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
