import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { findClientCredentials, type LiveClient, lockLiveClient } from '../../src/management/apps/index.ts';
import { CLOCK } from '../../src/platform/postgres/index.ts';
import { systemContext } from '../../src/system-log/index.ts';
import { APPS, createApp, newPublicJwk, serviceApp, webApp } from '../support/apps.ts';
import { LOCK_WAITS } from '../support/citus.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

const credentialsOf = (clientId: string, of = org) => findClientCredentials(service.application.db, of.id, clientId);

const context = () => {
  const { clock, application } = service;
  return systemContext({ orgId: org.id, namespace: application.namespace, name: 'test', now: clock.now() });
};
const lock = (clientId: string): Promise<LiveClient | undefined> =>
  service.application.work(context(), (tx) => lockLiveClient(tx, org.id, clientId));

async function granted(...scopes: readonly string[]): Promise<{ clientId: string; grantIds: string[] }> {
  const { id } = await createApp(org, serviceApp());
  const grantIds: string[] = [];
  for (const scope of scopes) {
    const body = { issuer: org.baseUrl, scopeId: `svc.${scope}` };
    grantIds.push((await org.admin.post(`${APPS}/${id}/grants`, { body })).body.id);
  }
  return { clientId: id, grantIds };
}

describe('what is known of a client', () => {
  test('is its active keys, its scopes and roles', async () => {
    const keys = [newPublicJwk('one'), newPublicJwk('two')];
    const settings = { jwks: { keys }, dpop_bound_access_tokens: true, jwks_uri: 'https://app.example.com/keys' };
    const { id } = await createApp(org, serviceApp(settings, { token_endpoint_auth_method: 'private_key_jwt' }));
    const listed = (await org.admin.get(`${APPS}/${id}/credentials/jwks`)).body as { id: string; kid: string }[];
    const [stopped, kept] = listed;
    await org.admin.post(`${APPS}/${id}/credentials/jwks/${stopped?.id}/lifecycle/deactivate`);
    for (const scope of ['users.read', 'apps.manage']) {
      await org.admin.post(`${APPS}/${id}/grants`, { body: { issuer: org.baseUrl, scopeId: `svc.${scope}` } });
    }
    await org.admin.post(`/oauth2/v1/clients/${id}/roles`, { body: { type: 'APP_ADMIN' } });
    const found = await credentialsOf(id);
    expect(found).toEqual({
      clientId: id,
      appId: id,
      label: 'App',
      status: 'ACTIVE',
      applicationType: 'service',
      grantTypes: ['client_credentials'],
      consentMethod: 'TRUSTED',
      refreshToken: null,
      sealedSecrets: [],
      tokenEndpointAuthMethod: 'private_key_jwt',
      takesSecretEitherWay: false,
      dpopBoundAccessTokens: true,
      backchannelRequestSigningAlg: null,
      jwksUri: 'https://app.example.com/keys',
      keys: [{ id: kept?.id, kid: kept?.kid, jwk: keys.find(({ kid }) => kid === kept?.kid) }],
      secretHashes: [],
      scopes: ['apps.manage', 'users.read'],
      roles: ['APP_ADMIN'],
      validAfter: expect.any(Date),
    });
  });

  test('is the hashes of its active secrets', async () => {
    const app = await createApp(org, webApp());
    const secret = await org.admin.post(`${APPS}/${app.id}/credentials/secrets`);
    const hash = (value: string) => createHash('sha256').update(value).digest();
    const values = [app.credentials.oauthClient.client_secret, secret.body.client_secret] as string[];
    const found = await credentialsOf(app.id);
    expect(found).toMatchObject({ jwksUri: null, dpopBoundAccessTokens: false, keys: [], scopes: [], roles: [] });
    expect(new Set(found?.secretHashes.map(String))).toEqual(new Set(values.map((value) => String(hash(value)))));
    await org.admin.post(`${APPS}/${app.id}/credentials/secrets/${secret.body.id}/lifecycle/deactivate`);
    expect((await credentialsOf(app.id))?.secretHashes).toEqual([hash(values[0] ?? '')]);
  });

  test('is nothing in another org, or of what is not there', async () => {
    const other = await service.newOrg();
    const { clientId } = await granted('users.read');
    expect(await credentialsOf(clientId, other)).toBeUndefined();
    expect(await credentialsOf('0oa00000000000000000')).toBeUndefined();
    expect(await lock('0oa00000000000000000')).toBeUndefined();
  });
});

describe('a client that is locked to be given a token', () => {
  test('is read by the database clock, behind every revocation', async () => {
    const { clientId, grantIds } = await granted('users.read', 'apps.read');
    await org.admin.del(`${APPS}/${clientId}/grants/${grantIds[0]}`);
    const live = await lock(clientId);
    expect(live).toMatchObject({ status: 'ACTIVE', applicationType: 'service', scopes: ['apps.read'] });
    expect(live?.issuedAt.getTime()).toBeGreaterThanOrEqual(live?.validAfter.getTime() ?? Number.NaN);
  });

  test('waits for a revocation that is under way, and sees what it did', async () => {
    const { clientId } = await granted('users.read', 'apps.read');
    const revoking = await service.application.pool.connect();
    try {
      await revoking.query('begin');
      await revoking.query('select 1 from apps where org_id = $1 and id = $2 for update', [org.id, clientId]);
      const waiting = lock(clientId);
      await expect
        .poll(async () => {
          const { rows } = await service.database.pool.query<{ waiting: number }>(LOCK_WAITS);
          return rows[0]?.waiting;
        })
        .toBe(1);
      await revoking.query(`delete from app_grants where org_id = $1 and app_id = $2 and scope = 'users.read'`, [
        org.id,
        clientId,
      ]);
      await revoking.query(
        `update apps set valid_after = clock.now from ${CLOCK} where org_id = $1 and id = $2 returning valid_after`,
        [org.id, clientId],
      );
      await revoking.query('commit');
      const live = await waiting;
      expect(live?.scopes).toEqual(['apps.read']);
      const { rows } = await revoking.query<{ at: Date }>(
        'select valid_after as at from apps where org_id = $1 and id = $2',
        [org.id, clientId],
      );
      expect(live?.validAfter).toEqual(rows[0]?.at);
      expect(live?.issuedAt.getTime()).toBeGreaterThanOrEqual(rows[0]?.at.getTime() ?? Number.NaN);
    } finally {
      revoking.release();
    }
  });
});
