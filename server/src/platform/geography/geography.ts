import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { OperatorError } from '../../kernel/errors/operator-error.ts';
import { boundedCache } from '../caches/index.ts';
import { type LookUp, openDatabase } from './database-file.ts';
import { type Network, type Place, readCountryCode, readNetwork, readPlace } from './records.ts';

export interface Geography {
  /** Returns the country that an address is in (ISO 3166-1, two capital letters). */
  readonly countryOf: (address: string) => string | null;
  readonly placeOf: (address: string) => Place | null;
  readonly networkOf: (address: string) => Network | null;
}

interface GeographyOptions {
  /** The path of a database of cities or countries (mmdb) that replaces the bundled one. */
  readonly geographyFile?: string | null;
  /** The path of a database of autonomous systems (mmdb). Without one, networks are unknown. */
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

/** Opens the bundled data on first use, so that the server starts without waiting for it. */
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

/** This error is thrown when a configured file cannot be read or is not a database in MaxMind's format. */
export class GeographyError extends OperatorError {
  override readonly name = 'GeographyError';
}

export function createGeography(options: GeographyOptions = {}): Geography {
  const { asnFile = null, geographyFile = null } = options;
  const places = geographyFile === null ? broughtData() : readMounted('GATEHOUSE_GEOGRAPHY_FILE', geographyFile);
  const networks = asnFile === null ? null : readMounted('GATEHOUSE_ASN_FILE', asnFile);
  const known = boundedCache<string, Known>(MAXIMUM_ENTRIES);

  const find = (address: string): Known => {
    // The database library accepts any text as an address.
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
