import type { Zone } from '../store.ts';
import { compileAddresses } from './address-ranges.ts';
import type { DynamicZone, EnhancedDynamicZone, IpZone, ZoneLocation } from './zone-document.ts';

/** Returns null if the country is unknown. */
export type CountryOf = (address: string) => string | null;

export interface CompiledZone {
  readonly id: string;
  readonly name: string;
  readonly holds: (address: string) => boolean;
}

// A place with a region never matches, because only the country of an address is known.
const isIn = (country: string | null, places: readonly ZoneLocation[]): boolean =>
  places.some((place) => place.region === null && place.country === country);

function compileDynamic(zone: DynamicZone, countryOf: CountryOf): CompiledZone['holds'] {
  const isKnowable = zone.asns.length === 0 && zone.proxyType === '';
  const { locations } = zone;
  if (!isKnowable || locations === null || locations.length === 0) return () => false;
  return (address) => isIn(countryOf(address), locations);
}

function compileEnhanced(zone: EnhancedDynamicZone, countryOf: CountryOf): CompiledZone['holds'] {
  const { asns, ipServiceCategories, locations } = zone;
  // Ignoring conditions that cannot be evaluated would add addresses to the zone.
  const isKnowable = [asns, ipServiceCategories].every(({ exclude, include }) => include.length + exclude.length === 0);
  const isEmpty = locations.include.length + locations.exclude.length === 0;
  if (!isKnowable || isEmpty) return () => false;
  return (address) => {
    const country = countryOf(address);
    if (country === null || locations.exclude.some((place) => place.country === country)) return false;
    return locations.include.length === 0 || isIn(country, locations.include);
  };
}

/** A zone does not contain addresses about which a required fact is unknown. */
export function compileZone(zone: Zone, countryOf: CountryOf): CompiledZone {
  const { id, name, document } = zone;
  if (zone.type === 'IP') return { id, name, holds: compileAddresses((document as IpZone).gateways) };
  const holds =
    zone.type === 'DYNAMIC'
      ? compileDynamic(document as DynamicZone, countryOf)
      : compileEnhanced(document as EnhancedDynamicZone, countryOf);
  return { id, name, holds };
}
