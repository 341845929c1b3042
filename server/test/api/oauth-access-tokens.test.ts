import { beforeEach, describe, expect, test } from 'vitest';
import { admits } from '../../src/access/index.ts';
import { wholeRole } from '../../src/kernel/words/held-role.ts';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { newAccessTokenId } from '../../src/oauth/access-tokens/access-token-id.ts';
import type { TokenRefusal } from '../../src/oauth/access-tokens/verify.ts';
import { rotateSigningKey } from '../../src/oauth/keys/index.ts';
import { revokeToken } from '../../src/oauth/revocation/revoke-token.ts';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';
import { ISSUER, OAuthBench, type TestApp, type TokenProcess } from '../support/oauth-bench.ts';
import { testClock } from '../support/system-log.ts';
import { movedBy } from '../support/time.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const SCOPES = ['logs.read', 'users.read'];

const database = beforeTests(() => openTestDatabase());
let bench: OAuthBench;
let orgId: OrgId;
let one: TokenProcess;
let other: TokenProcess;
let app: TestApp;
beforeEach(async () => {
  bench = new OAuthBench(database, testClock());
  orgId = await bench.log.newOrg();
  one = bench.process(orgId);
  other = bench.process(orgId);
  app = await bench.newApp(orgId, SCOPES, ['READ_ONLY_ADMIN']);
});

const revocationPorts = () => ({
  db: bench.database.db,
  work: bench.work,
  verifier: one.verifier,
  serverVerifier: { read: async () => ({ refused: 'UNKNOWN_KEY' as const }) },
  refreshTexts: { read: () => null },
});

const mint = async (scopes: readonly string[] = SCOPES): Promise<string> =>
  (await one.mint({ clientId: app.id, subject: app.id, scopes })).token;

const verify = ({ verifier }: TokenProcess, token: string, org = orgId) =>
  verifier.verify(org, token, bench.clock.now());

const authenticate = ({ verifier }: TokenProcess, token: string) =>
  verifier.authenticateBearer(orgId, token, bench.clock.now());

/** Returns each process's refusal of the token a second after the change. */
async function refusedAfter(token: string, change: () => Promise<void>): Promise<(TokenRefusal | null)[]> {
  for (const process of [one, other]) expect(await verify(process, token)).not.toHaveProperty('refused');
  await change();
  bench.advance(SECOND);
  const results = await Promise.all([one, other].map((process) => verify(process, token)));
  return results.map((result) => ('refused' in result ? result.refused : null));
}

describe('a token of a live client', () => {
  test('is its client, with the roles of now and the scopes of the token', async () => {
    const { token, jti } = await one.mint({ clientId: app.id, subject: app.id, scopes: ['users.read'] });
    expect(await authenticate(other, token)).toEqual({
      principal: { kind: 'oauthClient', clientId: app.id, tokenId: jti, issuer: ISSUER },
      actor: { id: app.id, type: 'PublicClientApp', alternateId: app.id, displayName: 'Collector' },
      roles: [wholeRole('READ_ONLY_ADMIN')],
      scopes: ['users.read'],
    });
    expect(await verify(other, token)).toMatchObject({ clientId: app.id, label: 'Collector', jti });
  });

  test('holds for its hour', async () => {
    const token = await mint();
    bench.advance(HOUR - 1);
    expect(await authenticate(one, token)).not.toBeNull();
    bench.advance(1);
    expect(await authenticate(one, token)).toBeNull();
  });

  test('holds over a rotation of the signing key', async () => {
    const token = await mint();
    await rotateSigningKey(bench, bench.contextOf(orgId), { atOnce: true });
    bench.advance(10 * SECOND);
    const next = await mint();
    for (const process of [one, other]) {
      expect(await authenticate(process, token)).not.toBeNull();
      expect(await authenticate(process, next)).not.toBeNull();
    }
  });

  test('that is bound to a key is nobody as a bearer, and says what it is bound to', async () => {
    const bound = { clientId: app.id, subject: app.id, confirmation: { jkt: 'thumbprint' } };
    const { token } = await one.mint(bound);
    expect(await authenticate(one, token)).toBeNull();
    expect(await verify(one, token)).toMatchObject({ confirmation: { jkt: 'thumbprint' } });
  });

  test('is nobody at another org, that has an app of the same id', async () => {
    const otherOrg = await bench.log.newOrg();
    await bench.log.query(
      `insert into apps select $2, id, label, status, sign_on_mode, application_type, document, created_at,
         last_updated_at, valid_after, revision from apps where org_id = $1`,
      [orgId, otherOrg],
    );
    await one.signingKeys.signer(otherOrg);
    expect(await verify(one, await mint(), otherOrg)).toEqual({ refused: 'UNKNOWN_KEY' });
  });
});

describe('a token dies within a second on every process when', () => {
  test.each<[string, string, TokenRefusal]>([
    ['the app is deactivated', "update apps set status = 'INACTIVE' where org_id = $1 and id = $2", 'CLIENT'],
    ['the app is deleted', 'delete from apps where org_id = $1 and id = $2', 'CLIENT'],
    [
      'the app becomes one that acts for users',
      "update apps set application_type = 'web' where org_id = $1 and id = $2",
      'CLIENT',
    ],
    ['all its grants are revoked', 'delete from app_grants where org_id = $1 and app_id = $2', 'SCOPES'],
    [
      "the app's watermark is raised",
      `update apps set valid_after = ${movedBy('valid_after', '1 minute')} where org_id = $1 and id = $2`,
      'REVOKED',
    ],
  ])('%s', async (_, change, refused) => {
    expect(await refusedAfter(await mint(), () => app.run(change))).toEqual([refused, refused]);
  });

  test('the client revokes it; its other tokens hold', async () => {
    const [token, kept] = [await mint(), await mint()];
    const client = { clientId: app.id, label: 'Collector' };
    const revoke = () => revokeToken(revocationPorts(), bench.contextOf(orgId), null, client, token);
    expect(await refusedAfter(token, revoke)).toEqual(['REVOKED', 'REVOKED']);
    expect(await authenticate(other, kept)).not.toBeNull();
  });
});

