import { lifecycle, type Transition } from '../../kernel/lifecycle.ts';

export const ZONE_STATUSES = ['ACTIVE', 'INACTIVE'] as const;
export type ZoneStatus = (typeof ZONE_STATUSES)[number];

/** Activating an active zone or deactivating an inactive zone is a no-op, not an error. */
// biome-ignore format: the columns are the documentation
export const zoneLifecycle = lifecycle({
  activate:   { from: ['INACTIVE'], to: ['ACTIVE'],   event: 'zone.activate' },
  deactivate: { from: ['ACTIVE'],   to: ['INACTIVE'], event: 'zone.deactivate' },
} as const satisfies Record<string, Transition<ZoneStatus>>);
