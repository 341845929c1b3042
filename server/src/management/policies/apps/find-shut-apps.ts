import type { Db } from '../../../platform/postgres/index.ts';
import { closedParts } from '../conditions/access-limit-rules.ts';
import { readAppsUnder, readAskedAccessRules } from '../cross-org-store.ts';

/** A rule that asks for something that cannot be evaluated yet, and the apps that it closes. */
export interface ShuttingRule {
  readonly org: string;
  readonly policy: string;
  readonly rule: string;
  /** Places in the rule's document. */
  readonly parts: readonly string[];
  readonly apps: readonly string[];
}

/** Limits above the length of any report that somebody would read. */
const MAXIMUM_RULES = 10_000;
const MAXIMUM_APPS = 1_000;

/** Finds the apps of all orgs that such a rule closes to the users it matches; rules without apps are left out. */
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
