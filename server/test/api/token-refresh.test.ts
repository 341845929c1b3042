import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { createTestClient } from '../support/client.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { useService } from '../support/use-service.ts';
import {
  newCode,
  newProofKey,
  newUserApp,
  payloadOf,
  redeem,
  refresh,
  TOKEN,
  tokensOf,
  type UserApp,
  withProof,
} from '../support/user-tokens.ts';

const { service, org } = useService({ isShared: false });
const { service: second } = useService(() => ({ database: service.database, publicPort: service.port }));
const app = beforeTests(() => newUserApp(org, { scopes: ['svc.users.read'] }));
const lenient = beforeTests(() => newUserApp(org, { rotation: { rotation_type: 'ROTATE', leeway: 30 } }));
const elsewhere = beforeTests(() => createTestClient({ port: second.port, hostname: org.hostname, ca: second.ca }));

const SCOPES = ['openid', 'profile', 'offline_access', 'svc.users.read'];
const INVALID = {
  status: 400,
  body: { error: 'invalid_grant', error_description: 'The refresh token is invalid or expired.' },
};
const MINUTE = 60_000;

const scoped = (scopes = SCOPES) => tokensOf(service, org, app, { scopes });

describe('a refresh token', () => {
  test('is replaced by each use, and gives tokens of the same user, scopes and sign-in', async () => {
    const first = await tokensOf(service, org, app, { scopes: SCOPES, nonce: 'n-1' });
    service.clock.advance(MINUTE);
    const { body, status } = await refresh(org, app, first.refresh_token);
    expect(status).toBe(200);
    expect(body.scope).toBe(SCOPES.join(' '));
    expect(body.refresh_token).not.toBe(first.refresh_token);
    const [before, after] = [payloadOf(first.id_token), payloadOf(body.id_token)];
    for (const name of ['sub', 'aud', 'iss', 'auth_time']) expect(after[name]).toBe(before[name]);
    // A refreshed ID token has no nonce (OpenID Connect Core 12.2).
    expect(after).not.toHaveProperty('nonce');
    expect(after.iat).toBeGreaterThan(before.iat);
    expect((await refresh(org, app, body.refresh_token)).status).toBe(200);
    const events = await org.systemLog('eventType eq "app.oauth2.token.grant.refresh_token"');
    expect(events.at(-1)?.debugContext.debugData.grantType).toBe('refresh_token');
  });

  test('of an app without rotation stays the same', async () => {
    const fixed = await newUserApp(org, { rotation: { rotation_type: 'STATIC', leeway: 0 } });
    const { refresh_token: token } = await tokensOf(service, org, fixed);
    for (let use = 0; use < 2; use += 1) {
      expect(await refresh(org, fixed, token)).toMatchObject({ status: 200, body: { refresh_token: token } });
    }
  });

  test('of an app that rotates no more is the present one alone', async () => {
    const own = await newUserApp(org);
    const { refresh_token: first } = await tokensOf(service, org, own);
    const { refresh_token: next } = (await refresh(org, own, first)).body;
    await service.database.pool.query(
      `update apps set document = jsonb_set(document, '{settings,oauthClient,refresh_token,rotation_type}', '"STATIC"')
       where org_id = $1 and id = $2`,
      [org.id, own.id],
    );
    service.clock.advance(1_100);
    expect(await refresh(org, own, next)).toMatchObject({ status: 200, body: { refresh_token: next } });
    expect(await refresh(org, own, first)).toMatchObject(INVALID);
    expect(await refresh(org, own, next)).toMatchObject(INVALID);
  });

  test('of a public client without a key is replaced by each use, whatever its app says', async () => {
    const rotation = { rotation_type: 'STATIC', leeway: 0 } as const;
    const open = await newUserApp(org, { authMethod: 'none', applicationType: 'native', rotation });
    const { refresh_token: first } = await tokensOf(service, org, open);
    const { refresh_token: next } = (await refresh(org, open, first)).body;
    expect(next).not.toBe(first);
    expect(await refresh(org, open, first)).toMatchObject(INVALID);
    expect(await refresh(org, open, next)).toMatchObject(INVALID);
  });

  test('row 65: that was replaced ends all that came of it, and the log says so', async () => {
    const { refresh_token: first } = await scoped();
    const { body } = await refresh(org, app, first);
    expect(await refresh(org, app, first)).toMatchObject(INVALID);
    expect(await refresh(org, app, body.refresh_token)).toMatchObject(INVALID);
    const [event] = await org.systemLog(`eventType eq "app.oauth2.token.detect_reuse" and actor.id eq "${app.id}"`);
    expect(event).toMatchObject({ severity: 'WARN', outcome: { result: 'FAILURE' }, actor: { id: app.id } });
    expect(JSON.stringify(event)).not.toContain(first);
  });

  test('within the leeway is answered with the present one again, and no further back', async () => {
    const { refresh_token: first } = await tokensOf(service, org, lenient);
    const { refresh_token: next } = (await refresh(org, lenient, first)).body;
    service.clock.advance(29_000);
    expect((await refresh(org, lenient, first)).body.refresh_token).toBe(next);
    const { refresh_token: third } = (await refresh(org, lenient, next)).body;
    expect(await refresh(org, lenient, first)).toMatchObject(INVALID);
    expect(await refresh(org, lenient, third)).toMatchObject(INVALID);
  });

  test('behind the leeway ends the family', async () => {
    const { refresh_token: first } = await tokensOf(service, org, lenient);
    const { refresh_token: next } = (await refresh(org, lenient, first)).body;
    service.clock.advance(30_001);
    expect(await refresh(org, lenient, first)).toMatchObject(INVALID);
    expect(await refresh(org, lenient, next)).toMatchObject(INVALID);
  });

  test('of which two processes hear at once is rotated once: one family, or none', async () => {
    const { refresh_token: kind } = await tokensOf(service, org, lenient);
    const race = (own: UserApp, token: string) =>
      Promise.all([org.anonymous, elsewhere, org.anonymous].map((client) => refresh(org, own, token, {}, { client })));
    const told = await race(lenient, kind);
    expect(told.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(told.map(({ body }) => body.refresh_token)).size).toBe(1);
    const { refresh_token: strict } = await scoped();
    const answers = await race(app, strict);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
    const winner = answers.find(({ status }) => status === 200);
    expect(await refresh(org, app, winner?.body.refresh_token)).toMatchObject(INVALID);
  });
});

