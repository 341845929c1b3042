// Formats differ: MaxMind and DB-IP nest names by language; other databases have plain text at the top level.

/** The location of an address, as far as the data contains it. */
export interface Place {
  readonly city: string | null;
  readonly state: string | null;
  readonly country: string | null;
  readonly postalCode: string | null;
  readonly geolocation: { readonly lat: number; readonly lon: number } | null;
}

export interface Network {
  readonly asNumber: number | null;
  readonly asOrg: string | null;
  readonly isp: string | null;
  readonly domain: string | null;
  readonly isProxy: boolean | null;
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});

function at(value: unknown, ...names: readonly string[]): unknown {
  let found = value;
  for (const name of names) found = fieldsOf(found)[name];
  return found;
}

const textOrNull = (...values: readonly unknown[]): string | null => {
  const text = values.find((value) => typeof value === 'string' && value !== '');
  return typeof text === 'string' ? text : null;
};

const numberOrNull = (...values: readonly unknown[]): number | null => {
  const number = values.find((value) => typeof value === 'number' && Number.isFinite(value));
  return typeof number === 'number' ? number : null;
};

/** Reads the country code of a record: two capital letters (ISO 3166-1). */
export function readCountryCode(record: unknown): string | null {
  const code = textOrNull(
    at(record, 'country', 'iso_code'),
    at(record, 'country_code'),
    at(record, 'registered_country', 'iso_code'),
  );
  return code !== null && /^[A-Z]{2}$/.test(code) ? code : null;
}

let regionNames: Intl.DisplayNames | null = null;

function countryName(code: string | null): string | null {
  regionNames ??= new Intl.DisplayNames(['en'], { type: 'region' });
  return code === null ? null : (regionNames.of(code) ?? code);
}

function readGeolocation(record: unknown): Place['geolocation'] {
  const lat = numberOrNull(at(record, 'location', 'latitude'), at(record, 'latitude'));
  const lon = numberOrNull(at(record, 'location', 'longitude'), at(record, 'longitude'));
  return lat === null || lon === null ? null : { lat, lon };
}

export function readPlace(record: unknown): Place | null {
  const place: Place = {
    city: textOrNull(at(record, 'city', 'names', 'en'), at(record, 'city')),
    state: textOrNull(at(record, 'subdivisions', '0', 'names', 'en'), at(record, 'state1')),
    country: textOrNull(at(record, 'country', 'names', 'en'), countryName(readCountryCode(record))),
    postalCode: textOrNull(at(record, 'postal', 'code'), at(record, 'postcode')),
    geolocation: readGeolocation(record),
  };
  return Object.values(place).every((value) => value === null) ? null : place;
}

const PROXY_SIGNS = ['is_anonymous', 'is_anonymous_proxy', 'is_anonymous_vpn', 'is_public_proxy', 'is_tor_exit_node'];

function readProxy(record: unknown): boolean | null {
  const signs = PROXY_SIGNS.map((name) => at(record, name) ?? at(record, 'traits', name));
  const said = signs.filter((sign) => typeof sign === 'boolean');
  return said.length === 0 ? null : said.includes(true);
}

export function readNetwork(record: unknown): Network | null {
  const field = (name: string) => [at(record, name), at(record, 'traits', name)];
  const network: Network = {
    asNumber: numberOrNull(...field('autonomous_system_number')),
    asOrg: textOrNull(...field('autonomous_system_organization')),
    isp: textOrNull(...field('isp')),
    domain: textOrNull(...field('domain')),
    isProxy: readProxy(record),
  };
  return Object.values(network).every((value) => value === null) ? null : network;
}
