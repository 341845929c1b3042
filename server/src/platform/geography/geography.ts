import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { boundedCache } from '../caches/index.ts';
import { type LookUp, openDatabase } from './database-file.ts';
import { type Network, type Place, readCountryCode, readNetwork, readPlace } from './records.ts';

export interface Geography {
  /** The country an address is in (ISO 3166-1, two capital letters); null: unknown. */
  readonly countryOf: (address: string) => string | null;
  /** Null: unknown, or a private address. */
  readonly placeOf: (address: string) => Place | null;
  /** Null: unknown, or a private address. */
  readonly networkOf: (address: string) => Network | null;
}

interface GeographyOptions {
  /** A database of cities or countries (mmdb) instead of the bundled one. */
  readonly geographyFile?: string | null;
  /** A database of autonomous systems (mmdb); without one, networks are unknown. */
  readonly asnFile?: string | null;
}

const BROUGHT = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb';
const MAXIMUM_ENTRIES = 10_000;

interface Known {
  readonly country: string | null;
  readonly place: Place | null;
  readonly network: Network | null;
}

const NOWHERE: Known = { country: null, place: null, network: null };

/** Loaded on first use: a start need not wait for it, and its 8 MB are not allocated before they are needed. */
function broughtData(): LookUp {
  let lookUp: LookUp | null = null;
  return (address) => {
    lookUp ??= openDatabase(readFileSync(createRequire(import.meta.url).resolve(BROUGHT)));
    return lookUp(address);
  };
}

function readMounted(setting: string, file: string): LookUp {
  try {
    return openDatabase(readFileSync(file));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new GeographyError(`${setting} can't be used: ${reason} (${file})`);
  }
}

const isPrivate = (address: string): boolean => ipaddr.parse(address).range() !== 'unicast';

/** A configured file is missing or not such a database. */
export class GeographyError extends Error {
  override readonly name = 'GeographyError';
}

/**
 * Opens the offline data about addresses. The operator's files are read completely. Throws GeographyError, which names
 * the setting and the fault of its file.
 */
export function createGeography(options: GeographyOptions = {}): Geography {
  const { asnFile = null, geographyFile = null } = options;
  const places = geographyFile === null ? broughtData() : readMounted('GATEHOUSE_GEOGRAPHY_FILE', geographyFile);
  const networks = asnFile === null ? null : readMounted('GATEHOUSE_ASN_FILE', asnFile);
  const known = boundedCache<string, Known>(MAXIMUM_ENTRIES);

  const find = (address: string): Known => {
    // The library accepts any text as an address.
    if (isIP(address) === 0 || isPrivate(address)) return NOWHERE;
    const record = places(address);
    return {
      country: readCountryCode(record),
      place: readPlace(record),
      network: networks === null ? null : readNetwork(networks(address)),
    };
  };
  const knownOf = (address: string): Known => {
    const earlier = known.get(address);
    if (earlier !== undefined) return earlier;
    const found = find(address);
    known.set(address, found);
    return found;
  };
  return {
    countryOf: (address) => knownOf(address).country,
    placeOf: (address) => knownOf(address).place,
    networkOf: (address) => knownOf(address).network,
  };
}