test('a scope that is revoked is gone from the token, the others stay', async () => {
  const token = await mint();
  expect((await authenticate(other, token))?.scopes).toEqual(SCOPES);
  await app.run("delete from app_grants where org_id = $1 and app_id = $2 and scope = 'users.read'");
  bench.advance(SECOND);
  expect((await authenticate(other, token))?.scopes).toEqual(['logs.read']);
});

test('a scope that is granted later is not in a token of before', async () => {
  const token = await mint(['users.read']);
  await app.grant('users.manage');
  bench.advance(SECOND);
  expect((await authenticate(other, token))?.scopes).toEqual(['users.read']);
});

test('a role that is taken is gone at once where it was taken, and within a second elsewhere', async () => {
  const token = await mint();
  for (const process of [one, other])
    expect((await authenticate(process, token))?.roles).toEqual([wholeRole('READ_ONLY_ADMIN')]);
  await app.run('delete from client_role_assignments where org_id = $1 and client_id = $2');
  one.verifier.drop(orgId);
  expect((await authenticate(one, token))?.roles).toEqual([]);
  bench.advance(SECOND);
  expect((await authenticate(other, token))?.roles).toEqual([]);
});

describe('the watermark', () => {
  test('tells tokens of one second apart', async () => {
    const at = bench.clock.now();
    const [before, after] = [at, new Date(at.getTime() + 2)].map((instant) => newAccessTokenId(instant));
    const mark = new Date(at.getTime() + 1);
    await bench.log.query('update apps set valid_after = $3 where org_id = $1 and id = $2', [orgId, app.id, mark]);
    const tokens = await Promise.all(
      [before, after].map((jti = '') => one.mint({ clientId: app.id, subject: app.id, jti })),
    );
    const results = await Promise.all(tokens.map(({ token }) => verify(one, token)));
    expect(results.map((result) => 'refused' in result && result.refused)).toEqual(['REVOKED', false]);
  });

  test('voids a token of the same instant', async () => {
    const validAfter = new Date();
    const client = { status: 'ACTIVE', applicationType: 'service', validAfter };
    expect(admits('useClientToken', { client, issuedAt: validAfter })).toBe('REVOKED');
  });

  test('needs the instant that our tokens bear', async () => {
    const jti = `AT.${'x'.repeat(43)}`;
    const { token } = await one.mint({ clientId: app.id, subject: app.id, jti });
    expect(await verify(one, token)).toEqual({ refused: 'NOT_AN_ACCESS_TOKEN' });
  });
});

describe('revoking', () => {
  const revoke = (token: string, clientId = app.id) =>
    revokeToken(revocationPorts(), bench.contextOf(orgId), null, { clientId, label: 'Collector' }, token);

  const revocations = async (): Promise<{ expires_at: Date }[]> => [
    ...(await bench.log.query<{ expires_at: Date }>('select expires_at from revoked_tokens where org_id = $1', [
      orgId,
    ])),
  ];

  async function events(): Promise<unknown[]> {
    await bench.log.drainAll();
    return bench.log.events(orgId, { filter: 'eventType eq "app.oauth2.token.revoke"' });
  }

  test('is written once, with its event, and lasts as long as the token', async () => {
    const { token, jti, expiresAt } = await one.mint({ clientId: app.id, subject: app.id });
    await Promise.all([revoke(token), revoke(token)]);
    await revoke(token);
    const [revocation, ...more] = await revocations();
    expect(more).toEqual([]);
    expect(revocation?.expires_at.getTime()).toBeGreaterThan(expiresAt.getTime());
    expect(await events()).toMatchObject([
      {
        actor: { id: app.id, type: 'PublicClientApp', displayName: 'Collector' },
        target: [
          { id: app.id, type: 'PublicClientApp' },
          { id: jti, type: 'access_token' },
        ],
      },
    ]);
    expect(JSON.stringify(await events())).not.toContain(token);
  });

  test.each<[string, () => Promise<string>]>([
    ['no token', async () => 'garbage'],
    ['a truncated one', async () => (await mint()).slice(0, 100)],
    [
      'one of another client',
      async () => (await one.mint({ clientId: '0oaother', subject: '0oaother', scopes: SCOPES })).token,
    ],
    [
      'one that is over',
      async () => {
        const token = await mint();
        bench.advance(HOUR);
        return token;
      },
    ],
  ])('%s changes nothing', async (_, make) => {
    await revoke(await make());
    expect(await revocations()).toEqual([]);
    expect(await events()).toEqual([]);
  });

  test('holds although the scope of the token is granted anew', async () => {
    const token = await mint(['users.read']);
    await app.run('delete from app_grants where org_id = $1 and app_id = $2');
    one.verifier.drop(orgId);
    await revoke(token);
    await app.grant('users.read');
    one.verifier.drop(orgId);
    expect(await verify(one, token)).toEqual({ refused: 'REVOKED' });
  });
});
