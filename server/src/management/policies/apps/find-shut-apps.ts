import type { Db } from '../../../platform/postgres/index.ts';
import { closedParts } from '../conditions/access-limit-rules.ts';
import { readAppsUnder, readAskedAccessRules } from '../cross-org-store.ts';

/** A rule with parts that cannot be evaluated or verified, and the labels of the apps that it closes to users. */
export interface ShuttingRule {
  readonly org: string;
  readonly policy: string;
  readonly rule: string;
  /** The parts as paths in the rule's document. */
  readonly parts: readonly string[];
  readonly apps: readonly string[];
}

/** The maximum number of rules that are checked, across all orgs. */
const MAXIMUM_RULES = 10_000;
const MAXIMUM_APPS = 1_000;

/**
 * Finds the active rules that close active OpenID Connect apps to users because parts of the rules cannot be evaluated
 * or verified (ADR 0053).
 */
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
