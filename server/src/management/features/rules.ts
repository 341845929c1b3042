/** A switch, with the switches that must be enabled before it. */
export interface Switch {
  readonly key: string;
  /** Keys of direct dependencies; indirect ones follow from these. */
  readonly requires: readonly string[];
}

export const FEATURE_ACTIONS = ['enable', 'disable'] as const;
export type FeatureAction = (typeof FEATURE_ACTIONS)[number];

/** Reads the action in a path (`ENABLE`, or `enable` as links have it); null for any other. */
export const readAction = (text: string): FeatureAction | null =>
  FEATURE_ACTIONS.find((action) => action === text.toLowerCase()) ?? null;

export const dependenciesOf = (switches: readonly Switch[], key: string): readonly string[] =>
  switches.find((one) => one.key === key)?.requires ?? [];

/** Keys of the switches that depend on this one directly. */
export const dependentsOf = (switches: readonly Switch[], key: string): readonly string[] =>
  switches.filter(({ requires }) => requires.includes(key)).map((one) => one.key);

/** The switches to turn, in this order, and those that must be turned first; one of the two lists is empty. */
export interface SwitchPlan {
  readonly switched: readonly string[];
  readonly missing: readonly string[];
}

/**
 * Plans a switch: enabling requires its dependencies to be enabled, disabling requires its dependents to be disabled.
 * `force` turns those first; without it they are `missing`. A switch in the wanted position stays as it is.
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
