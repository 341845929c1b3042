import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { compactVerify, decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../kernel/clock.ts';
import { toOrgId } from '../../kernel/words/ids.ts';
import { namespaceOf } from '../../kernel/words/namespace.ts';
import { type ConnectionSettings, createPool, readerOver } from '../../platform/postgres/index.ts';
import { newAccessTokenId } from './access-token-id.ts';
import { createAccessTokens, type NewAccessToken } from './mint.ts';
import { createTokenVerifier, type TokenRefusal } from './verify.ts';

const orgId = toOrgId('00oone');
const otherOrg = toOrgId('00otwo');
const ISSUER = 'https://acme.localhost:8443';
const NOW = new Date('2026-11-20T12:00:00.500Z');
const namespace = namespaceOf('svc');
const clock: Clock = { now: () => NOW };
const pairOf = () => generateKeyPairSync('rsa', { modulusLength: 2_048 });
const ours = pairOf();
const theirs = pairOf();
const KID = 'the-key';

/** Both orgs give their key the same id. */
const keyOf = (org: string): KeyObject => (org === orgId ? ours.publicKey : theirs.publicKey);
/** This reader has no reachable database, because nothing in these tests queries one. */
const db = readerOver(
  createPool({
    connection: {} satisfies ConnectionSettings,
    maximumConnections: 1,
    applicationName: 'none',
    statementTimeoutMilliseconds: 1,
  }),
);
const verifier = createTokenVerifier({
  appSignOn: async () => ({ asksGroups: false, asksNetwork: false, deniesSomebody: false, decide: () => null }),
  db,
  clock,
  namespace,
  isIssuerOrigin: (org, origin) => org === orgId && [ISSUER, 'https://localhost:8443'].includes(origin),
  signingKeys: { verificationKey: async (org, kid) => (kid === KID ? keyOf(org) : null) },
});
const tokens = createAccessTokens({
  namespace,
  signingKeys: { signer: async (org) => ({ kid: KID, key: (org === orgId ? ours : theirs).privateKey }) },
});

const given: NewAccessToken = {
  orgId,
  jti: newAccessTokenId(NOW),
  issuer: ISSUER,
  subject: '0oaclient',
  clientId: '0oaclient',
  scopes: ['users.read', 'apps.manage'],
  issuedAt: NOW,
};
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part: string | undefined) =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Record<string, unknown>;

function signed(header: unknown, claims: unknown, key = ours.privateKey): string {
  const input = `${encode(header)}.${encode(claims)}`;
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
}

async function claimsOf(more: Partial<NewAccessToken> = {}): Promise<Record<string, unknown>> {
  return decode((await tokens.mint({ ...given, ...more })).token.split('.')[1]);
}

const HEADER = { kid: KID, alg: 'RS256' };
const read = (token: string, org = orgId, now = NOW) => verifier.read(org, token, now);

describe('mint', () => {
  test('makes the token that the contract shows', async () => {
    const { token, jti, expiresAt } = await tokens.mint(given);
    const [header, payload] = token.split('.');
    expect(Buffer.from(header ?? '', 'base64url').toString()).toBe('{"kid":"the-key","alg":"RS256"}');
    expect(Buffer.from(payload ?? '', 'base64url').toString()).toBe(
      JSON.stringify({
        ver: 1,
        jti,
        iss: ISSUER,
        aud: ISSUER,
        sub: '0oaclient',
        iat: 1_795_176_000,
        exp: 1_795_179_600,
        cid: '0oaclient',
        scp: ['svc.users.read', 'svc.apps.manage'],
      }),
    );
    expect(expiresAt).toEqual(new Date('2026-11-20T13:00:00.000Z'));
  });

  test('jose verifies it', async () => {
    const { token } = await tokens.mint(given);
    const options = { issuer: ISSUER, audience: ISSUER, currentDate: NOW, algorithms: ['RS256'] };
    expect((await jwtVerify(token, ours.publicKey, options)).payload).toMatchObject({ cid: '0oaclient' });
    await expect(compactVerify(token, theirs.publicKey)).rejects.toThrow('signature');
    expect(decodeProtectedHeader(token)).toEqual(HEADER);
  });

  test('binds it to a key where asked to', async () => {
    expect(await claimsOf({ confirmation: { jkt: 'thumbprint' } })).toMatchObject({ cnf: { jkt: 'thumbprint' } });
    expect(await claimsOf()).not.toHaveProperty('cnf');
  });

  test('makes none without a key', async () => {
    const broken = createAccessTokens({
      namespace,
      signingKeys: { signer: () => Promise.reject(new Error('sealed')) },
    });
    await expect(broken.mint(given)).rejects.toThrow('sealed');
  });
});

