import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressKind } from './address.ts';

describe('an address is', () => {
  test.each(['1.1.1.1', '93.184.216.34', '192.1.2.3', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001:81b::200e'])(
    'public: %s',
    (address) => expect(addressKind(address)).toBe('public'),
  );

  test.each([
    '127.0.0.1',
    '127.255.255.254',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '::1',
    'fc00::1',
    'fd12:3456::1',
  ])('private: %s', (address) => expect(addressKind(address)).toBe('private'));

  test.each([
    ['metadata', '169.254.169.254'],
    ['metadata of another cloud', '100.100.100.200'],
    ['metadata at a public address', '168.63.129.16'],
    ['metadata', '192.0.0.192'],
    ['metadata', 'fd00:ec2::254'],
    ['metadata, written out', 'fd00:0ec2:0:0:0:0:0:254'],
    ['metadata', 'fd20:ce::254'],
    ['link-local', '169.254.0.1'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['public with a zone', '2606:4700::1111%eth0'],
    ['unspecified', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['unspecified', '::'],
    ['multicast', '224.0.0.1'],
    ['multicast', 'ff02::1'],
    ['broadcast', '255.255.255.255'],
    ['reserved', '240.0.0.1'],
    ['documentation', '192.0.2.1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['benchmarking', '198.18.0.1'],
    ['mapped loopback', '::ffff:127.0.0.1'],
    ['mapped loopback in hexadecimal', '::ffff:7f00:1'],
    ['mapped public', '::ffff:1.1.1.1'],
    ['compatible', '::127.0.0.1'],
    ['compatible', '::1.1.1.1'],
    ['translated (SIIT)', '::ffff:0:127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['NAT64', '64:ff9b::1.1.1.1'],
    ['local NAT64', '64:ff9b:1::7f00:1'],
    ['6to4', '2002:7f00:1::'],
    ['Teredo', '2001:0:7f00:1::'],
    ['site-local', 'fec0::1'],
    ['discard', '100::1'],
    ['a name', 'localhost'],
    ['short', '127.1'],
    ['octal', '0177.0.0.1'],
    ['decimal', '2130706433'],
    ['hexadecimal', '0x7f000001'],
    ['zero', '0'],
    ['empty', ''],
    ['in brackets', '[::1]'],
  ])('forbidden (%s): %s', (_, address) => expect(addressKind(address)).toBe('forbidden'));

  test('never public as an IPv6 form of an IPv4 address', () => {
    const prefixes = ['::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::'];
    fc.assert(
      fc.property(fc.constantFrom(...prefixes), fc.ipV4(), (prefix, address) => {
        expect(addressKind(prefix + address)).not.toBe('public');
      }),
    );
  });

  test('never public for text that is no address', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(addressKind(`${text}x`)).toBe('forbidden');
      }),
    );
  });
});
