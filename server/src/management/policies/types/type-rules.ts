import type { IdKind } from '../../../kernel/words/ids.ts';
import { accessActions, accessConditions } from '../conditions/access-rules.ts';
import {
  DEFAULT_DISCOVERY_ACTIONS,
  DEFAULT_DISCOVERY_CONDITIONS,
  discoveryActions,
  discoveryConditions,
} from '../conditions/discovery-rules.ts';
import { ANYWHERE } from '../conditions/network-rules.ts';
import { type IdChoices, NO_CHOICE, policyGroupsShape } from '../conditions/people-rules.ts';
import {
  claimSourcingActions,
  clientUpdateActions,
  deviceSignalActions,
  deviceSignalConditions,
  entityRiskActions,
  entityRiskConditions,
  postAuthSessionActions,
  postAuthSessionConditions,
  sessionViolationActions,
  sessionViolationConditions,
} from '../conditions/session-rules.ts';
import {
  DEFAULT_SIGN_ON_ACTIONS,
  DEFAULT_SIGN_ON_CONDITIONS,
  signOnActions,
  signOnConditions,
} from '../conditions/sign-on-rules.ts';
import { DEFAULT_PASSWORD_SETTINGS, passwordSettings } from '../evaluation/password-settings-rules.ts';
import { choice, mapped, notYet, object, type Shape } from './document-rules.ts';
import {
  enrollmentActions,
  enrollmentConditions,
  enrollmentSettings,
  profileEnrollmentActions,
} from './enrollment-rules.ts';
import { DEFAULT_PASSWORD_RULE, passwordRuleActions, passwordRuleConditions } from './password-rule-rules.ts';
import {
  ACCESS_RULE,
  catchAll,
  defaultRule,
  ENROLLMENT_SETTINGS,
  REGISTRATION_RULE,
  type RuleSeed,
} from './seed-rules.ts';

/** The names of the policy types without the namespace word (contract section 13). */
export const POLICY_TYPES = [
  'SIGN_ON',
  'IDP_DISCOVERY',
  'PASSWORD',
  'MFA_ENROLL',
  'ACCESS_POLICY',
  'PROFILE_ENROLLMENT',
  'POST_AUTH_SESSION',
  'ENTITY_RISK',
  'SESSION_VIOLATION_DETECTION',
  'DEVICE_SIGNAL_COLLECTION',
  'CLIENT_UPDATE',
  'IDENTITY_CLAIM_SOURCING',
] as const;
export type PolicyType = (typeof POLICY_TYPES)[number];

const PROVIDERS = ['ANY', '{WORD}', 'ACTIVE_DIRECTORY', 'LDAP'] as const;

export interface PolicyConditions {
  readonly groups: IdChoices;
  /** Only PASSWORD policies have this condition. */
  readonly authProvider?: (typeof PROVIDERS)[number];
}

export interface PolicyTypeRow {
  /** Policies of a type that is not evaluated are only validated and stored. */
  readonly isEvaluated: boolean;
  /** `one` means that no policies of this type can be created. */
  readonly policies: 'many' | 'one';
  /** `closed` means that no rules can be added to or deleted from a policy of this type. */
  readonly rules: 'open' | 'closed';
  readonly chosenBy: 'priority' | 'app';
  /**
   * Policies of `newer` types have ids of another form (contract section 2). In the API, the priorities of their rules
   * start at 0.
   */
  readonly family: 'classic' | 'newer';
  readonly conditions: Shape<PolicyConditions> | null;
  readonly settings: Shape<unknown> | null;
  readonly ruleConditions: Shape<unknown> | null;
  readonly ruleActions: Shape<unknown>;
  /** The part of the default rule or catch-all rule that may be changed. */
  readonly systemRule: 'actions' | 'limits' | 'nothing';
  /** The rule with which a new policy starts, or null if new policies of the type start without rules. */
  readonly catchAll: RuleSeed | null;
  /** The policy with which an org starts, or null if there is none. */
  readonly standard: {
    readonly name: string;
    readonly conditions: PolicyConditions | null;
    readonly settings: object | null;
    readonly rule: RuleSeed;
  } | null;
}

const groups: Shape<PolicyConditions> = mapped(
  object({ people: policyGroupsShape }),
  ({ people }) => ({ groups: people }),
  ({ groups: people }) => ({ people }),
);

const groupsAndProvider: Shape<PolicyConditions> = mapped(
  object({
    people: policyGroupsShape,
    authProvider: object({ provider: choice(PROVIDERS, 'ANY'), include: notYet }),
  }),
  ({ authProvider, people }): PolicyConditions => ({ groups: people, authProvider: authProvider.provider }),
  ({ authProvider = 'ANY', groups: people }) => ({
    people,
    authProvider: { provider: authProvider, include: undefined },
  }),
);

const EVERYONE: PolicyConditions = { groups: NO_CHOICE };
const classic = { rules: 'open', chosenBy: 'priority', family: 'classic', catchAll: null } as const;
const standardOf = (name: string, rule: RuleSeed) => ({ name, conditions: null, settings: null, rule });

