import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressPrefix, compileCidrs, resolveClientAddress } from './client-address.ts';

const trustedProxies = compileCidrs(['10.0.0.0/8', '2001:db8:aa::/48', '192.0.2.1']);
const resolve = (socketAddress: string, forwardedFor?: string) =>
  resolveClientAddress({ socketAddress, forwardedFor, trustedProxies });

describe('compileCidrs', () => {
  test.each([
    ['10.0.0.0', true],
    ['10.255.255.255', true],
    ['::ffff:10.1.2.3', true],
    ['11.0.0.0', false],
    ['192.0.2.1', true],
    ['192.0.2.2', false],
    ['2001:db8:aa::1', true],
    ['2001:DB8:AA:0:0:0:0:1', true],
    ['2001:db8:ab::1', false],
    ['', false],
    ['garbage', false],
    ['010.0.0.1', false],
    ['167772161', false],
  ])('matches %s: %s', (address, expected) => expect(trustedProxies.matches(address)).toBe(expected));

  test('takes IPv4-mapped ranges as IPv4, and an empty list as nobody', () => {
    expect(compileCidrs(['::ffff:10.0.0.0/104']).matches('10.9.9.9')).toBe(true);
    expect(compileCidrs([]).matches('127.0.0.1')).toBe(false);
    expect(compileCidrs(['0.0.0.0/0']).matches('::1')).toBe(false);
  });

  test('names every bad entry', () => {
    const bad = [
      '10.0.0.0/33',
      '::/129',
      '::ffff:0:0/95',
      'proxy.example',
      '10.0.0.0/8/8',
      '10.0.0.0/',
      '0x7f.1',
      'fe80::1%eth0',
    ];
    expect(() => compileCidrs(['10.0.0.0/8', ...bad])).toThrow(
      `not an IP address or CIDR range: ${bad.map((text) => JSON.stringify(text)).join(', ')}`,
    );
  });
});

describe('resolveClientAddress', () => {
  test.each<[string, string | undefined, string | null, string[]]>([
    ['203.0.113.9', undefined, '203.0.113.9', ['203.0.113.9']],
    ['::ffff:203.0.113.9', undefined, '203.0.113.9', ['203.0.113.9']],
    ['2001:0DB8:0:0::1', undefined, '2001:db8::1', ['2001:db8::1']],
    ['fe80::1%eth0', undefined, 'fe80::1', ['fe80::1']],
    ['', '1.2.3.4', null, []],
    // The header of an untrusted peer is ignored.
    ['203.0.113.9', '1.2.3.4', '203.0.113.9', ['203.0.113.9']],
    ['203.0.113.9', '10.0.0.1', '203.0.113.9', ['203.0.113.9']],
    // If the peer is trusted, the last untrusted address counts or, without one, the first trusted one. Addresses that
    // the client itself claims are left out.
    ['10.0.0.1', '1.2.3.4', '1.2.3.4', ['1.2.3.4', '10.0.0.1']],
    ['10.0.0.1', '9.9.9.9, 1.2.3.4', '1.2.3.4', ['1.2.3.4', '10.0.0.1']],
    ['10.0.0.1', '1.2.3.4,10.0.0.2 , 192.0.2.1', '1.2.3.4', ['1.2.3.4', '10.0.0.2', '192.0.2.1', '10.0.0.1']],
    ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3', ['10.0.0.3', '10.0.0.2', '10.0.0.1']],
    ['10.0.0.1', '', '10.0.0.1', ['10.0.0.1']],
    ['10.0.0.1', ',', '10.0.0.1', ['10.0.0.1']],
    ['10.0.0.1', '1.2.3.4:5678', '1.2.3.4', ['1.2.3.4', '10.0.0.1']],
    ['10.0.0.1', '[2001:db8::7]:80', '2001:db8::7', ['2001:db8::7', '10.0.0.1']],
    ['10.0.0.1', '[2001:db8::7]', '2001:db8::7', ['2001:db8::7', '10.0.0.1']],
    ['10.0.0.1', '::ffff:1.2.3.4', '1.2.3.4', ['1.2.3.4', '10.0.0.1']],
    // Reading stops at an invalid address. The valid address that was read just before it counts.
    ['10.0.0.1', '1.2.3.4, unknown', '10.0.0.1', ['10.0.0.1']],
    ['10.0.0.1', '1.2.3.4, unknown, 10.0.0.2', '10.0.0.2', ['10.0.0.2', '10.0.0.1']],
    ['10.0.0.1', '1.2.3.4:99999999', '10.0.0.1', ['10.0.0.1']],
    ['10.0.0.1', '[1.2.3.4]', '10.0.0.1', ['10.0.0.1']],
    ['10.0.0.1', '010.1.1.1', '10.0.0.1', ['10.0.0.1']],
    ['10.0.0.1', "1.2.3.4' or 1=1", '10.0.0.1', ['10.0.0.1']],
  ])('%s with %j is %s', (socketAddress, forwardedFor, ipAddress, ipChain) => {
    expect(resolve(socketAddress, forwardedFor)).toEqual({ ipAddress, ipChain });
  });

  test('reads a bounded number of hops', () => {
    const { ipChain } = resolve('10.0.0.1', Array.from({ length: 1_000 }, () => '10.0.0.2').join(','));
    expect(ipChain).toHaveLength(33);
  });

  test('whatever a client sends before its own address changes nothing', () => {
    fc.assert(
      fc.property(fc.string(), (claimed) => {
        expect(resolve('10.0.0.1', `${claimed},203.0.113.9`)).toEqual(resolve('10.0.0.1', '203.0.113.9'));
        expect(resolve('203.0.113.9', claimed)).toEqual(resolve('203.0.113.9'));
      }),
    );
  });
});

describe('addressPrefix', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['::1', '::/64'],
    ['', 'unknown'],
    ['nobody', 'unknown'],
  ])('of %s is %s', (ip, prefix) => expect(addressPrefix(ip)).toBe(prefix));
});
