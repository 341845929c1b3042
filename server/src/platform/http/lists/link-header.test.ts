import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linkHeaders } from './link-header.ts';

const baseUrl = 'https://acme.localhost:8443';

describe('linkHeaders', () => {
  test('makes one line per relation', () => {
    expect(
      linkHeaders([
        { rel: 'self', href: `${baseUrl}/api/v1/users?limit=2` },
        { rel: 'next', href: `${baseUrl}/api/v1/users?after=x&limit=2` },
      ]),
    ).toEqual([
      `<${baseUrl}/api/v1/users?limit=2>; rel="self"`,
      `<${baseUrl}/api/v1/users?after=x&limit=2>; rel="next"`,
    ]);
  });

  test('escapes what would end the URL, the value or the header line', () => {
    expect(linkHeaders([{ rel: 'self', href: '/a b,c<d>"e"é\r\nX: y%20' }])).toEqual([
      '</a%20b%2Cc%3Cd%3E%22e%22%C3%A9%0D%0AX:%20y%20>; rel="self"',
    ]);
  });

  test('no URL ever carries a character that clients split at', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (href) => {
        expect(linkHeaders([{ rel: 'self', href }])[0]).toMatch(/^<[!#-+\--;=?-~]*>; rel="self"$/);
      }),
    );
  });
});