const newer = (name: string, rule: RuleSeed) =>
  ({
    isEvaluated: false,
    rules: 'open',
    chosenBy: 'priority',
    policies: 'one',
    family: 'newer',
    conditions: null,
    settings: null,
    systemRule: 'actions',
    catchAll: rule,
    standard: standardOf(name, rule),
  }) as const;

export const POLICY_TYPE_ROWS: Readonly<Record<PolicyType, PolicyTypeRow>> = {
  SIGN_ON: {
    ...classic,
    isEvaluated: true,
    policies: 'many',
    conditions: groups,
    settings: null,
    ruleConditions: signOnConditions,
    ruleActions: signOnActions,
    systemRule: 'limits',
    standard: {
      name: 'Default Policy',
      conditions: EVERYONE,
      settings: null,
      rule: defaultRule(DEFAULT_SIGN_ON_CONDITIONS, DEFAULT_SIGN_ON_ACTIONS),
    },
  },
  IDP_DISCOVERY: {
    ...classic,
    isEvaluated: true,
    policies: 'one',
    conditions: null,
    settings: null,
    ruleConditions: discoveryConditions,
    ruleActions: discoveryActions,
    systemRule: 'nothing',
    standard: standardOf('Idp Discovery Policy', defaultRule(DEFAULT_DISCOVERY_CONDITIONS, DEFAULT_DISCOVERY_ACTIONS)),
  },
  PASSWORD: {
    ...classic,
    isEvaluated: true,
    policies: 'many',
    conditions: groupsAndProvider,
    settings: passwordSettings,
    ruleConditions: passwordRuleConditions,
    ruleActions: passwordRuleActions,
    systemRule: 'actions',
    standard: {
      name: 'Default Policy',
      conditions: { ...EVERYONE, authProvider: 'ANY' },
      settings: DEFAULT_PASSWORD_SETTINGS,
      rule: defaultRule(DEFAULT_PASSWORD_RULE.conditions, DEFAULT_PASSWORD_RULE.actions),
    },
  },
  MFA_ENROLL: {
    ...classic,
    isEvaluated: false,
    policies: 'many',
    conditions: groups,
    settings: enrollmentSettings,
    ruleConditions: enrollmentConditions,
    ruleActions: enrollmentActions,
    systemRule: 'actions',
    standard: {
      name: 'Default Policy',
      conditions: EVERYONE,
      settings: ENROLLMENT_SETTINGS,
      rule: defaultRule(
        { people: { users: NO_CHOICE, groups: NO_CHOICE }, network: ANYWHERE },
        { enroll: { self: 'CHALLENGE' } },
      ),
    },
  },
  ACCESS_POLICY: {
    ...newer('Default Policy', ACCESS_RULE),
    isEvaluated: true,
    policies: 'many',
    chosenBy: 'app',
    ruleConditions: accessConditions,
    ruleActions: accessActions,
  },
  PROFILE_ENROLLMENT: {
    ...newer('Default Policy', REGISTRATION_RULE),
    policies: 'many',
    rules: 'closed',
    chosenBy: 'app',
    ruleConditions: null,
    ruleActions: profileEnrollmentActions,
  },
  POST_AUTH_SESSION: {
    ...newer('Post Auth Session Policy', catchAll({ postAuthSession: { failureActions: [] } })),
    rules: 'closed',
    ruleConditions: postAuthSessionConditions,
    ruleActions: postAuthSessionActions,
  },
  ENTITY_RISK: {
    ...newer('Entity Risk Policy', catchAll({ entityRisk: { actions: [] } })),
    ruleConditions: entityRiskConditions,
    ruleActions: entityRiskActions,
  },
  SESSION_VIOLATION_DETECTION: {
    ...newer(
      'Session Violation Detection Policy',
      catchAll({ sessionViolationDetection: { policyEvaluation: { enabled: true } } }),
    ),
    ruleConditions: sessionViolationConditions,
    ruleActions: sessionViolationActions,
  },
  DEVICE_SIGNAL_COLLECTION: {
    ...newer('', catchAll({})),
    policies: 'many',
    ruleConditions: deviceSignalConditions,
    ruleActions: deviceSignalActions,
    catchAll: null,
    standard: null,
  },
  CLIENT_UPDATE: {
    ...newer(
      'Client Update Policy',
      catchAll({ updateControls: { actions: [{ action: '{WORD}_VERIFY_UPDATE', value: 'ALLOW' }] } }),
    ),
    rules: 'closed',
    ruleConditions: null,
    ruleActions: clientUpdateActions,
  },
  IDENTITY_CLAIM_SOURCING: {
    ...newer(
      'Identity Claim Sourcing Policy',
      catchAll({ claimSourcing: { redirectType: 'IDP_DISCOVERY', refresh: { redirectType: 'NONE' } } }),
    ),
    rules: 'closed',
    ruleConditions: null,
    ruleActions: claimSourcingActions,
  },
};

const isNewer = (type: PolicyType): boolean => POLICY_TYPE_ROWS[type].family === 'newer';

export const policyIdKind = (type: PolicyType): IdKind => (isNewer(type) ? 'newerPolicy' : 'policy');
export const ruleIdKind = (type: PolicyType): IdKind => (isNewer(type) ? 'newerPolicyRule' : 'policyRule');
