import { describe, expect, test } from 'vitest';
import type { Actor } from '../access-tokens/index.ts';
import { actingBy } from './acting-rules.ts';
import { ACCESS_TOKEN_TYPE, ID_TOKEN_TYPE, readExchangeRequest } from './request-rules.ts';
import { exceeds } from './scope-rules.ts';

const AUDIENCES = ['api://orders'];
const FORM = { subject_token: 'a.b.c', subject_token_type: ACCESS_TOKEN_TYPE };
const ACTING = { actor_token: 'd.e.f', actor_token_type: ACCESS_TOKEN_TYPE };

describe('a request to exchange tokens', () => {
  test('brings the token of a person', () => {
    expect(readExchangeRequest(FORM, AUDIENCES)).toEqual({
      subject: { token: 'a.b.c', type: 'access' },
      actorToken: null,
      scope: undefined,
    });
  });

  test('may say who acts, what for and where', () => {
    const form = {
      ...FORM,
      ...ACTING,
      subject_token_type: ID_TOKEN_TYPE,
      requested_token_type: ACCESS_TOKEN_TYPE,
      audience: 'api://orders',
      resource: 'api://orders',
      scope: 'orders.read',
    };
    expect(readExchangeRequest(form, AUDIENCES)).toEqual({
      subject: { token: 'a.b.c', type: 'id' },
      actorToken: 'd.e.f',
      scope: 'orders.read',
    });
  });

  test.each<[string, Readonly<Record<string, string>>, string]>([
    ['no token', { subject_token_type: ACCESS_TOKEN_TYPE }, 'missingParameter'],
    ['an empty token', { ...FORM, subject_token: '' }, 'missingParameter'],
    ['a token of no type', { subject_token: 'a.b.c' }, 'missingParameter'],
    ['a SAML assertion', { ...FORM, subject_token_type: `${ACCESS_TOKEN_TYPE}x` }, 'invalidSubjectTokenType'],
    ['an actor of no type', { ...FORM, actor_token: 'd.e.f' }, 'missingParameter'],
    ['the type of no actor', { ...FORM, actor_token_type: ACCESS_TOKEN_TYPE }, 'invalidActorTokenType'],
    ['an actor by an ID token', { ...FORM, ...ACTING, actor_token_type: ID_TOKEN_TYPE }, 'invalidActorTokenType'],
    ['the wish for an ID token', { ...FORM, requested_token_type: ID_TOKEN_TYPE }, 'invalidRequestedTokenType'],
    ['another audience', { ...FORM, audience: 'api://payments' }, 'exchangeAudience'],
    ['another resource', { ...FORM, resource: 'https://payments.example' }, 'exchangeResource'],
  ])('with %s is refused', (_, form, refused) => {
    expect(readExchangeRequest(form, AUDIENCES)).toMatchObject({ refused });
  });
});

describe('scopes', () => {
  const held = { serverId: 'one', scopes: ['openid', 'orders.read'] };
  test.each<[string, Parameters<typeof exceeds>, boolean]>([
    ['all at the same server', [held, 'one', ['openid', 'orders.read']], false],
    ['fewer at the same server', [held, 'one', ['openid']], false],
    ['others at the same server', [held, 'one', ['openid', 'orders.write']], true],
    ['others about the person at the same server', [held, 'one', ['email']], true],
    ['those of another server there', [held, 'two', ['stock.read', 'openid']], false],
    ['others about the person at another server', [held, 'two', ['stock.read', 'email']], true],
    ['an unending stay at another server', [held, 'two', ['offline_access']], true],
    ['any for an ID token', [{ ...held, scopes: null }, 'one', ['openid', 'email', 'orders.write']], false],
    ['an unending stay for an ID token', [{ ...held, scopes: null }, 'one', ['openid', 'offline_access']], true],
  ])('%s', (_, given, isMore) => {
    expect(exceeds(...given)).toBe(isMore);
  });
});

describe('who acts', () => {
  const chainOf = (length: number): Actor => {
    const one = { iss: 'https://acme.example', sub: `service ${length}` };
    return length === 1 ? one : { ...one, act: chainOf(length - 1) };
  };
  const named = { issuer: 'https://acme.example', subject: 'orders' };

  const client = { issuer: 'https://acme.example', subject: 'client' };
  const byName = { iss: named.issuer, sub: named.subject };
  const byClient = { iss: client.issuer, sub: client.subject };

  test('is the client where nobody is named', () => expect(actingBy(null, null, client)).toEqual(byClient));
  test('is who is named', () => expect(actingBy(null, named, client)).toEqual(byName));
  test('acts for whoever acted', () => {
    expect(actingBy(chainOf(4), named, client)).toEqual({ ...byName, act: chainOf(4) });
    expect(actingBy(chainOf(4), null, client)).toEqual({ ...byClient, act: chainOf(4) });
  });
  test('is not named twice, unless it is asked for', () => {
    const before = { ...byClient, act: chainOf(4) };
    expect(actingBy(before, null, client)).toEqual(before);
    expect(actingBy(byName, named, client)).toEqual({ ...byName, act: byName });
  });
  test('is not the last of too many', () => {
    expect(actingBy(chainOf(5), named, client)).toBe('tooMany');
    expect(actingBy(chainOf(5), null, client)).toBe('tooMany');
  });
});
