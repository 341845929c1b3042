import { createHmac, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import {
  type Claims,
  claimsOf,
  newServiceApp,
  newTestKey,
  postForm,
  signAssertion,
  tokenForm,
} from '../support/service-apps.ts';
import { answerOf, TOKEN_ERRORS } from '../support/token-errors.ts';
import { useService } from '../support/use-service.ts';

const encryption = newTestKey('RS256', { use: 'enc' });
const onCurve = newTestKey('ES256');
const stranger = newTestKey();

const { service, org } = useService();
const app = beforeTests(() => newServiceApp(org, { otherKeys: [encryption, onCurve] }));

const now = () => service.clock.now();
const seconds = () => Math.floor(now().getTime() / 1_000);
const post = (form: string) => postForm(org.anonymous, '/oauth2/v1/token', form);

interface Case {
  readonly claims?: () => Claims;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: () => Parameters<typeof signAssertion>[0];
}

const good = (changes: Claims = {}) => claimsOf(org, app.id, now(), changes);

describe('an assertion', () => {
  test.each<[string, keyof typeof TOKEN_ERRORS, Case]>([
    ['for the issuer with a slash', 'audience', { claims: () => ({ aud: `${org.baseUrl}/` }) }],
    ['for a custom server', 'audience', { claims: () => ({ aud: `${org.baseUrl}/oauth2/default` }) }],
    ['for its endpoint', 'audience', { claims: () => ({ aud: `${org.baseUrl}/oauth2/default/v1/token` }) }],
    ['with a trailing slash', 'audience', { claims: () => ({ aud: `${org.baseUrl}/oauth2/v1/token/` }) }],
    ['for another endpoint', 'audience', { claims: () => ({ aud: `${org.baseUrl}/oauth2/v1/introspect` }) }],
    ['behind a path of ours', 'audience', { claims: () => ({ aud: `${org.baseUrl}/junk/oauth2/v1/token` }) }],
    ['for somebody else', 'audience', { claims: () => ({ aud: 'https://evil.example/oauth2/v1/token' }) }],
    ['for the issuer twice', 'audience', { claims: () => ({ aud: [org.baseUrl, org.baseUrl] }) }],
    ['for a list in a list', 'audience', { claims: () => ({ aud: [[org.baseUrl]] }) }],
    ['for two audiences', 'audience', { claims: () => ({ aud: [`${org.baseUrl}/oauth2/v1/token`, org.baseUrl] }) }],
    ['for nobody', 'audience', { claims: () => ({ aud: undefined }) }],
    ['for none of a list', 'audience', { claims: () => ({ aud: [] }) }],
    ['of an unknown issuer', 'issuer', { claims: () => ({ iss: '0oaUnknown0000000000' }) }],
    ['of no issuer', 'issuer', { claims: () => ({ iss: undefined }) }],
    ['of an issuer that is SQL', 'issuer', { claims: () => ({ iss: "' or 1=1 --" }) }],
    ['of an issuer with NUL', 'issuer', { claims: () => ({ iss: `${app.id}\0` }) }],
    ['about another subject', 'subject', { claims: () => ({ sub: 'someone' }) }],
    ['about no subject', 'subject', { claims: () => ({ sub: undefined }) }],
    ['without exp', 'noExpiry', { claims: () => ({ exp: undefined }) }],
    ['with exp as text', 'noExpiry', { claims: () => ({ exp: String(seconds() + 300) }) }],
    ['with exp past', 'expired', { claims: () => ({ exp: seconds() - 1, iat: seconds() - 300 }) }],
    ['with exp more than an hour ahead', 'tooFar', { claims: () => ({ exp: seconds() + 3_630 }) }],
    ['with exp in milliseconds', 'tooFar', { claims: () => ({ exp: now().getTime() + 300_000 }) }],
    ['issued in the future', 'future', { claims: () => ({ iat: seconds() + 90 }) }],
    ['not valid yet', 'future', { claims: () => ({ nbf: seconds() + 90 }) }],
    ['with iat as text', 'parsing', { claims: () => ({ iat: 'now' }) }],
    ['with an empty jti', 'parsing', { claims: () => ({ jti: '' }) }],
    ['with a jti without end', 'parsing', { claims: () => ({ jti: 'a'.repeat(256) }) }],
    ['of another key', 'signature', { key: () => ({ ...stranger, kid: app.key.kid }) }],
    ['of another key without kid', 'signature', { key: () => stranger, header: { kid: undefined } }],
    ['of a key for encryption', 'keyUse', { key: () => encryption }],
    ['of a key of another kind', 'algorithm', { header: { kid: onCurve.kid } }],
    ['with an unknown kid', 'kid', { header: { kid: randomUUID() } }],
    ['with an empty kid', 'kid', { header: { kid: '' } }],
    ['with a kid that is a path', 'kid', { header: { kid: '../../../dev/null' } }],
    ['with a kid that is SQL', 'kid', { header: { kid: "x' union select 'key" } }],
    ['with a kid that is an address', 'kid', { header: { kid: 'https://evil.example/key' } }],
    ['with jku', 'parsing', { header: { jku: 'https://evil.example/keys' } }],
    ['with x5u', 'parsing', { header: { x5u: 'https://evil.example/cert' } }],
    ['with a key of its own', 'parsing', { key: () => stranger, header: { jwk: stranger.jwk, kid: undefined } }],
    ['with a certificate of its own', 'parsing', { header: { x5c: ['AAAA'] } }],
    ['of another type', 'parsing', { header: { typ: 'dpop+jwt' } }],
  ])('%s is refused', async (_, text, { claims, header, key }) => {
    const assertion = await signAssertion(key?.() ?? app.key, good(claims?.()), header);
    expect(answerOf(await post(tokenForm(assertion)))).toEqual(TOKEN_ERRORS[text]);
  });

  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const pem = () => app.key.publicKey.export({ format: 'pem', type: 'spki' }).toString();
  const mac = (secret: string) => {
    const input = `${encode({ alg: 'HS256', kid: app.key.kid })}.${encode(good())}`;
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
  };

  test.each<[string, keyof typeof TOKEN_ERRORS, () => string]>([
    ['without a signature', 'parsing', () => `${encode({ alg: 'none' })}.${encode(good())}.`],
    ['that says none, with a signature', 'algorithm', () => `${encode({ alg: 'none' })}.${encode(good())}.AAAA`],
    ['with a MAC by the public key', 'algorithm', () => mac(pem())],
    ['with a MAC by the key as registered', 'algorithm', () => mac(JSON.stringify(app.key.jwk))],
    ['with crit', 'parsing', () => `${encode({ alg: 'RS256', crit: ['x'] })}.${encode(good())}.AAAA`],
    ['with b64', 'parsing', () => `${encode({ alg: 'RS256', b64: false })}.${encode(good())}.AAAA`],
    ['that is no JWT', 'parsing', () => 'assertion'],
    ['that is encrypted', 'parsing', () => 'a.b.c.d.e'],
    ['without end', 'parsing', () => `${encode({ alg: 'RS256' })}.${encode({ a: 'a'.repeat(20_000) })}.AAAA`],
  ])('%s is refused', async (_, text, assertion) => {
    expect(answerOf(await post(tokenForm(assertion())))).toEqual(TOKEN_ERRORS[text]);
  });

  test('may name the issuer or the endpoint, alone or in a list of one, never those of another org', async () => {
    const other = await service.newOrg();
    for (const path of ['', '/oauth2/v1/token']) {
      for (const aud of [org.baseUrl + path, [org.baseUrl + path]]) {
        expect((await post(tokenForm(await signAssertion(app.key, good({ aud }))))).status).toBe(200);
      }
      const elsewhere = await signAssertion(app.key, good({ aud: other.baseUrl + path }));
      expect(answerOf(await post(tokenForm(elsewhere)))).toEqual(TOKEN_ERRORS.audience);
    }
  });

  test('is good once, with a jti and without', async () => {
    for (const changes of [{}, { jti: undefined }]) {
      const assertion = await signAssertion(app.key, good(changes));
      expect((await post(tokenForm(assertion))).status).toBe(200);
      expect(answerOf(await post(tokenForm(assertion)))).toEqual(TOKEN_ERRORS.used);
    }
  });

  test('with a jti that was used is refused, whatever else it says', async () => {
    const jti = randomUUID();
    expect((await post(tokenForm(await signAssertion(app.key, good({ jti }))))).status).toBe(200);
    const again = await signAssertion(app.key, good({ jti, exp: seconds() + 100 }));
    expect(answerOf(await post(tokenForm(again)))).toEqual(TOKEN_ERRORS.used);
  });

  test('is used up by a request that is refused for its scope, not by one with a wrong signature', async () => {
    const jti = randomUUID();
    const forged = await signAssertion({ ...stranger, kid: app.key.kid }, good({ jti }));
    expect(answerOf(await post(tokenForm(forged)))).toEqual(TOKEN_ERRORS.signature);
    const assertion = await signAssertion(app.key, good({ jti }));
    expect(answerOf(await post(tokenForm(assertion, { scope: 'svc.apps.read' })))).toEqual(TOKEN_ERRORS.scope);
    expect(answerOf(await post(tokenForm(assertion)))).toEqual(TOKEN_ERRORS.used);
  });
});
