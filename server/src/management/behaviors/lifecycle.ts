import { lifecycle, type Transition } from '../../kernel/lifecycle.ts';

export const BEHAVIOR_STATUSES = ['ACTIVE', 'INACTIVE'] as const;
export type BehaviorStatus = (typeof BEHAVIOR_STATUSES)[number];

/** An action is a no-op, not an error, if the behavior already has the resulting status. */
// biome-ignore format: the columns are the documentation
export const behaviorLifecycle = lifecycle({
  activate:   { from: ['INACTIVE'], to: ['ACTIVE'],   event: 'security.behavior.settings.update' },
  deactivate: { from: ['ACTIVE'],   to: ['INACTIVE'], event: 'security.behavior.settings.update' },
} as const satisfies Record<string, Transition<BehaviorStatus>>);
