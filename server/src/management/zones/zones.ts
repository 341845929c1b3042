import type { Clock } from '../../kernel/clock.ts';
import { type OrgId, toOrgId } from '../../kernel/words/ids.ts';
import { createAuthorisationCache, createKeptCopies, type Db } from '../../platform/postgres/index.ts';
import { type CompiledZone, type CountryOf, compileZone } from './matching/zone-matching.ts';
import { MAXIMUM_ZONES } from './resource.ts';
import { readActiveZones } from './store.ts';

/** Cached zones can be slightly out of date. */
export interface Zones {
  idsAt(orgId: OrgId, address: string | null): Promise<readonly string[]>;
  /** Finds the first active blocklist zone and the names of all active zones that contain the address. */
  locate(orgId: OrgId, address: string | null): Located | Promise<Located>;
  /** Works like `locate`, but may use older zones while the database is down. */
  locateKept(orgId: OrgId, address: string | null): Located | Promise<Located>;
  /** Call this after a change to the org's zones has been committed. */
  drop(orgId: OrgId): void;
  refreshKept(): Promise<void>;
}

export interface Located {
  /** This is null if no active blocklist zone contains the address. */
  readonly blockedBy: { readonly id: string; readonly name: string } | null;
  /** The zones are searched only when this function is called, because only events need the names. */
  readonly names: () => readonly string[];
}

interface OrgZones {
  readonly all: readonly CompiledZone[];
  readonly blocklists: readonly CompiledZone[];
  /** The approximate size in memory. */
  readonly bytes: number;
}

const NOWHERE: Located = { blockedBy: null, names: () => [] };

function locatedIn(zones: OrgZones | null, address: string): Located {
  if (zones === null) return NOWHERE;
  const { all, blocklists } = zones;
  const zone = blocklists.find((one) => one.holds(address));
  return {
    blockedBy: zone === undefined ? null : { id: zone.id, name: zone.name },
    names: () => all.filter((one) => one.holds(address)).map(({ name }) => name),
  };
}

export function createZones(options: { db: Db; clock: Clock; countryOf: CountryOf }): Zones {
  const { clock, countryOf, db } = options;
  const cache = createAuthorisationCache<OrgZones>({
    clock,
    load: async ({ id }) => {
      const zones = await readActiveZones(db, toOrgId(id), MAXIMUM_ZONES);
      const compiled = zones.map((zone) => ({ usage: zone.usage, zone: compileZone(zone, countryOf) }));
      const blocklists = compiled.filter(({ usage }) => usage === 'BLOCKLIST').map(({ zone }) => zone);
      return { all: compiled.map(({ zone }) => zone), blocklists, bytes: JSON.stringify(zones).length };
    },
  });
  const keyOf = (orgId: OrgId) => ({ orgId, kind: 'zones', id: orgId });
  const located = (
    address: string | null,
    read: (orgId: OrgId) => OrgZones | null | Promise<OrgZones | null>,
    orgId: OrgId,
  ): Located | Promise<Located> => {
    if (address === null) return NOWHERE;
    const zones = read(orgId);
    return zones instanceof Promise ? zones.then((found) => locatedIn(found, address)) : locatedIn(zones, address);
  };
  const zonesOf = (orgId: OrgId) => cache.get(keyOf(orgId));
  const kept = createKeptCopies<OrgZones>({ clock, load: (key) => cache.get(key), bytesOf: ({ bytes }) => bytes });
  const keptZonesOf = (orgId: OrgId) => kept.read(keyOf(orgId));
  return {
    idsAt: async (orgId, address) => {
      if (address === null) return [];
      const { all } = await zonesOf(orgId);
      return all.filter((zone) => zone.holds(address)).map(({ id }) => id);
    },
    locate: (orgId, address) => located(address, zonesOf, orgId),
    locateKept: (orgId, address) => located(address, keptZonesOf, orgId),
    drop: (orgId) => {
      cache.drop(orgId);
      kept.drop(orgId);
    },
    refreshKept: () => kept.refresh(),
  };
}
