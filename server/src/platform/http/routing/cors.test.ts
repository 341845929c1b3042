import { describe, expect, test } from 'vitest';
import { decideCors } from './cors.ts';

const trusted = 'https://app.example.com';
const base = {
  origin: trusted,
  method: 'GET',
  requestedMethod: undefined,
  trustedOrigins: new Set([trusted]),
  routeCors: true,
  headerPrefix: 'X-Svc-',
};

const isRefused = (input: Parameters<typeof decideCors>[0]): boolean => {
  const { headers, preflight } = decideCors(input);
  return !preflight && !Object.keys(headers).some((name) => name.startsWith('access-control'));
};

describe('decideCors', () => {
  test('lets a trusted origin read the answer and its headers', () => {
    const { headers, preflight } = decideCors(base);
    expect(preflight).toBe(false);
    expect(headers).toMatchObject({
      vary: 'Origin',
      'access-control-allow-origin': trusted,
      'access-control-allow-credentials': 'true',
    });
    expect(headers['access-control-expose-headers']?.split(', ')).toEqual(
      expect.arrayContaining([
        'X-Svc-Request-Id',
        'Link',
        'ETag',
        'X-Rate-Limit-Limit',
        'X-Rate-Limit-Remaining',
        'X-Rate-Limit-Reset',
        'WWW-Authenticate',
        'DPoP-Nonce',
      ]),
    );
  });

  test('answers a preflight', () => {
    const { headers, preflight } = decideCors({ ...base, method: 'OPTIONS', requestedMethod: 'PUT' });
    expect(preflight).toBe(true);
    expect(headers).toMatchObject({
      'access-control-allow-origin': trusted,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'PUT',
      'access-control-max-age': '600',
    });
    expect(headers.vary).toMatch(/^Origin, /);
    expect(headers['access-control-allow-headers']?.split(', ')).toEqual(
      expect.arrayContaining([
        'Authorization',
        'Content-Type',
        'Accept',
        'If-Match',
        'X-Svc-User-Agent-Extended',
        'Idempotency-Key',
        'Prefer',
      ]),
    );
  });

  test.each([
    undefined,
    '',
    'null',
    '*',
    'https://app.example.com.evil.example',
    'https://evil.example/https://app.example.com',
    'https://evilapp.example.com',
    'https://sub.app.example.com',
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://app.example.com/',
    'https://APP.example.com',
    'https://app.example.com, https://evil.example',
  ])('gives the origin %j nothing, and varies by it', (origin) => {
    expect(isRefused({ ...base, origin })).toBe(true);
    expect(isRefused({ ...base, origin, method: 'OPTIONS', requestedMethod: 'GET' })).toBe(true);
    expect(decideCors({ ...base, origin }).headers).toEqual({ vary: 'Origin' });
  });

  test('never trusts `null`, listed or not', () => {
    expect(isRefused({ ...base, origin: 'null', trustedOrigins: new Set(['null']) })).toBe(true);
  });

  test('gives nothing on a route that is not for other origins', () => {
    expect(isRefused({ ...base, routeCors: false })).toBe(true);
    expect(isRefused({ ...base, routeCors: false, method: 'OPTIONS', requestedMethod: 'GET' })).toBe(true);
  });

  test('an OPTIONS without requested method is no preflight', () => {
    expect(decideCors({ ...base, method: 'OPTIONS' }).preflight).toBe(false);
  });
});
