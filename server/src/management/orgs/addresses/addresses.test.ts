import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors/errors.ts';
import { lookupOfHost, readCustomDomain, readSubdomain } from './addresses.ts';

function causesOf(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'E0000001') return error.causes.map((cause) => cause.errorSummary);
    throw error;
  }
  return [];
}

describe('readSubdomain', () => {
  test.each(['a', 'acme', 'acme-2', '0', 'a'.repeat(63), 'administration', 'acme-admin-2'])('takes %s', (text) => {
    expect(readSubdomain(text)).toBe(text);
  });

  test.each([
    '',
    'Acme',
    '-acme',
    'acme-',
    'a.b',
    'a_b',
    'ä',
    'a'.repeat(64),
    'acme\n',
    'xn--bcher-kva',
    'www',
    'api',
    'admin',
    'login',
    'localhost',
  ])('refuses %j', (text) => {
    expect(causesOf(() => readSubdomain(text))).toHaveLength(1);
  });

  test('says why the suffix -admin is not possible', () => {
    expect(causesOf(() => readSubdomain('acme-admin'))).toEqual([expect.stringContaining('-admin')]);
  });
});

describe('readCustomDomain', () => {
  test('takes a name of two labels or more, in lower case', () => {
    expect(readCustomDomain('ID.Example.com', 'localhost')).toBe('id.example.com');
  });

  test.each([
    'example',
    'example.com.',
    'example.com:443',
    '192.0.2.1',
    '192.0.2',
    '::1',
    '*.example.com',
    'a..example.com',
    `${'a.'.repeat(130)}example.com`,
    'https://example.com',
    'gatehouse.example',
    'acme.gatehouse.example',
    'deep.acme.gatehouse.example',
    'acme.localhost',
  ])('refuses %j', (text) => {
    expect(causesOf(() => readCustomDomain(text, 'gatehouse.example'))).toHaveLength(1);
  });
});

describe('lookupOfHost', () => {
  test.each([
    ['acme.localhost', 'localhost', { by: 'subdomain', name: 'acme' }],
    ['acme.id.example.com', 'id.example.com', { by: 'subdomain', name: 'acme' }],
    ['login.acme.com', 'localhost', { by: 'domain', name: 'login.acme.com' }],
    ['notid.example.com', 'id.example.com', { by: 'domain', name: 'notid.example.com' }],
    ['localhost', 'localhost', { by: 'default' }],
    ['localhost', 'id.example.com', null],
    ['127.9.9.9', 'id.example.com', null],
    ['::1', 'id.example.com', null],
    ['localhost', 'dev.localhost', null],
    ['127.0.0.1', 'localhost', { by: 'default' }],
    ['127.9.9.9', 'localhost', { by: 'default' }],
    ['::1', 'localhost', { by: 'default' }],
    ['192.0.2.1', 'localhost', null],
    ['2001:db8::1', 'localhost', null],
    ['acme-admin.localhost', 'localhost', null],
    ['a.b.localhost', 'localhost', null],
    ['id.example.com', 'id.example.com', null],
    ['.localhost', 'localhost', null],
    ['intranet', 'localhost', null],
  ])('%s at %s', (hostname, baseDomain, expected) => {
    expect(lookupOfHost(hostname, baseDomain)).toEqual(expected);
  });
});
