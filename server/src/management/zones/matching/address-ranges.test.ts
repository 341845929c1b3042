import { BlockList } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isZoneAddress } from './address-ranges.ts';

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
