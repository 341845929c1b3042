import { invalid } from '../../../kernel/errors/errors.ts';
import { notOneOf, tooMany, wrongType } from '../../../kernel/errors/field-errors.ts';
import type { ZoneInput, ZoneUsage } from '../contract.ts';
import { ADDRESS_TYPES, isWiderThanANetwork, isZoneAddress, type ZoneAddress } from './address-ranges.ts';

export interface ZoneLocation {
  readonly country: string;
  /** A code such as `US-CA`. Null means the whole country. */
  readonly region: string | null;
}

interface Chosen<Item> {
  readonly include: readonly Item[];
  readonly exclude: readonly Item[];
}

export interface IpZone {
  readonly gateways: readonly ZoneAddress[];
  readonly proxies: readonly ZoneAddress[] | null;
}
export interface DynamicZone {
  readonly asns: readonly string[];
  readonly locations: readonly ZoneLocation[] | null;
  /** This is empty if the zone does not depend on the type of proxy. */
  readonly proxyType: string;
}
export interface EnhancedDynamicZone {
  readonly asns: Chosen<string>;
  readonly locations: Chosen<ZoneLocation>;
  readonly ipServiceCategories: Chosen<string>;
}
export type ZoneDocument = IpZone | DynamicZone | EnhancedDynamicZone;

const PROXY_TYPES = ['', 'null', 'Any', 'Tor', 'NotTorAnonymizer'] as const;
const MAXIMUM_ADDRESSES: Readonly<Record<ZoneUsage, number>> = { POLICY: 5_000, BLOCKLIST: 5_000 };
const MAXIMUM_ITEMS = 75;

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function listOf(field: string, value: unknown, maximum: number): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw wrongType(field, 'an array');
  if (value.length > maximum) throw tooMany(field, maximum);
  return value as readonly unknown[];
}

function readAddress(field: string, value: unknown): ZoneAddress {
  const type = isObject(value) ? ADDRESS_TYPES.find((known) => known === value['type']) : undefined;
  if (!isObject(value) || type === undefined) throw notOneOf(`${field}.type`, ADDRESS_TYPES);
  const text = value['value'];
  if (typeof text !== 'string' || text.length > 100 || !isZoneAddress({ type, value: text })) {
    throw invalid(`${field}.value`, 'must be an address, a CIDR range or a range of addresses.');
  }
  return { type, value: text };
}

/** The service believes the client address that a trusted proxy reports, so very large ranges are refused. */
function assertNarrow(proxies: readonly ZoneAddress[]): void {
  const index = proxies.findIndex(isWiderThanANetwork);
  if (index >= 0) throw invalid(`proxies[${index}].value`, 'must be at most a /8 of IPv4 or a /32 of IPv6.');
}

function readIpZone(input: Fields, usage: ZoneUsage): IpZone {
  const read = (field: string) =>
    listOf(field, input[field], MAXIMUM_ADDRESSES[usage]).map((item, index) => readAddress(`${field}[${index}]`, item));
  const proxies = input['proxies'] === undefined || input['proxies'] === null ? null : read('proxies');
  assertNarrow(proxies ?? []);
  return { gateways: read('gateways'), proxies };
}

function readLocation(field: string, value: unknown): ZoneLocation {
  const country = isObject(value) ? value['country'] : undefined;
  if (!isObject(value) || typeof country !== 'string' || !/^[A-Z]{2}$/.test(country)) {
    throw invalid(`${field}.country`, 'must be a country code of two capital letters (ISO 3166-1).');
  }
  const region = value['region'] ?? null;
  if (region !== null && (typeof region !== 'string' || !/^(?:[A-Z]{2}-)?[A-Z0-9]{1,3}$/.test(region))) {
    throw invalid(`${field}.region`, 'must be a region code (ISO 3166-2).');
  }
  if (region === null) return { country, region };
  return { country, region: region.includes('-') ? region : `${country}-${region}` };
}

const byPlace = (one: ZoneLocation, other: ZoneLocation): number =>
  `${one.country} ${one.region ?? ''}` < `${other.country} ${other.region ?? ''}` ? -1 : 1;

const readLocations = (field: string, value: unknown): ZoneLocation[] =>
  listOf(field, value, MAXIMUM_ITEMS)
    .map((item, index) => readLocation(`${field}[${index}]`, item))
    .toSorted(byPlace);

function readWords(field: string, value: unknown, pattern: RegExp): string[] {
  return listOf(field, value, MAXIMUM_ITEMS).map((item, index) => {
    const text = typeof item === 'number' ? String(item) : item;
    if (typeof text !== 'string' || !pattern.test(text)) throw invalid(`${field}[${index}]`, 'is not valid.');
    return text;
  });
}

const ASN = /^\d{1,10}$/;
const CATEGORY = /^[A-Z][A-Z0-9_]{1,60}$/;

function readDynamicZone(input: Fields): DynamicZone {
  const given = input['proxyType'] ?? '';
  const proxyType = PROXY_TYPES.find((known) => known === given);
  if (proxyType === undefined) throw invalid('proxyType', 'must be Any, Tor, NotTorAnonymizer or empty.');
  const locations = input['locations'] ?? null;
  return {
    asns: readWords('asns', input['asns'], ASN),
    locations: locations === null ? null : readLocations('locations', locations),
    proxyType: proxyType === 'null' ? '' : proxyType,
  };
}

function readChosen<Item>(
  input: Fields,
  field: string,
  read: (field: string, value: unknown) => readonly Item[],
): Chosen<Item> {
  const value = input[field] ?? {};
  if (!isObject(value)) throw invalid(field, 'must be an object with include and exclude.');
  return {
    include: read(`${field}.include`, value['include']),
    exclude: read(`${field}.exclude`, value['exclude']),
  };
}

const readEnhancedZone = (input: Fields): EnhancedDynamicZone => ({
  asns: readChosen(input, 'asns', (field, value) => readWords(field, value, ASN)),
  locations: readChosen(input, 'locations', readLocations),
  ipServiceCategories: readChosen(input, 'ipServiceCategories', (field, value) => readWords(field, value, CATEGORY)),
});

const unknowable = (usage: ZoneUsage, field: string, isAsked: boolean) => {
  // A zone leaves out addresses for which a condition cannot be evaluated, so a blocklist would not block them.
  if (usage === 'BLOCKLIST' && isAsked) {
    throw invalid(field, 'is not known for addresses in this installation, so the zone could not block anybody.');
  }
};

export function readZoneDocument(input: ZoneInput, usage: ZoneUsage): ZoneDocument {
  if (input.type === 'IP') return readIpZone(input, usage);
  if (input.type === 'DYNAMIC') {
    const zone = readDynamicZone(input);
    unknowable(usage, 'asns', zone.asns.length > 0);
    unknowable(usage, 'proxyType', zone.proxyType !== '');
    unknowable(usage, 'locations', zone.locations?.some(({ region }) => region !== null) === true);
    return zone;
  }
  const zone = readEnhancedZone(input);
  const { asns, ipServiceCategories, locations } = zone;
  unknowable(usage, 'asns', asns.include.length + asns.exclude.length > 0);
  const categories = ipServiceCategories.include.length + ipServiceCategories.exclude.length;
  unknowable(usage, 'ipServiceCategories', categories > 0);
  unknowable(
    usage,
    'locations',
    [...locations.include, ...locations.exclude].some(({ region }) => region !== null),
  );
  return zone;
}
