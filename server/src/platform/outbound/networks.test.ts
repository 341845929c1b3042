import { expect, test } from 'vitest';
import { networksOf } from './networks.ts';

const networks = networksOf(['10.0.0.0/8', '192.168.7.3/32', 'fd00:1::/32']);

test.each(['10.0.0.0', '10.255.255.255', '192.168.7.3', 'fd00:1::1', 'fd00:1:ffff::'])('has %s', (address) =>
  expect(networks.has(address)).toBe(true),
);

test.each(['11.0.0.0', '192.168.7.4', 'fd00:2::1', '::ffff:10.0.0.1', '10.1', 'ten', '', '167772161', '0xa000001'])(
  'has not %j',
  (address) => expect(networks.has(address)).toBe(false),
);

test('of nothing has nothing', () => expect(networksOf([]).has('10.0.0.1')).toBe(false));
