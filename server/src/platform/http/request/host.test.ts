import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseHost } from './host.ts';

describe('parseHost', () => {
  test.each([
    ['acme.localhost', 'acme.localhost', null],
    ['Acme.Example.COM:8443', 'acme.example.com', 8443],
    ['acme.example.com.', 'acme.example.com', null],
    ['acme.example.com.:443', 'acme.example.com', 443],
    ['xn--mnchen-3ya.example', 'xn--mnchen-3ya.example', null],
    ['127.0.0.1:1', '127.0.0.1', 1],
    ['[::1]', '::1', null],
    ['[2001:0DB8::0001]:8443', '2001:db8::1', 8443],
    ['1a.example', '1a.example', null],
  ])('reads %s', (header, hostname, port) => expect(parseHost(header)).toEqual({ hostname, port }));

  test.each([
    undefined,
    '',
    '.',
    ':443',
    'acme..example',
    'acme.example..',
    '-acme.example',
    'acme-.example',
    'user@acme.example',
    'user:password@acme.example',
    'acme.example/path',
    'acme.example?x',
    'acme.example#x',
    'acme.example, evil.example',
    'acme.example evil.example',
    ' acme.example',
    'acme_1.example',
    'münchen.example',
    'acme.example:',
    'acme.example:0',
    'acme.example:65536',
    'acme.example:+80',
    'acme.example:80:80',
    '::1',
    '[::1',
    '[::1%eth0]',
    '[127.0.0.1]',
    '[]',
    '[::1]x',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0x7f000001',
    '256.0.0.1',
    '1.2.3.4.5',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(127)}ab`,
    'a'.repeat(100_000),
  ])('refuses %j', (header) => expect(parseHost(header)).toBeNull());

  test('lets through nothing but the characters of names and addresses', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (header) => {
        const host = parseHost(header);
        expect(host === null || /^[a-z\d.:-]+$/.test(host.hostname)).toBe(true);
      }),
    );
  });
});
