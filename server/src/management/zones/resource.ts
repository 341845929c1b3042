import type { Record } from '../../system-log/index.ts';
import { resource, statusChange } from '../resource/index.ts';
import { zoneLifecycle } from './lifecycle.ts';
import { ZONES, type Zone } from './store.ts';
import { zoneChange, zoneVersion } from './wire.ts';

/** An org has at most this many zones, because the addresses of requests are compared with them. */
export const MAXIMUM_ZONES = 1_000;

function recordUsage(record: Record, before: Zone | null, after: Zone): void {
  const target = [zoneChange([before, after])];
  if (after.usage === 'BLOCKLIST' && before?.usage !== 'BLOCKLIST')
    record({ eventType: 'zone.make_blacklist', target });
  if (after.usage !== 'BLOCKLIST' && before?.usage === 'BLOCKLIST') {
    record({ eventType: 'zone.remove_blacklist', target });
  }
}

export const zones = resource<Zone>({
  noun: 'NetworkZone',
  store: ZONES,
  version: zoneVersion,
  target: zoneChange,
  events: { create: 'zone.create', update: 'zone.update', delete: 'zone.delete' },
  limit: { maximum: MAXIMUM_ZONES, field: 'name', plural: 'zones' },
  follow: async (_tx, _context, [before, after], record) => {
    if (after !== null) recordUsage(record, before, after);
  },
});

export const { get: getZone } = zones;
export const changeZoneStatus = statusChange(zones, zoneLifecycle);
