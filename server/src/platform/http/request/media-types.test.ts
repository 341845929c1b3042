import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkAccept, checkContentType, responseModifiers } from './media-types.ts';

const JSON_TYPE = 'application/json';

describe('checkAccept', () => {
  test.each([
    undefined,
    '',
    'application/json',
    'Application/JSON',
    'application/json, */*;q=0.8',
    '*/*',
    'application/*',
    'text/html, application/json;q=0.1',
    'application/json; okta-version=1.0.0',
    'application/json;charset=utf-8;q=0.5',
    'application/json;note="a, \\"b\\"";q=1.000',
    'application/hal+json, application/json',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    ', ,application/json ,',
    '*/*;q=0, application/json',
    'application/json;q=0, application/json',
  ])('accepts %j', (header) => expect(checkAccept(header, JSON_TYPE)).toBeNull());

  test.each([
    'application/hal+json',
    'text/html',
    'text/*',
    'application/json;q=0',
    'application/json;q=0.000, */*',
    'application/*;q=0, */*;q=1',
    'application/jsonp',
    'application/json-patch+json',
    ',',
  ])('cannot satisfy %j', (header) => expect(checkAccept(header, JSON_TYPE)).toBe('E0000122'));

  test.each([
    'json',
    'application/',
    '/json',
    'application/json;q=2',
    'application/json;q=abc',
    'application/json;q=1;q=0',
    'application/json;x="open',
    'application/json text/html',
    'application json',
    '*/json',
    'application/json;=',
    `application/json, ${'a/b,'.repeat(1_000)}`,
  ])('refuses %j as malformed', (header) => expect(checkAccept(header, JSON_TYPE)).toBe('E0000019'));

  test('asks for what the route produces', () => {
    expect(checkAccept('application/jrd+json', 'application/jrd+json')).toBeNull();
    expect(checkAccept('application/json', 'application/jrd+json')).toBe('E0000122');
  });
});

describe('checkContentType', () => {
  test.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json; charset=utf8',
    'application/json; okta-response=omitCredentials,omitCredentialsLinks',
  ])('accepts %j', (header) => expect(checkContentType(header, JSON_TYPE)).toBeNull());

  test.each([
    [undefined, 'E0000018'],
    ['', 'E0000018'],
    ['application', 'E0000019'],
    ['application/json, text/plain', 'E0000019'],
    ['application/json; charset', 'E0000019'],
    ['application/json; charset=utf-8; charset=utf-16', 'E0000019'],
    [`application/json; x=${'y'.repeat(2_000)}`, 'E0000019'],
    ['text/plain', 'E0000021'],
    ['application/hal+json', 'E0000021'],
    ['application/*', 'E0000021'],
    ['application/x-www-form-urlencoded', 'E0000021'],
    ['application/json; charset=utf-16', 'E0000021'],
    ['application/json; charset=iso-8859-1', 'E0000021'],
  ])('refuses %j: %s', (header, code) => expect(checkContentType(header, JSON_TYPE)).toBe(code));
});

describe('responseModifiers', () => {
  test.each<[string | undefined, string[]]>([
    [
      'application/json; svc-response=omitCredentials,omitCredentialsLinks',
      ['omitCredentials', 'omitCredentialsLinks'],
    ],
    [
      'application/json;SVC-RESPONSE="omitCredentials, omitTransitioningToStatus"',
      ['omitCredentials', 'omitTransitioningToStatus'],
    ],
    ['application/json; svc-response=,', []],
    ['application/json; okta-response=omitCredentials', []],
    ['application/json', []],
    ['not a media type', []],
    [undefined, []],
  ])('of %j', (contentType, modifiers) => expect([...responseModifiers(contentType, 'svc')]).toEqual(modifiers));
});

test('no header, however made, takes long or throws', () => {
  const check = (text: string): number => {
    const start = process.cpuUsage();
    checkAccept(text, JSON_TYPE);
    checkContentType(text, JSON_TYPE);
    responseModifiers(text, 'svc');
    return process.cpuUsage(start).user / 1_000;
  };
  const header = fc.array(fc.constantFrom('a', '/', ';', '=', ',', '"', '\\', ' ', 'q', '*', '0'), {
    maxLength: 1_024,
  });
  fc.assert(fc.property(header, (characters) => check(characters.join('')) < 50));
  for (const piece of ['a/b;a=,', 'a/b; ', 'a/a;a="\\"', ';a', ' ', ',', 'a=,']) {
    const text = `a/b;${piece.repeat(1_024)}`.slice(0, 1_024);
    expect(Math.min(check(text), check(text), check(text)), piece).toBeLessThan(50);
  }
});
