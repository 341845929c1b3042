import { BlockList } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileProxies, isWiderThanANetwork, isZoneAddress } from './address-ranges.ts';

const range = (value: string): boolean => isZoneAddress({ type: 'RANGE', value });

test.each([
  ['10.0.0.1-10.0.0.9', true],
  ['10.0.0.9-10.0.0.1', false],
  ['9.255.255.255-10.0.0.0', true],
  ['::-::1', true],
  ['2001:db8::1-2001:db8::', false],
  ['::ffff:1.2.3.4-::ffff:102:305', true],
  ['::ffff:1.2.3.4-::ffff:102:303', false],
  ['10.0.0.1-::1', false],
  ['fe80::1%eth0', false],
  ['1-2-3', false],
])('%s is a range: %s', (value, expected) => {
  expect(range(value)).toBe(expected);
});

test.each([
  ['CIDR', '10.0.0.0/8', false],
  ['CIDR', '10.0.0.0/7', true],
  ['CIDR', '10.1.2.3', false],
  ['RANGE', '10.0.0.0-10.255.255.255', false],
  ['RANGE', '10.0.0.0-11.0.0.0', true],
  ['CIDR', '2001:db8::/32', false],
  ['CIDR', '2001:db8::/31', true],
  ['RANGE', '2001:db8::-2001:db9::', true],
  // Mapped addresses count as IPv4.
  ['CIDR', '::ffff:10.0.0.0/104', false],
  ['CIDR', '::ffff:10.0.0.0/103', true],
  ['CIDR', '::ffff:0:0/96', true],
  ['CIDR', '::/32', true],
  ['RANGE', '::ffff:0.0.0.0-::ffff:255.255.255.255', true],
  ['RANGE', '::-::ffff:0.255.255.255', false],
  ['RANGE', '::-::ffff:1.0.0.0', true],
  ['RANGE', '::ffff:255.0.0.0-::1:0:0:0', false],
] as const)('%s %s is wider than a network: %s', (type, value, expected) => {
  expect(isWiderThanANetwork({ type, value })).toBe(expected);
});

test('proxies that are too wide, or no addresses, match nobody', () => {
  const values = ['::ffff:0:0/96', '0.0.0.0/0', 'anything', '10.0.0.0/8'];
  const isProxy = compileProxies(values.map((value) => ({ type: 'CIDR', value })));
  expect(['1.2.3.4', '10.2.3.4'].map(isProxy)).toEqual([false, true]);
});

test('a range goes up, as the platform says that it does', () => {
  const address = fc.oneof(fc.ipV4(), fc.ipV6());
  fc.assert(
    fc.property(address, address, (first, last) => {
      const family = first.includes(':') ? 'ipv6' : 'ipv4';
      const isRange = (): boolean => {
        try {
          new BlockList().addRange(first, last, family);
          return first.includes(':') === last.includes(':');
        } catch {
          return false;
        }
      };
      expect(range(`${first}-${last}`)).toBe(isRange());
    }),
  );
});
