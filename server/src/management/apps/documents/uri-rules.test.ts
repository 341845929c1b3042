import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors/errors.ts';
import { APPLICATION_TYPES } from '../../../kernel/words/client-words.ts';
import type { ApplicationType } from './document-contract.ts';
import { assertNoPlainRedirect, readRedirectUri } from './uri-rules.ts';
import { readSecureUri, readWebUri } from './web-uri-rules.ts';

function causeOf(run: () => unknown): string | null {
  try {
    run();
    return null;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'E0000001') throw error;
    expect(error.message).toBe('Api validation failed: uri');
    return error.causes[0]?.errorSummary ?? '';
  }
}

const redirect = (text: string, applicationType: ApplicationType, wildcards = false) =>
  readRedirectUri('uri', text, { applicationType, wildcards });

describe('plain http', () => {
  const refusal = (uris: readonly string[], before: readonly string[] = []) =>
    causeOf(() => assertNoPlainRedirect('uri', uris, before));

  test.each(['http://rp.example/cb', 'HTTP://rp.example/cb', 'http://localhost.evil.example/', 'http://10.0.0.1/'])(
    '%s is refused, but where the app has it',
    (uri) => {
      expect(refusal(['https://rp.example/cb', uri])).toContain('must have the scheme https');
      expect(refusal([uri], [`${uri}x`])).toContain('must have the scheme https');
      expect(refusal([uri], [uri])).toBeNull();
    },
  );

  test('on the device itself, and another scheme, is none', () => {
    expect(refusal(['http://localhost/', 'http://127.0.0.1:1/cb', 'http://[::1]/', 'com.example.app:/cb'])).toBeNull();
  });
});

describe('redirect URIs', () => {
  test.each([
    'https://app.example.com/callback',
    'https://app.example.com:8443/callback?tenant=1',
    'http://localhost:8080/callback',
    'http://127.0.0.1/callback',
    'http://[::1]:9000/',
  ])('every type of app takes %s', (uri) => {
    for (const type of APPLICATION_TYPES) expect(redirect(uri, type)).toBe(uri);
  });

  test.each([
    'http://test.com',
    'http://localhost.evil.example/',
    'http://127.0.0.1.evil.example/',
    'http://10.0.0.1/',
  ])('a native app does not take %s, which is not on its device', (uri) => {
    expect(causeOf(() => redirect(uri, 'native'))).toContain('loopback');
    for (const type of ['web', 'browser', 'service'] as const) expect(redirect(uri, type)).toBe(uri);
  });

  test.each(['myapp://callback', 'com.example.app:/oauth2redirect'])('only a native app takes %s', (uri) => {
    expect(redirect(uri, 'native')).toBe(uri);
    for (const type of ['web', 'browser', 'service'] as const) {
      expect(causeOf(() => redirect(uri, type))).toBe('uri: must have the scheme http or https.');
    }
  });

  test.each([
    '',
    '/callback',
    'app.example.com/callback',
    'https://',
    'https:///callback',
    'https:app.example.com',
    'https:/app.example.com',
    'https://app.example.com/cb#fragment',
    'https://app.example.com/#',
    'https://user@app.example.com/',
    'https://user:pass@app.example.com/',
    'https://app.example.com\\@evil.example/',
    ' https://app.example.com/',
    'https://app.example.com/a b',
    'https://app.example.com/\t',
    'https://app.example.com/\nSet-Cookie:x',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'vbscript:x',
    'blob:https://app.example.com/1',
    'ws://app.example.com/',
    'mailto:ada@example.com',
  ])('no type of app takes %j', (uri) => {
    for (const type of APPLICATION_TYPES) expect(causeOf(() => redirect(uri, type))).not.toBeNull();
  });

  test('what is taken is absolute, without fragment and user, and unchanged', () => {
    const text = fc.oneof(fc.string(), fc.webUrl({ withFragments: true, withQueryParameters: true }));
    fc.assert(
      fc.property(text, fc.constantFrom(...APPLICATION_TYPES), (uri, type) => {
        if (causeOf(() => redirect(uri, type)) !== null) return;
        const { hash, username, password } = new URL(redirect(uri, type));
        expect({ hash, username, password }).toEqual({ hash: '', username: '', password: '' });
        expect(redirect(uri, type)).toBe(uri);
      }),
    );
  });
});

describe('wildcards', () => {
  test.each(['https://*.example.com/cb', 'https://redirect-*-domain.example.com/cb', 'https://*.example.com:8443'])(
    '%s is taken only where the app asked for wildcards',
    (uri) => {
      expect(redirect(uri, 'web', true)).toBe(uri);
      expect(causeOf(() => redirect(uri, 'web'))).toContain('wildcard');
    },
  );

  test.each([
    'https://*',
    'https://*.com/cb',
    'https://*/cb',
    'https://app.*.example.com/cb',
    'https://*.*.example.com/cb',
    'https://*-*.example.com/cb',
    'https://app.example.com/*',
    'https://app.example.com/cb?x=*',
    'https://*.example.com/*',
    'http://*.example.com/cb',
    'https://*@evil.example.com/cb',
    'https://evil.example/*.example.com/cb',
    'https://*.example.com@evil.example/cb',
    'myapp://*/cb',
  ])('%s is refused even then', (uri) => {
    for (const type of ['web', 'native'] as const) expect(causeOf(() => redirect(uri, type, true))).not.toBeNull();
  });
});

describe('addresses of pages and keys', () => {
  test.each(['https://example.com/terms', 'http://example.com', 'https://example.com/a?b=c#d'])(
    '%s is a page',
    (uri) => {
      expect(readWebUri('uri', uri)).toBe(uri);
    },
  );

  test.each(['javascript:alert(1)', 'data:text/html,x', 'example.com', 'ftp://example.com', 'https://u:p@example.com'])(
    '%s is none',
    (uri) => expect(causeOf(() => readWebUri('uri', uri))).not.toBeNull(),
  );

  test('keys are read by https only', () => {
    expect(readSecureUri('uri', 'https://example.com/keys')).toBe('https://example.com/keys');
    expect(causeOf(() => readSecureUri('uri', 'http://example.com/keys'))).toBe('uri: must have the scheme https.');
  });
});
