/** What can be switched, and what must be enabled before it. */
export interface Switch {
  readonly key: string;
  /** Keys of what it needs itself; what those need follows from them. */
  readonly requires: readonly string[];
}

export const FEATURE_ACTIONS = ['enable', 'disable'] as const;
export type FeatureAction = (typeof FEATURE_ACTIONS)[number];

/** The action that a path names (`ENABLE`, as links have it `enable`), or null. */
export const readAction = (text: string): FeatureAction | null =>
  FEATURE_ACTIONS.find((action) => action === text.toLowerCase()) ?? null;

/** Keys of what a switch needs to be enabled. */
export const dependenciesOf = (switches: readonly Switch[], key: string): readonly string[] =>
  switches.find((one) => one.key === key)?.requires ?? [];

/** Keys of those that need it. */
export const dependentsOf = (switches: readonly Switch[], key: string): readonly string[] =>
  switches.filter(({ requires }) => requires.includes(key)).map((one) => one.key);

/** What to switch in this order, or what must be switched before: one of the two is empty. */
export interface SwitchPlan {
  readonly switched: readonly string[];
  readonly missing: readonly string[];
}

/**
 * What becomes of a switch that is turned: enabling needs what it depends on to be enabled, disabling needs what
 * depends on it to be disabled. `force` turns those first; without it they are `missing`. What is so already stays as
 * it is.
 */
export function planSwitch(
  switches: readonly Switch[],
  enabled: ReadonlySet<string>,
  { action, force, key }: { readonly key: string; readonly action: FeatureAction; readonly force: boolean },
): SwitchPlan {
  const before = action === 'enable' ? dependenciesOf : dependentsOf;
  const isDone = (one: string): boolean => enabled.has(one) === (action === 'enable');
  if (isDone(key)) return { switched: [], missing: [] };
  const order: string[] = [];
  const seen = new Set<string>();
  const visit = (one: string): void => {
    if (seen.has(one)) return;
    seen.add(one);
    for (const first of before(switches, one)) visit(first);
    if (!isDone(one)) order.push(one);
  };
  visit(key);
  const missing = order.filter((one) => one !== key);
  return force || missing.length === 0 ? { switched: order, missing: [] } : { switched: [], missing };
}
