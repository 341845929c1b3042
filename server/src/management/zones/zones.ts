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
  locate(orgId: OrgId, address: string | null): Promise<Located>;
  /** Works like `locate`, but may use older zones while the database is down. */
  locateKept(orgId: OrgId, address: string | null): Promise<Located>;
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

function locatedIn({ all, blocklists }: OrgZones, address: string): Located {
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
  const zonesOf = (orgId: OrgId): Promise<OrgZones> => cache.get(keyOf(orgId));
  const kept = createKeptCopies<OrgZones>({ clock, load: (key) => cache.get(key), bytesOf: ({ bytes }) => bytes });
  return {
    idsAt: async (orgId, address) => {
      if (address === null) return [];
      const { all } = await zonesOf(orgId);
      return all.filter((zone) => zone.holds(address)).map(({ id }) => id);
    },
    locate: async (orgId, address) => (address === null ? NOWHERE : locatedIn(await zonesOf(orgId), address)),
    locateKept: async (orgId, address) => {
      const zones = address === null ? null : await kept.read(keyOf(orgId));
      return address === null || zones === null ? NOWHERE : locatedIn(zones, address);
    },
    drop: (orgId) => {
      cache.drop(orgId);
      kept.drop(orgId);
    },
    refreshKept: () => kept.refresh(),
  };
}
