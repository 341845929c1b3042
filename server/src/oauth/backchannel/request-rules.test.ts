import { describe, expect, test } from 'vitest';
import { readBackchannelRequest } from './request-rules.ts';

const GOOD = { scope: 'openid email', login_hint: 'isaac@example.com' };

const read = (changes: Readonly<Record<string, string>>) => readBackchannelRequest({ ...GOOD, ...changes }, 'svc');

describe('a backchannel authentication request', () => {
  test('is read', () => {
    expect(readBackchannelRequest(GOOD, 'svc')).toEqual({
      hint: { login: 'isaac@example.com' },
      scopes: ['openid', 'email'],
      bindingMessage: null,
      acr: null,
      lifetimeSeconds: 300,
    });
    const { login_hint: _, ...rest } = GOOD;
    const all = { id_token_hint: 'a.b.c', binding_message: 'W4SCT — 12,50 €', acr_values: 'urn:svc:loa:1fa:any' };
    expect(readBackchannelRequest({ ...rest, ...all, requested_expiry: '30' }, 'svc')).toEqual({
      hint: { idToken: 'a.b.c' },
      scopes: ['openid', 'email'],
      bindingMessage: 'W4SCT — 12,50 €',
      acr: 'urn:svc:loa:1fa:any',
      lifetimeSeconds: 30,
    });
  });

  test.each([
    [{}, 300],
    [{ requested_expiry: '1' }, 1],
    [{ request_expiry: '299' }, 299],
    [{ requested_expiry: '301' }, 300],
    [{ requested_expiry: '7', request_expiry: '7' }, 7],
  ])('with %j lives %i seconds', (changes, lifetimeSeconds) => {
    expect(read(changes)).toMatchObject({ lifetimeSeconds });
  });

  test.each<[string, Readonly<Record<string, string>>, string]>([
    ['two hints', { id_token_hint: 'a.b.c' }, 'backchannelHint'],
    ['a token of a third party', { login_hint_token: 'a.b.c' }, 'backchannelHint'],
    ['scopes without openid', { scope: 'email' }, 'backchannelScope'],
    ['a message of two lines', { binding_message: 'one\ntwo' }, 'invalidBindingMessage'],
    ['a message of two lines by another sign', { binding_message: 'one\u2028two' }, 'invalidBindingMessage'],
    ['a message that is turned around', { binding_message: 'a\u202Eb' }, 'invalidBindingMessage'],
    ['a message that is not seen', { binding_message: '  ' }, 'invalidBindingMessage'],
    ['a message of 101 characters', { binding_message: 'x'.repeat(101) }, 'invalidBindingMessage'],
    ['no time', { requested_expiry: '0' }, 'invalidRequest'],
    ['less than none', { requested_expiry: '-1' }, 'invalidRequest'],
    ['half a second', { requested_expiry: '0.5' }, 'invalidRequest'],
    ['a word for a time', { requested_expiry: 'long' }, 'invalidRequest'],
    ['two times', { requested_expiry: '5', request_expiry: '6' }, 'invalidRequest'],
    ['a level that nobody reaches', { acr_values: 'phr' }, 'unsupportedAssurance'],
  ])('with %s is refused', (_, changes, refused) => {
    expect(read(changes)).toMatchObject({ refused });
  });

  test('without hint or scopes is refused', () => {
    expect(readBackchannelRequest({ scope: 'openid' }, 'svc')).toMatchObject({ refused: 'backchannelHint' });
    expect(readBackchannelRequest({ login_hint: 'x' }, 'svc')).toMatchObject({ refused: 'backchannelScopesMissing' });
  });
});
