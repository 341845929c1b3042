import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors/errors.ts';
import { INTEGRATION, PROVIDER_TYPES, readProviderType, typeFacts, wireProviderType } from './type-rules.ts';
import { readEntityName, readIssuer, readSecureUri } from './uri-rules.ts';

const types = Object.keys(PROVIDER_TYPES);

describe('types', () => {
  test.each(types)('%s is read as it is written, whatever the namespace word', (type) => {
    for (const word of ['SVC', 'OKTA']) expect(readProviderType(wireProviderType(type, word), word)).toBe(type);
    expect(wireProviderType(type, 'SVC').includes('SVC')).toBe(type === INTEGRATION);
  });

  test.each(['', 'saml2', 'INTEGRATION', 'OKTA_INTEGRATION', 'constructor', '__proto__'])('%j is none', (text) => {
    expect(() => readProviderType(text, 'SVC')).toThrow(ApiError);
  });

  test('known addresses are what a client could have given', () => {
    for (const type of types) {
      const { endpoints } = typeFacts(readProviderType(wireProviderType(type, 'SVC'), 'SVC'));
      for (const url of Object.values(endpoints ?? {})) expect(readSecureUri('url', url)).toBe(url);
    }
  });
});

describe('addresses and names', () => {
  test.each(['https://idp.example', 'https://idp.example:8443/a/b?c=d', 'https://[::1]/sso'])('%s', (url) => {
    expect(readSecureUri('url', url)).toBe(url);
  });

  test.each(['http://localhost', 'http://127.0.0.1:8080/sso?a', 'http://[::1]/sso'])('%s is this machine', (url) => {
    expect(readSecureUri('url', url)).toBe(url);
  });

  test.each([
    'http://localhost.idp.example/sso',
    'http://127.0.0.1.idp.example/sso',
    'http://127.0.0.1@idp.example/sso',
    'http://localhost:80@idp.example/sso',
    'http://2130706433/sso',
    'http://0.0.0.0/sso',
    'http://10.0.0.1/sso',
    'http:localhost/sso',
    'http://user:password@localhost/sso',
  ])('%s is not', (url) => {
    expect(() => readSecureUri('url', url)).toThrow(ApiError);
  });

  test('an issuer has no query, and a name of SAML may be anything without blanks', () => {
    expect(() => readIssuer('issuer', 'https://idp.example/?a')).toThrow(ApiError);
    expect(readEntityName('issuer', 'urn:example:"idp"')).toBe('urn:example:"idp"');
    for (const text of ['a b', 'a\tb', 'a\u00a0b', 'a\u0007b']) {
      expect(() => readEntityName('issuer', text)).toThrow(ApiError);
    }
  });
});
