import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mmdbOf } from '../../../test/support/mmdb.ts';
import { createGeography, GeographyError } from './geography.ts';

describe('the data we bring', () => {
  const { countryOf, networkOf, placeOf } = createGeography();

  test('an address of both families is in its country; a private one is nowhere', () => {
    expect(countryOf('8.8.8.8')).toBe('US');
    expect(countryOf('2001:4860:4860::8888')).toBe('US');
    expect(countryOf('193.0.6.139')).toBe('NL');
    expect(countryOf('10.0.0.1')).toBeNull();
    expect(countryOf('::1')).toBeNull();
  });

  test('events have the name of the country, and nothing finer', () => {
    const place = { city: null, state: null, postalCode: null, geolocation: null };
    expect(placeOf('8.8.8.8')).toEqual({ ...place, country: 'United States' });
    expect(placeOf('193.0.6.139')).toEqual({ ...place, country: 'Netherlands' });
    expect(networkOf('8.8.8.8')).toBeNull();
  });

  test.each(['10.0.0.1', '127.0.0.1', '192.168.1.1', '::1', 'fe80::1', 'fd00::1', '203.0.113.9', 'unknown', ''])(
    '%s is nowhere',
    (address) => {
      expect(placeOf(address)).toBeNull();
      expect(countryOf(address)).toBeNull();
    },
  );
});

describe('data that an operator mounts', () => {
  let directory: string;
  const fileOf = (name: string, bytes: Buffer): string => {
    const file = join(directory, name);
    writeFileSync(file, bytes);
    return file;
  };
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'gatehouse-geography-'));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  const DUBLIN = {
    city: { names: { en: 'Dublin', de: 'Dublin (Kalifornien)' } },
    country: { iso_code: 'US', names: { en: 'United States' } },
    subdivisions: [{ iso_code: 'CA', names: { en: 'California' } }],
    postal: { code: '94568' },
    location: { latitude: 37.7201, longitude: -121.919 },
  };

  test('cities, as MaxMind and DB-IP have them', () => {
    const cities = mmdbOf({ '108.255.197.0/24': DUBLIN, '2600:1700::/32': { country: { iso_code: 'US' } } });
    const { countryOf, networkOf, placeOf } = createGeography({ geographyFile: fileOf('cities.mmdb', cities) });
    expect(placeOf('108.255.197.247')).toEqual({
      city: 'Dublin',
      state: 'California',
      country: 'United States',
      postalCode: '94568',
      geolocation: { lat: 37.7201, lon: -121.919 },
    });
    expect(countryOf('108.255.197.247')).toBe('US');
    expect(placeOf('2600:1700::9')).toMatchObject({ country: 'United States', city: null });
    expect(placeOf('8.8.8.8')).toBeNull();
    expect(networkOf('108.255.197.247')).toBeNull();
  });

  test('a private address is nowhere, whatever the data say', () => {
    const { placeOf } = createGeography({ geographyFile: fileOf('odd.mmdb', mmdbOf({ '10.0.0.0/8': DUBLIN })) });
    expect(placeOf('10.0.0.1')).toBeNull();
  });

  test('autonomous systems, with or without what is known of proxies', () => {
    const asns = mmdbOf({
      '8.8.8.0/24': { autonomous_system_number: 15_169, autonomous_system_organization: 'Example LLC' },
      '9.9.9.0/24': { isp: 'Nine', domain: 'example.net', is_anonymous: false, is_tor_exit_node: true },
    });
    const { networkOf, placeOf } = createGeography({ asnFile: fileOf('asn.mmdb', asns) });
    const network = { asNumber: null, asOrg: null, isp: null, domain: null, isProxy: null };
    expect(networkOf('8.8.8.8')).toEqual({ ...network, asNumber: 15_169, asOrg: 'Example LLC' });
    expect(networkOf('9.9.9.9')).toEqual({ ...network, isp: 'Nine', domain: 'example.net', isProxy: true });
    expect(networkOf('1.1.1.1')).toBeNull();
    expect(placeOf('8.8.8.8')).toMatchObject({ country: 'United States' });
  });

  const whole = mmdbOf({ '8.8.8.0/24': DUBLIN });
  test.each([
    ['missing', null, 'ENOENT'],
    ['empty', Buffer.alloc(0), 'no database in MaxMind DB format'],
    ['text', Buffer.from('8.8.8.0/24,US\n'), 'no database in MaxMind DB format'],
    ['cut at its end', whole.subarray(0, -200), 'no database in MaxMind DB format'],
    ['cut at its begin', whole.subarray(-190), 'was cut'],
  ])('a file that is %s stops the start, with its setting named', (name, bytes, reason) => {
    const file = bytes === null ? join(directory, 'none.mmdb') : fileOf(`${name}.mmdb`, bytes);
    expect(() => createGeography({ geographyFile: file })).toThrow(GeographyError);
    expect(() => createGeography({ geographyFile: file })).toThrow(`GATEHOUSE_GEOGRAPHY_FILE can't be used: `);
    expect(() => createGeography({ asnFile: file })).toThrow(`GATEHOUSE_ASN_FILE can't be used: `);
    expect(() => createGeography({ asnFile: file })).toThrow(reason);
    expect(() => createGeography({ asnFile: file })).toThrow(`(${file})`);
  });
});
