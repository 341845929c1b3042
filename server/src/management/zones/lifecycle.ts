import { lifecycle, type Transition } from '../../kernel/lifecycle.ts';

export const ZONE_STATUSES = ['ACTIVE', 'INACTIVE'] as const;
export type ZoneStatus = (typeof ZONE_STATUSES)[number];

/** Actions on a zone that already has the status are no-ops, not errors. */
// biome-ignore format: the columns are the documentation
export const zoneLifecycle = lifecycle({
  activate:   { from: ['INACTIVE'], to: ['ACTIVE'],   event: 'zone.activate' },
  deactivate: { from: ['ACTIVE'],   to: ['INACTIVE'], event: 'zone.deactivate' },
} as const satisfies Record<string, Transition<ZoneStatus>>);
