import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { LRUCache } from 'lru-cache';
import { type CountryResponse, Reader } from 'mmdb-lib';

export interface Geography {
  /** The country an address is registered in (ISO 3166-1, two capital letters); null: not known. */
  readonly countryOf: (address: string) => string | null;
}

const DATA = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb';
const MAXIMUM_ENTRIES = 10_000;

/** Offline data of where addresses are (CC0). It is read when it is first asked for: most orgs never ask. */
export function createGeography(): Geography {
  let reader: Reader<CountryResponse> | null = null;
  const known = new LRUCache<string, { readonly country: string | null }>({ max: MAXIMUM_ENTRIES });
  return {
    countryOf: (address) => {
      const cached = known.get(address);
      if (cached !== undefined) return cached.country;
      reader ??= new Reader<CountryResponse>(readFileSync(createRequire(import.meta.url).resolve(DATA)));
      // This data has the code at the top, unlike the format which the library has types for.
      const code: unknown = Reflect.get(reader.get(address) ?? {}, 'country_code');
      const country = typeof code === 'string' ? code : null;
      known.set(address, { country });
      return country;
    },
  };
}
