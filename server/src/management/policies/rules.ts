import {
  DEFAULT_DISCOVERY_ACTIONS,
  DEFAULT_DISCOVERY_CONDITIONS,
  type DiscoveryActions,
  type DiscoveryConditions,
  type DiscoveryWords,
  readDiscoveryActions,
  readDiscoveryConditions,
  wireDiscoveryActions,
  wireDiscoveryConditions,
} from './discovery-rules.ts';
import { isAbsent, MAXIMUM_TEXT_LENGTH, type Members, readIds, readMembers, refused } from './shape-rules.ts';
import {
  DEFAULT_SIGN_ON_ACTIONS,
  DEFAULT_SIGN_ON_CONDITIONS,
  readSignOnActions,
  readSignOnConditions,
  type SignOnActions,
  type SignOnConditions,
  wireSignOnActions,
  wireSignOnConditions,
} from './sign-on-rules.ts';

/** Neutral: the wire says `{WORD}_SIGN_ON` for policies, and SIGN_ON for their rules. */
export const POLICY_TYPES = ['SIGN_ON', 'IDP_DISCOVERY'] as const;
export type PolicyType = (typeof POLICY_TYPES)[number];

/** Types of the contract (OpenAPI PolicyType) that no policy can have here yet. */
const LATER_TYPES: ReadonlySet<string> = new Set([
  'ACCESS_POLICY',
  'CLIENT_UPDATE',
  'DEVICE_SIGNAL_COLLECTION',
  'ENTITY_RISK',
  'IDENTITY_CLAIM_SOURCING',
  'MFA_ENROLL',
  'PASSWORD',
  'POST_AUTH_SESSION',
  'PROFILE_ENROLLMENT',
  'SESSION_VIOLATION_DETECTION',
]);

const MAXIMUM_DESCRIPTION_LENGTH = 1_024;

/** Per type and org, the default not counted; every sign-in may have to look at all of them. */
export const MAXIMUM_POLICIES = 100;
/** Per policy, the default not counted. */
export const MAXIMUM_RULES = 100;
/** Per policy: what costs most, each time a login is sent on its way. */
export const MAXIMUM_EXPRESSIONS = 100;

export type RuleDocument =
  | { readonly type: 'SIGN_ON'; readonly conditions: SignOnConditions; readonly actions: SignOnActions }
  | { readonly type: 'IDP_DISCOVERY'; readonly conditions: DiscoveryConditions; readonly actions: DiscoveryActions };

/** The default policy of each type and its default rule: what holds where nothing else does. */
export const DEFAULT_POLICIES: readonly { readonly name: string; readonly rule: RuleDocument }[] = [
  {
    name: 'Default Policy',
    rule: { type: 'SIGN_ON', conditions: DEFAULT_SIGN_ON_CONDITIONS, actions: DEFAULT_SIGN_ON_ACTIONS },
  },
  {
    name: 'Idp Discovery Policy',
    rule: { type: 'IDP_DISCOVERY', conditions: DEFAULT_DISCOVERY_CONDITIONS, actions: DEFAULT_DISCOVERY_ACTIONS },
  },
];
export const DEFAULT_RULE_NAME = 'Default Rule';

export const wirePolicyType = (type: PolicyType, upperWord: string): string =>
  type === 'SIGN_ON' ? `${upperWord}_SIGN_ON` : type;

/** The type of a policy. 400 E0000001 for none, an unknown one, and one that is not supported yet. */
export function readPolicyType(text: string | undefined, upperWord: string): PolicyType {
  if (text === undefined) throw refused('type', 'The field cannot be left blank');
  const type = POLICY_TYPES.find((known) => wirePolicyType(known, upperWord) === text);
  if (type !== undefined) return type;
  const shown = text.slice(0, 100);
  throw refused('type', LATER_TYPES.has(text) ? `${shown} is not supported yet.` : `There is no policy type ${shown}.`);
}

/** A rule's type, where it is said at all, is its policy's. 400 E0000001. */
export function checkRuleType(text: string | null | undefined, policyType: PolicyType): void {
  if (isAbsent(text) || text === policyType) return;
  throw refused('type', `Rules of this policy are of the type ${policyType}.`);
}

/** The trimmed name. 400 E0000001 when it is blank or too long. */
export function readName(text: string): string {
  const name = text.trim().normalize('NFC');
  if (name === '') throw refused('name', 'The field cannot be left blank');
  if (Array.from(name).length > MAXIMUM_TEXT_LENGTH) {
    throw refused('name', `The field must be at most ${MAXIMUM_TEXT_LENGTH} characters in length`);
  }
  return name;
}

export function readDescription(text: string | null | undefined): string | null {
  if (isAbsent(text)) return null;
  if (Array.from(text).length > MAXIMUM_DESCRIPTION_LENGTH) {
    throw refused('description', `The field must be at most ${MAXIMUM_DESCRIPTION_LENGTH} characters in length`);
  }
  return text;
}

/** The place asked for, or null for none. Beyond the end means the end. 400 E0000001 below 1. */
export function readPriority(priority: number | null | undefined): number | null {
  if (isAbsent(priority)) return null;
  if (!Number.isSafeInteger(priority) || priority < 1) throw refused('priority', 'must be a whole number from 1.');
  return priority;
}

/** What a policy itself may ask: groups, none of which exist yet. Absent or empty: it is everyone's. 400 E0000001. */
export function checkPolicyConditions(type: PolicyType, value: unknown): void {
  if (type === 'IDP_DISCOVERY') {
    readMembers('conditions', value, []);
    return;
  }
  const { people } = readMembers('conditions', value, ['people']);
  const { groups } = readMembers('conditions.people', people, ['groups']);
  const place = 'conditions.people.groups.include';
  const { include, exclude } = readMembers('conditions.people.groups', groups, ['include', 'exclude']);
  const [group] = [...readIds(place, include, MAXIMUM_POLICIES), ...readIds(place, exclude, MAXIMUM_POLICIES)];
  if (group !== undefined) throw refused(place, `There is no group ${group}.`);
}

/** The conditions of a policy as the wire has them. */
export const wirePolicyConditions = (type: PolicyType): Members | null =>
  type === 'SIGN_ON' ? { people: { groups: { include: [] } } } : null;

/** Reads the conditions and actions of a rule by its type. 400 E0000001. */
export function readRuleDocument(
  type: PolicyType,
  body: { readonly conditions?: unknown; readonly actions?: unknown },
  words: DiscoveryWords,
): RuleDocument {
  return type === 'SIGN_ON'
    ? {
        type,
        conditions: readSignOnConditions(body.conditions, words.upperWord),
        actions: readSignOnActions(body.actions),
      }
    : {
        type,
        conditions: readDiscoveryConditions(body.conditions, words),
        actions: readDiscoveryActions(body.actions, words),
      };
}

/** Conditions and actions as the wire has them. */
export function wireRuleDocument(
  document: RuleDocument,
  upperWord: string,
): { readonly conditions: Members; readonly actions: Members } {
  return document.type === 'SIGN_ON'
    ? {
        conditions: wireSignOnConditions(document.conditions, upperWord),
        actions: wireSignOnActions(document.actions),
      }
    : {
        conditions: wireDiscoveryConditions(document.conditions),
        actions: wireDiscoveryActions(document.actions, upperWord),
      };
}

/** How many of a rule's patterns are regular expressions. */
export const expressionsOf = (document: RuleDocument): number =>
  document.type === 'SIGN_ON'
    ? 0
    : document.conditions.userIdentifier.patterns.filter(({ matchType }) => matchType === 'EXPRESSION').length;
