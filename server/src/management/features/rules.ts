export interface Switch {
  readonly key: string;
  /** The keys of direct dependencies. */
  readonly requires: readonly string[];
}

export const FEATURE_ACTIONS = ['enable', 'disable'] as const;
export type FeatureAction = (typeof FEATURE_ACTIONS)[number];

export const readAction = (text: string): FeatureAction | null =>
  FEATURE_ACTIONS.find((action) => action === text.toLowerCase()) ?? null;

export const dependenciesOf = (switches: readonly Switch[], key: string): readonly string[] =>
  switches.find((one) => one.key === key)?.requires ?? [];

export const dependentsOf = (switches: readonly Switch[], key: string): readonly string[] =>
  switches.filter(({ requires }) => requires.includes(key)).map((one) => one.key);

/** The switches to change, in this order, or the switches that must be changed first. */
export interface SwitchPlan {
  readonly switched: readonly string[];
  readonly missing: readonly string[];
}

/**
 * A switch can only be on while its dependencies are on. `force` also changes the switches that prevent the change;
 * without `force`, they are listed as `missing`.
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
