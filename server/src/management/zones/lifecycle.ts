import { lifecycle, type Transition } from '../../kernel/lifecycle.ts';

export const ZONE_STATUSES = ['ACTIVE', 'INACTIVE'] as const;
export type ZoneStatus = (typeof ZONE_STATUSES)[number];

/** An action is a no-op, not an error, if the zone already has the resulting status. */
// biome-ignore format: the columns are the documentation
export const zoneLifecycle = lifecycle({
  activate:   { from: ['INACTIVE'], to: ['ACTIVE'],   event: 'zone.activate' },
  deactivate: { from: ['ACTIVE'],   to: ['INACTIVE'], event: 'zone.deactivate' },
} as const satisfies Record<string, Transition<ZoneStatus>>);
