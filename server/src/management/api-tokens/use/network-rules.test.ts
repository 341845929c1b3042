import { describe, expect, test } from 'vitest';
import { ANYWHERE, isAllowedFrom, readNetwork, zonesOf } from './network-rules.ts';

const zone = (include: string[], exclude: string[] = []) => readNetwork({ connection: 'ZONE', include, exclude });

describe('read', () => {
  test.each([
    [{}, ANYWHERE],
    [{ connection: 'ANYWHERE', include: [], exclude: null }, ANYWHERE],
    [
      { connection: 'ZONE', include: ['a', 'a'] },
      { connection: 'ZONE', include: ['a'] },
    ],
    [
      { connection: 'ZONE', exclude: ['b'] },
      { connection: 'ZONE', exclude: ['b'] },
    ],
  ])('%j is %j', (input, network) => expect(readNetwork(input)).toEqual(network));

  test.each([
    { connection: 'MOON' },
    { connection: 'ZONE' },
    { connection: 'ZONE', include: [], exclude: null },
    { connection: 'ANYWHERE', include: ['a'] },
    { include: ['a'] },
    { connection: 'ZONE', include: Array.from({ length: 101 }, (_, index) => `z${index}`) },
  ])('refuses %j', (input) => expect(() => readNetwork(input)).toThrow('network'));

  test('names its zones once', () => expect(zonesOf(zone(['a', 'ALL_ZONES'], ['a', 'b']))).toEqual(['a', 'b']));
});

describe('from where it may be used', () => {
  test.each([
    [ANYWHERE, null, true],
    [ANYWHERE, [], true],
    [zone(['a']), ['a', 'b'], true],
    [zone(['a']), ['b'], false],
    [zone(['a']), [], false],
    [zone(['a']), null, false],
    [zone([], ['a']), ['b'], true],
    [zone([], ['a']), [], true],
    [zone([], ['a']), ['a'], false],
    [zone([], ['a']), null, false],
    [zone(['a'], ['b']), ['a', 'b'], false],
    [zone(['ALL_ZONES']), ['c'], true],
    [zone(['ALL_ZONES']), [], false],
    [zone([], ['ALL_ZONES']), ['c'], false],
  ])('%j from %j: %s', (network, zones, isAllowed) => expect(isAllowedFrom(network, zones)).toBe(isAllowed));
});