describe('read', () => {
  test('takes what mint made, the scopes without the word', async () => {
    const { token, jti } = await tokens.mint({ ...given, confirmation: { jkt: 'thumbprint' } });
    expect(await read(token)).toEqual({
      user: null,
      jti,
      issuer: ISSUER,
      subject: '0oaclient',
      clientId: '0oaclient',
      scopes: ['users.read', 'apps.manage'],
      issuedAt: new Date('2026-11-20T12:00:00.000Z'),
      expiresAt: new Date('2026-11-20T13:00:00.000Z'),
      confirmation: { jkt: 'thumbprint' },
    });
  });

  test('takes it at any address of the org', async () => {
    const { token } = await tokens.mint({ ...given, issuer: 'https://localhost:8443' });
    expect(await read(token)).toMatchObject({ issuer: 'https://localhost:8443' });
  });

  test('takes it until the second it ends', async () => {
    const { token, expiresAt } = await tokens.mint(given);
    expect(await read(token, orgId, new Date(expiresAt.getTime() - 1))).not.toHaveProperty('refused');
    expect(await read(token, orgId, expiresAt)).toEqual({ refused: 'TIME' });
  });

  test('takes one from a clock that is a minute ahead, no more', async () => {
    const at = (milliseconds: number) => new Date(NOW.getTime() + milliseconds);
    expect(await read((await tokens.mint({ ...given, issuedAt: at(60_000) })).token)).not.toHaveProperty('refused');
    expect(await read((await tokens.mint({ ...given, issuedAt: at(61_000) })).token)).toEqual({ refused: 'TIME' });
  });

  test("another org's token is nobody's, although its key has the same kid", async () => {
    const { token } = await tokens.mint({ ...given, orgId: otherOrg });
    expect(await read(token)).toEqual({ refused: 'SIGNATURE' });
    const own = await tokens.mint(given);
    expect(await read(own.token, otherOrg)).toEqual({ refused: 'SIGNATURE' });
  });
});

const publicPem = ours.publicKey.export({ type: 'spki', format: 'pem' });
const hmac = (input: string): string => createHmac('sha256', publicPem).update(input).digest('base64url');

type Forgery = (claims: Record<string, unknown>, token: string) => string;

const without = (claims: Record<string, unknown>, name: string) =>
  Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));

const header =
  (more: object): Forgery =>
  (claims) =>
    signed({ ...HEADER, ...more }, claims);
const changed =
  (more: object): Forgery =>
  (claims) =>
    signed(HEADER, { ...claims, ...more });

function cutSignature(token: string): string {
  const start = token.lastIndexOf('.') + 1;
  const signature = Buffer.from(token.slice(start), 'base64url');
  return token.slice(0, start) + signature.subarray(0, -1).toString('base64url');
}

