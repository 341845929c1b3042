import type { Context } from '../../../kernel/context.ts';
import { assertReadsAsStored } from '../../../kernel/stored.ts';
import { type Members, refused } from '../../../kernel/words/members.ts';
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
import { wordsOf } from '../types/words.ts';
import { checkExpressions } from './check-references.ts';

function typeOf(row: Members): PolicyType {
  const type = POLICY_TYPES.find((known) => known === row['type']);
  if (type === undefined) throw refused('type', 'There is no such type of policy.');
  return type;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/**
 * Judges the row of a policy, out of a file, as if what the API shows of it were put back. What it names of the org's
 * other things may be gone since, as with the API. 400 E0000001.
 */
export function checkStoredPolicy(row: Members, context: Context): void {
  const type = typeOf(row);
  const words = wordsOf(context);
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

/** It reads the row of a rule. 400 E0000001. */
export function checkStoredRule(row: Members, context: Context): void {
  const type = typeOf(row);
  const words = wordsOf(context);
  const name = textOf(row['name']);
  readName(name, name);
  const { actions, conditions = null } = row as { readonly actions?: object; readonly conditions?: object | null };
  if (actions === undefined) throw refused('actions', 'is required.');
  const stored = documentOf(type, conditions, actions);
  const read = readRuleDocument(type, wireRuleDocument(stored, words), words, conditions === null);
  assertReadsAsStored('conditions', conditions, read.conditions);
  if (read.type === 'IDP_DISCOVERY') checkExpressions(read.conditions);
  // Types of providers come from the providers themselves.
  else assertReadsAsStored('actions', actions, read.actions);
}

/** How many rules a policy of this type may have besides its last one. 400 E0000001 for a type that there is not. */
export const maximumRulesOfType = (type: unknown): number => maximumRulesOf(typeOf({ type }));

/** How many regular expressions the row of a rule has: a policy may have so many in all. */
export function expressionsIn(row: Members): number {
  const { actions, conditions = null } = row as { readonly actions?: object; readonly conditions?: object | null };
  return typeOf(row) === 'IDP_DISCOVERY' ? expressionsOf(documentOf('IDP_DISCOVERY', conditions, actions ?? {})) : 0;
}