describe('what is no refresh token of the client', () => {
  test('is refused, whatever it is, and ends nothing', async () => {
    const { access_token: access, refresh_token: token } = await scoped();
    const other = await newUserApp(org);
    expect(await refresh(org, other, token)).toMatchObject(INVALID);
    const [id, , mac] = String(token).split('.');
    const forged = [`${id}.2.${mac}`, `${id}.0.${mac}`, token.slice(0, -1), `${token}A`, access, 'x'];
    for (const text of forged) expect(await refresh(org, app, text)).toMatchObject(INVALID);
    const server = await newCustomServer(org, { grantTypes: ['authorization_code'] });
    const place = { path: `${server.oauth}/v1/token` };
    expect(await refresh(org, app, token, {}, place)).toMatchObject(INVALID);
    const elsewhereOrg = await service.newOrg();
    const theirs = await newUserApp(elsewhereOrg);
    expect(await refresh(elsewhereOrg, theirs, token)).toMatchObject(INVALID);
    expect((await refresh(org, app, token)).status).toBe(200);
  });
});

describe('row 66: scopes', () => {
  test('may be fewer, for that one time', async () => {
    const { refresh_token: first } = await scoped();
    const { body } = await refresh(org, app, first, { scope: 'svc.users.read' });
    expect(body.scope).toBe('svc.users.read');
    expect(payloadOf(body.access_token).scp).toEqual(['svc.users.read']);
    expect(body).not.toHaveProperty('id_token');
    expect((await refresh(org, app, body.refresh_token)).body.scope).toBe(SCOPES.join(' '));
  });

  test('may not be others, which leaves the token as it was, and an event', async () => {
    const { refresh_token: token } = await scoped(['openid', 'offline_access']);
    const scope = 'openid svc.users.read';
    expect(await refresh(org, app, token, { scope })).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
    const events = await org.systemLog(`target.id eq "${app.id}" and outcome.reason eq "invalid_scope"`);
    expect(events.at(-1)?.debugContext.debugData).toMatchObject({ grantType: 'refresh_token', requestedScopes: scope });
    expect((await refresh(org, app, token)).status).toBe(200);
  });

  test('that the app lost end the token as far as they are asked for', async () => {
    const own = await newUserApp(org, { scopes: ['svc.users.read'] });
    const { refresh_token: token } = await tokensOf(service, org, own, { scopes: SCOPES });
    const grants = (await org.admin.get(`/api/v1/apps/${own.id}/grants`)).body;
    await org.admin.del(`/api/v1/apps/${own.id}/grants/${grants[0].id}`);
    const answer = await refresh(org, own, token);
    expect(answer.status).toBe(400);
  });
});

describe('row 74: of a public client with a key', () => {
  test('takes a proof of that key alone', async () => {
    const bound = await newUserApp(org, {
      authMethod: 'none',
      applicationType: 'native',
      settings: { dpop_bound_access_tokens: true },
    });
    const [key, other] = [await newProofKey(service), await newProofKey(service)];
    const code = await newCode(service, org, bound);
    const first = await withProof(org, key, TOKEN, (headers) => redeem(org, bound, code, {}, { headers }));
    const ask = (headers: Readonly<Record<string, string>>) =>
      refresh(org, bound, first.body.refresh_token, {}, { headers });
    expect(await ask({})).toMatchObject({ status: 400, body: { error: 'invalid_dpop_proof' } });
    expect(await withProof(org, other, TOKEN, ask)).toMatchObject({
      status: 400,
      body: { error: 'invalid_dpop_proof', error_description: 'Invalid DPoP Public Key binding in refresh token' },
    });
    expect(await withProof(org, key, TOKEN, ask)).toMatchObject({ status: 200, body: { token_type: 'DPoP' } });
  });
});

// This test comes last, because it moves the clock beyond the lifetime of an administrator's API token.
describe('time', () => {
  test('ends a token of the org’s own server after a week without use, or after 90 days', async () => {
    const day = 24 * 60 * MINUTE;
    let { refresh_token: token } = await scoped();
    service.clock.advance(7 * day - MINUTE);
    ({ refresh_token: token } = (await refresh(org, app, token)).body);
    for (let week = 0; week < 13; week += 1) {
      service.clock.advance(6 * day);
      const { body, status } = await refresh(org, app, token);
      expect(status).toBe(200);
      token = body.refresh_token;
    }
    service.clock.advance(5 * day + MINUTE);
    expect(await refresh(org, app, token)).toMatchObject(INVALID);
    const { refresh_token: idle } = await scoped();
    service.clock.advance(7 * day);
    expect(await refresh(org, app, idle)).toMatchObject(INVALID);
  });
});
