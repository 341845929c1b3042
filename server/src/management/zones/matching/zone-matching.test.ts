import { describe, expect, test } from 'vitest';
import type { ZoneInput } from '../contract.ts';
import type { Zone } from '../store.ts';
import { readZoneDocument } from './zone-document.ts';
import { compileZone } from './zone-matching.ts';

const COUNTRIES: Readonly<Record<string, string>> = { '192.0.2.1': 'CH', '198.51.100.1': 'US' };

/**
 * Tells which of three addresses a zone contains: one in Switzerland, one in the United States, and one in an unknown
 * country.
 */
function heldBy(given: Omit<ZoneInput, 'name'>): string {
  const input: ZoneInput = { name: 'Zone', ...given } as ZoneInput;
  const at = new Date(0);
  const zone: Zone = {
    id: 'nzo1',
    type: input.type,
    name: 'Zone',
    status: 'ACTIVE',
    usage: 'POLICY',
    system: false,
    document: readZoneDocument(input, 'POLICY'),
    createdAt: at,
    lastUpdatedAt: at,
    revision: 1,
  };
  const { holds } = compileZone(zone, (address) => COUNTRIES[address] ?? null);
  return [...Object.keys(COUNTRIES), '127.0.0.1'].map((address) => (holds(address) ? 'yes' : 'no')).join(' ');
}

const SWISS = { country: 'CH' };
const REGION = { country: 'CH', region: 'CH-BE' };

describe('a dynamic zone', () => {
  test.each<[string, object, string]>([
    ['of a country', { locations: [SWISS] }, 'yes no no'],
    ['of a region, which is not known', { locations: [REGION] }, 'no no no'],
    ['of nothing', {}, 'no no no'],
    ['of a network, which is not known', { locations: [SWISS], asns: ['64500'] }, 'no no no'],
    ['of proxies, which are not known', { locations: [SWISS], proxyType: 'Tor' }, 'no no no'],
  ])('%s', (_, given, held) => {
    expect(heldBy({ type: 'DYNAMIC', ...given })).toBe(held);
  });
});

describe('an enhanced dynamic zone', () => {
  const include = { locations: { include: [SWISS] } };
  test.each<[string, object, string]>([
    ['with a country', include, 'yes no no'],
    ['without a country', { locations: { exclude: [SWISS] } }, 'no yes no'],
    ['with a country, without a region of it', { locations: { include: [SWISS], exclude: [REGION] } }, 'no no no'],
    ['with a network', { ...include, asns: { include: ['64500'] } }, 'no no no'],
    ['without a network', { ...include, asns: { exclude: ['64500'] } }, 'no no no'],
    ['with services', { ...include, ipServiceCategories: { include: ['ALL_IP_SERVICES'] } }, 'no no no'],
    ['without services', { ...include, ipServiceCategories: { exclude: ['ALL_IP_SERVICES'] } }, 'no no no'],
  ])('%s', (_, given, held) => {
    expect(heldBy({ type: 'DYNAMIC_V2', ...given })).toBe(held);
  });
});
