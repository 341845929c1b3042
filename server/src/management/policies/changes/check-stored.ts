import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { required } from '../../../kernel/errors/field-errors.ts';
import { assertReadsAsStored } from '../../../kernel/stored.ts';
import type { Members } from '../../../kernel/words/members.ts';
import { policyNamesOf } from '../types/policy-names.ts';
import {
  documentOf,
  expressionsOf,
  maximumRulesOf,
  readDescription,
  readName,
  readPolicyConditions,
  readPolicySettings,
  readRuleDocument,
  wirePolicyConditions,
  wirePolicySettings,
  wireRuleDocument,
} from '../types/rules.ts';
import { POLICY_TYPES, type PolicyConditions, type PolicyType } from '../types/type-rules.ts';
import { checkExpressions } from './check-references.ts';

function typeOf(row: Members): PolicyType {
  const type = POLICY_TYPES.find((known) => known === row['type']);
  if (type === undefined) throw invalid('type', 'There is no such type of policy.');
  return type;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Validates an imported policy, but accepts references to missing objects. */
export function checkStoredPolicy(row: Members, context: Context): void {
  const type = typeOf(row);
  const words = policyNamesOf(context);
  const name = textOf(row['name']);
  readName(name, name);
  readDescription(textOrNull(row['description']));
  const conditions = row['conditions'] ?? null;
  if (conditions !== null) {
    const wire = wirePolicyConditions(type, conditions as PolicyConditions, words);
    assertReadsAsStored('conditions', conditions, readPolicyConditions(type, wire, words));
  }
  const settings = row['settings'] ?? null;
  if (settings === null) return;
  const wire = wirePolicySettings(type, settings, words);
  assertReadsAsStored('settings', settings, readPolicySettings(type, wire, words, undefined));
}

export function checkStoredRule(row: Members, context: Context): void {
  const type = typeOf(row);
  const words = policyNamesOf(context);
  const name = textOf(row['name']);
  readName(name, name);
  const { actions, conditions = null } = row as { readonly actions?: object; readonly conditions?: object | null };
  if (actions === undefined) throw required('actions');
  const stored = documentOf(type, conditions, actions);
  const read = readRuleDocument(type, wireRuleDocument(stored, words), words, conditions === null);
  assertReadsAsStored('conditions', conditions, read.conditions);
  if (read.type === 'IDP_DISCOVERY') checkExpressions(read.conditions);
  // The actions of routing rules are not compared, because they contain types that are derived from the providers.
  else assertReadsAsStored('actions', actions, read.actions);
}

/** Returns the maximum number of rules of a policy, besides its default or catch-all rule. */
export const maximumRulesOfType = (type: unknown): number => maximumRulesOf(typeOf({ type }));

export function expressionsIn(row: Members): number {
  const { actions, conditions = null } = row as { readonly actions?: object; readonly conditions?: object | null };
  return typeOf(row) === 'IDP_DISCOVERY' ? expressionsOf(documentOf('IDP_DISCOVERY', conditions, actions ?? {})) : 0;
}