const FORGERIES: readonly (readonly [name: string, refused: TokenRefusal, forge: Forgery])[] = [
  ['nothing', 'MALFORMED', () => ''],
  ['a word', 'MALFORMED', () => 'undefined'],
  ['two parts', 'MALFORMED', (_, token) => token.split('.').slice(0, 2).join('.')],
  ['four parts', 'MALFORMED', (_, token) => `${token}.AAAA`],
  ['five parts, as of a JWE', 'MALFORMED', (_, token) => `${token}.AAAA.AAAA`],
  ['no signature', 'MALFORMED', (_, token) => token.slice(0, token.lastIndexOf('.') + 1)],
  ['a truncated token', 'MALFORMED', (_, token) => token.slice(0, token.length / 3)],
  ['a truncated signature', 'SIGNATURE', (_, token) => cutSignature(token)],
  ['a truncated payload', 'MALFORMED', (_, token) => token.replace(/\.([^.]*)....\./, '.$1.')],
  ['padding', 'MALFORMED', (_, token) => `${token}==`],
  ['a blank', 'MALFORMED', (_, token) => ` ${token}`],
  ['a line', 'MALFORMED', (_, token) => `${token}\n`],
  [
    'the other base64',
    'MALFORMED',
    (claims, token) => token.replace(encode(claims), `${encode(claims).slice(0, -1)}+`),
  ],
  ['more than 16 kB', 'MALFORMED', changed({ scp: Array.from({ length: 1_200 }, () => 'svc.users.read') })],
  ['a payload that is no object', 'MALFORMED', () => signed(HEADER, ['a'])],
  ['a header that is no object', 'MALFORMED', (claims) => signed('RS256', claims)],
  ['alg none', 'ALGORITHM', (claims) => `${encode({ kid: KID, alg: 'none' })}.${encode(claims)}.AAAA`],
  ['alg in another case', 'ALGORITHM', header({ alg: 'rs256' })],
  ['alg RS512', 'ALGORITHM', header({ alg: 'RS512' })],
  [
    'HS256 with our public key as the secret',
    'ALGORITHM',
    (claims) => {
      const input = `${encode({ kid: KID, alg: 'HS256' })}.${encode(claims)}`;
      return `${input}.${hmac(input)}`;
    },
  ],
  [
    'RS256 in the header, an HMAC as the signature',
    'SIGNATURE',
    (claims) => {
      const input = `${encode(HEADER)}.${encode(claims)}`;
      return `${input}.${hmac(input)}`;
    },
  ],
  ['no kid', 'ALGORITHM', (claims) => signed({ alg: 'RS256' }, claims)],
  ['a kid that is no text', 'ALGORITHM', header({ kid: 7 })],
  ['an unknown kid', 'UNKNOWN_KEY', header({ kid: '../../etc/passwd' })],
  ['a kid that is SQL', 'UNKNOWN_KEY', header({ kid: "' or true --" })],
  ['a jku', 'ALGORITHM', header({ jku: 'https://evil.example/keys' })],
  ['an x5u', 'ALGORITHM', header({ x5u: 'https://evil.example/x' })],
  ['a crit', 'ALGORITHM', header({ crit: ['exp'] })],
  ['b64 false', 'ALGORITHM', header({ b64: false })],
  [
    'a key of its own in the header',
    'ALGORITHM',
    (claims) => {
      const jwk = createPublicKey(theirs.privateKey).export({ format: 'jwk' });
      return signed({ ...HEADER, jwk }, claims, theirs.privateKey);
    },
  ],
  ['the key of somebody else', 'SIGNATURE', (claims) => signed(HEADER, claims, theirs.privateKey)],
  [
    'claims of another token',
    'SIGNATURE',
    (claims, token) => token.replace(encode(claims), encode({ ...claims, cid: '0oaother' })),
  ],
  ['the jti of an ID token', 'NOT_AN_ACCESS_TOKEN', changed({ jti: 'ID.abc' })],
  ['the audience of an ID token', 'NOT_AN_ACCESS_TOKEN', changed({ aud: '0oaclient' })],
  ['an ID token', 'NOT_AN_ACCESS_TOKEN', (claims) => signed(HEADER, without(without(claims, 'scp'), 'cid'))],
  ['more than one audience', 'NOT_AN_ACCESS_TOKEN', changed({ aud: [ISSUER] })],
  ['no client', 'NOT_AN_ACCESS_TOKEN', (claims) => signed(HEADER, without(claims, 'cid'))],
  ['no scopes', 'NOT_AN_ACCESS_TOKEN', (claims) => signed(HEADER, without(claims, 'scp'))],
  ['no scope', 'NOT_AN_ACCESS_TOKEN', changed({ scp: [] })],
  ['scopes as text', 'NOT_AN_ACCESS_TOKEN', changed({ scp: 'svc.users.read' })],
  ['a scope of another word', 'NOT_AN_ACCESS_TOKEN', changed({ scp: ['svc.users.read', 'other.users.manage'] })],
  ['no end', 'NOT_AN_ACCESS_TOKEN', (claims) => signed(HEADER, without(claims, 'exp'))],
  ['an end as text', 'NOT_AN_ACCESS_TOKEN', changed({ exp: '1895179600' })],
  ['an end within a second', 'NOT_AN_ACCESS_TOKEN', changed({ exp: 1_895_179_600.5 })],
  ['no beginning', 'NOT_AN_ACCESS_TOKEN', (claims) => signed(HEADER, without(claims, 'iat'))],
  ['no subject', 'NOT_AN_ACCESS_TOKEN', (claims) => signed(HEADER, without(claims, 'sub'))],
  ['another version', 'NOT_AN_ACCESS_TOKEN', changed({ ver: 2 })],
  ['a confirmation we do not know', 'NOT_AN_ACCESS_TOKEN', changed({ cnf: { 'x5t#S256': 'abc' } })],
  ['a confirmation that is nothing', 'NOT_AN_ACCESS_TOKEN', changed({ cnf: null })],
  [
    'a user who was not there, whose token no org’s own server gives',
    'NOT_AN_ACCESS_TOKEN',
    changed({ uid: '00uada', act: { iss: ISSUER, sub: '0oaclient' } }),
  ],
  ['a user without a time or anybody who acts for him', 'NOT_AN_ACCESS_TOKEN', changed({ uid: '00uada' })],
  ['a custom server', 'ISSUER', changed({ iss: `${ISSUER}/oauth2/aus1`, aud: `${ISSUER}/oauth2/aus1` })],
  ['a slash', 'ISSUER', changed({ iss: `${ISSUER}/`, aud: `${ISSUER}/` })],
  ['another address', 'ISSUER', changed({ iss: 'https://evil.example', aud: 'https://evil.example' })],
  ['an issuer that is no address', 'ISSUER', changed({ iss: 'acme', aud: 'acme' })],
];

describe('read refuses', () => {
  test.each(FORGERIES)('%s: %s', async (_, refused, forge) => {
    const { token } = await tokens.mint(given);
    expect(await read(forge(decode(token.split('.')[1]), token))).toEqual({ refused });
  });
});
