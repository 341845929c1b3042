import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../kernel/errors/errors.ts';
import { trustedOriginLifecycle } from './lifecycle.ts';
import { readName, readOrigin, readScopes, wireScopes } from './rules.ts';

function causesOf(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'E0000001') return error.causes.map((cause) => cause.errorSummary);
    throw error;
  }
  return [];
}

describe('readOrigin', () => {
  test.each([
    'https://example.com',
    'http://localhost:8080',
    'https://example.com:8443',
    'http://127.0.0.1:3000',
    'https://[::1]:8443',
    'https://xn--bcher-kva.example',
  ])('takes %s', (origin) => {
    expect(readOrigin(origin)).toBe(origin);
    expect(readOrigin(`${origin}/`)).toBe(origin);
  });

  test.each([
    ['a path', 'https://example.com/app', 'https://example.com'],
    ['two final slashes', 'https://example.com//', 'https://example.com'],
    ['a query', 'https://example.com?a', 'https://example.com'],
    ['a fragment', 'https://example.com#a', 'https://example.com'],
    ['a user', 'https://ada@example.com', 'https://example.com'],
    ['capitals', 'https://Example.com', 'https://example.com'],
    ['the default port', 'https://example.com:443', 'https://example.com'],
    ['blanks around', ' https://example.com', 'https://example.com'],
    ['an unencoded name', 'https://bücher.example', 'https://xn--bcher-kva.example'],
  ])('refuses %s and says the right spelling', (_, text, origin) => {
    expect(causesOf(() => readOrigin(text))).toEqual([
      `origin: must be the origin only, as browsers send it (${origin}).`,
    ]);
  });

  test.each([
    'null',
    '',
    'example.com',
    'ftp://example.com',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://*.example.com',
    'https://*',
    'https://exa mple.com',
    'https://',
    `https://${'a'.repeat(250)}.example`,
  ])('refuses %j', (text) => {
    expect(causesOf(() => readOrigin(text))).toHaveLength(1);
  });

  test('takes nothing but what a browser would send as the origin', () => {
    fc.assert(
      fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (url) => {
        const { origin } = new URL(url);
        if (url !== origin && url !== `${origin}/`) expect(causesOf(() => readOrigin(url))).toHaveLength(1);
        if (origin.length <= 255 && causesOf(() => readOrigin(origin)).length === 0) {
          expect(new URL(readOrigin(origin)).origin).toBe(origin);
        }
      }),
    );
  });
});

describe('readName', () => {
  test('trims', () => expect(readName('  Shop ')).toBe('Shop'));
  test.each(['', '   ', 'x'.repeat(256)])('refuses %j', (text) => {
    expect(causesOf(() => readName(text))).toHaveLength(1);
  });
});

describe('readScopes', () => {
  test('takes each type once, and the apps of frames under the namespace word', () => {
    const wire = [{ type: 'CORS' }, { type: 'IFRAME_EMBED', allowedSvcApps: ['SVC_ENDUSER'] }];
    const scopes = readScopes(wire, 'Svc');
    expect(scopes).toEqual([{ type: 'CORS' }, { type: 'IFRAME_EMBED', endUserPages: true }]);
    expect(wireScopes(scopes, 'Svc')).toEqual(wire);
  });

  test.each([
    ['none', []],
    ['one twice', [{ type: 'CORS' }, { type: 'CORS' }]],
    ['an unknown type', [{ type: 'cors' }]],
    ['no type', [{}]],
    ['an inherited name', [{ type: 'constructor' }]],
    ['apps of another type', [{ type: 'CORS', allowedSvcApps: ['SVC_ENDUSER'] }]],
    ['an unknown app', [{ type: 'IFRAME_EMBED', allowedSvcApps: ['OTHER'] }]],
    ['apps that are no list', [{ type: 'IFRAME_EMBED', allowedSvcApps: 'SVC_ENDUSER' }]],
  ])('refuses %s', (_, scopes) => {
    expect(causesOf(() => readScopes(scopes, 'Svc'))).toHaveLength(1);
  });
});

test('the lifecycle: each status links to the other', () => {
  expect(trustedOriginLifecycle.linkedFrom('ACTIVE')).toEqual(['deactivate']);
  expect(trustedOriginLifecycle.linkedFrom('INACTIVE')).toEqual(['activate']);
  expect(trustedOriginLifecycle.transition('activate').to).toEqual(['ACTIVE']);
  expect(trustedOriginLifecycle.transition('deactivate').to).toEqual(['INACTIVE']);
});
