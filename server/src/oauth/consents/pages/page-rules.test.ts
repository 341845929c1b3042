import { describe, expect, test } from 'vitest';
import { askedText, formTargets, webAddress } from './page-rules.ts';

describe('where the form may lead', () => {
  test.each([
    ['https://app.example/cb', "'self' https:"],
    ['https://app.example:8443/cb?a=b', "'self' https:"],
    ['http://127.0.0.1:3000/cb', "'self' https: http://127.0.0.1:3000"],
    ['http://[::1]:3000/cb', "'self' https: http:"],
    ['com.example.app:/cb', "'self' https: com.example.app:"],
    ['nonsense', "'self'"],
    [undefined, "'self'"],
  ])('%s: %s', (redirectUri, targets) => expect(formTargets(redirectUri)).toBe(targets));

  test('is a source of the policy and no more', () => {
    for (const evil of [
      'https://a.example;script-src *',
      'https://a.example/ *',
      "com.example.app:/'unsafe-inline' *",
    ]) {
      expect(formTargets(evil).split(' ').length).toBeLessThanOrEqual(3);
      expect(formTargets(evil)).not.toContain(';');
    }
  });
});

test.each([
  ['https://app.example/tos', 'https://app.example/tos'],
  ['http://app.example', 'http://app.example/'],
  ['javascript:alert(1)', null],
  ['data:text/html,x', null],
  ['//app.example', null],
  ['', null],
  [null, null],
  [undefined, null],
])('people may be sent to %s: %s', (text, address) => expect(webAddress(text)).toBe(address));

describe('what the form was shown for', () => {
  const scope = (id: string, isOptional = false) => ({ id, name: id, consent: 'REQUIRED', isOptional }) as const;

  test('is the same in any order, and another when a scope may be left out', () => {
    expect(askedText([scope('b'), scope('a')])).toBe(askedText([scope('a'), scope('b')]));
    expect(askedText([scope('a')])).not.toBe(askedText([scope('a', true)]));
    expect(askedText([scope('a')])).not.toBe(askedText([scope('a'), scope('b')]));
  });
});
