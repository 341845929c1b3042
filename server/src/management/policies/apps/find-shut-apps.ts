import type { Db } from '../../../platform/postgres/index.ts';
import { closedParts } from '../conditions/access-limit-rules.ts';
import { readAppsUnder, readAskedAccessRules } from '../cross-org-store.ts';

/** A rule that asks for what cannot be told or checked yet, and the apps that it shuts. */
export interface ShuttingRule {
  readonly org: string;
  readonly policy: string;
  readonly rule: string;
  /** Places in the rule's document. */
  readonly parts: readonly string[];
  readonly apps: readonly string[];
}

/** More than anybody looks through at once. */
const MAXIMUM_RULES = 10_000;
const MAXIMUM_APPS = 1_000;

/** Which apps of all orgs are shut for whoever falls under such a rule; rules that no app is under are left out. */
export async function findShutApps(db: Db): Promise<readonly ShuttingRule[]> {
  const found: ShuttingRule[] = [];
  for (const rule of await readAskedAccessRules(db, MAXIMUM_RULES)) {
    const { actions, conditions } = closedParts(rule.conditions, rule.actions);
    const parts = [...conditions, ...actions];
    const apps = parts.length === 0 ? [] : await readAppsUnder(db, rule, MAXIMUM_APPS);
    if (apps.length === 0) continue;
    found.push({ org: rule.subdomain, policy: rule.policyName, rule: rule.ruleName, parts, apps });
  }
  return found;
}
