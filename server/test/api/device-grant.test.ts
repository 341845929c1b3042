import { describe, expect, test } from 'vitest';
import { dropOldPendingAuthorizations } from '../../src/oauth/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import type { TestResponse } from '../support/client.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import {
  ALLOWED,
  allowedDevice,
  answerAt,
  answerDevice,
  askDevice,
  DENIED,
  DEVICE_GRANT,
  enterCode,
  locationOf,
  newDeviceApp,
  newDeviceUser,
  poll,
  startDevice,
} from '../support/devices.ts';
import { useService } from '../support/use-service.ts';
import { newProofKey, payloadOf, refresh, TOKEN, withProof } from '../support/user-tokens.ts';

// This file tests device authorization (RFC 8628), from the device's side.

const { service, org } = useService({ isShared: false });
const app = beforeTests(() => newDeviceApp(org));
const user = beforeTests(() => newDeviceUser(service, org, app));

const PENDING = { status: 400, body: { error: 'authorization_pending' } };
const SLOW_DOWN = { status: 400, body: { error: 'slow_down' } };
const THAT_ONE = `org_id = $1 and request_hash = sha256(convert_to($2, 'UTF8'))`;
const INVALID = { status: 400, body: { error: 'invalid_grant' } };

describe('a device', () => {
  test('is told a code for its user, one for itself, and how to ask', async () => {
    const { body, headers, status } = await askDevice(org, app);
    expect(status).toBe(200);
    expect(headers['cache-control']).toContain('no-store');
    expect(body).toEqual({
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{8}$/),
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      interval: 5,
      verification_uri_complete: `${org.baseUrl}/activate?user_code=${body.user_code}`,
      verification_uri: `${org.baseUrl}/activate`,
      expires_in: 600,
    });
  });

  test('gets tokens once its user has allowed it, and once only', async () => {
    const device = await startDevice(org, app, { scope: 'openid email offline_access' });
    expect(await poll(org, app, device)).toMatchObject(PENDING);
    expect(locationOf(await answerDevice(user, device))).toBe(ALLOWED);
    const { body, status } = await poll(org, app, device);
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3_600, scope: 'openid email offline_access' });
    expect(payloadOf(body.access_token)).toMatchObject({ uid: user.userId, cid: app.id, sub: user.login });
    expect(payloadOf(body.id_token)).toMatchObject({
      sub: user.userId,
      aud: app.id,
      amr: ['pwd'],
      sid: user.externalSessionId,
    });
    expect(await poll(org, app, device)).toMatchObject(INVALID);
    const again = await refresh(org, app, body.refresh_token);
    expect(again.status).toBe(200);
    const events = await org.systemLog(`target.id eq "${app.id}" and actor.id eq "${user.userId}"`);
    expect(events.map(({ eventType }) => eventType)).toContain('user.authentication.sso');
    const granted = await org.systemLog(`target.id eq "${app.id}" and eventType sw "app.oauth2.token.grant"`);
    expect(granted.map(({ eventType }) => eventType).slice(0, 3)).toEqual([
      'app.oauth2.token.grant.access_token',
      'app.oauth2.token.grant.id_token',
      'app.oauth2.token.grant.refresh_token',
    ]);
    expect(granted[0].debugContext.debugData).toMatchObject({ grantType: DEVICE_GRANT });
  });

  test('waits without a trace in the log, whether it asks too fast or not', async () => {
    const own = await newDeviceApp(org);
    const device = await startDevice(org, own);
    for (const _ of [1, 2, 3]) await poll(org, own, device);
    expect(await org.systemLog(`target.id eq "${own.id}" and eventType sw "app.oauth2"`)).toEqual([]);
  });

  test('row 77: that asks too fast is told to slow down, by five seconds more each time', async () => {
    const device = await startDevice(org, app);
    const { pool } = service.database;
    const own = [org.id, device.deviceCode];
    /** Polls as if the previous poll had come this many seconds ago. */
    const after = async (seconds: number): Promise<TestResponse> => {
      const polledAt = new Date(service.clock.now().getTime() - seconds * 1_000);
      await pool.query(`update polled_requests set last_polled_at = $3 where ${THAT_ONE}`, [...own, polledAt]);
      return poll(org, app, device);
    };
    const interval = async (): Promise<number> => {
      const { rows } = await pool.query(`select interval_seconds from polled_requests where ${THAT_ONE}`, own);
      return rows[0].interval_seconds;
    };
    expect(await poll(org, app, device)).toMatchObject(PENDING);
    expect(await after(-60)).toMatchObject(SLOW_DOWN);
    expect(await interval()).toBe(10);
    expect(await after(-60)).toMatchObject(SLOW_DOWN);
    expect(await interval()).toBe(15);
    expect(await after(15)).toMatchObject(PENDING);
    expect(await interval()).toBe(15);
    await answerDevice(user, device);
    // Once the user has allowed the device, even a poll that comes too soon gets the tokens.
    expect(await after(-60)).toMatchObject({ status: 200 });
  });

  test('is told when its code is over, and later that there is none', async () => {
    const [forgotten, late] = [await startDevice(org, app), await startDevice(org, app)];
    const address = await enterCode(user, forgotten.userCode);
    await answerDevice(user, late);
    service.clock.advance(600_000);
    const expired = {
      status: 400,
      body: { error: 'expired_token', error_description: 'The device code has expired.' },
    };
    expect(await poll(org, app, forgotten)).toMatchObject(expired);
    expect(await poll(org, app, late)).toMatchObject(expired);
    expect((await user.browser.get(address)).status).toBe(400);
    await dropOldPendingAuthorizations(service.database.db, service.clock.now());
    expect(await poll(org, app, forgotten)).toMatchObject(INVALID);
  });

  test('is told that its user said no, as often as it asks', async () => {
    const device = await startDevice(org, app);
    expect(locationOf(await answerDevice(user, device, 'deny'))).toBe(DENIED);
    for (const _ of [1, 2]) {
      expect(await poll(org, app, device)).toMatchObject({ status: 403, body: { error: 'access_denied' } });
    }
    const [event] = await org.systemLog(
      `target.id eq "${app.id}" and eventType eq "app.oauth2.authorize_failure" and actor.id eq "${user.userId}"`,
    );
    expect(event).toMatchObject({ outcome: { result: 'FAILURE', reason: 'access_denied' } });
  });

  test('and its like at once get tokens once', async () => {
    const device = await allowedDevice(org, app, user);
    const answers = await Promise.all([1, 2, 3, 4].map(() => poll(org, app, device)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400]);
  });

  test('gets tokens of the key that it named, and of no other', async () => {
    const [key, other] = [await newProofKey(service), await newProofKey(service)];
    const device = await allowedDevice(org, app, user, { dpop_jkt: key.jkt });
    expect(await poll(org, app, device)).toMatchObject({ body: { error: 'invalid_dpop_proof' } });
    const by = (proof: typeof key) => withProof(org, proof, TOKEN, (headers) => poll(org, app, device, { headers }));
    expect(await by(other)).toMatchObject(INVALID);
    const { body } = await by(key);
    expect(body.token_type).toBe('DPoP');
    expect(payloadOf(body.access_token).cnf).toEqual({ jkt: key.jkt });
  });

  test('of an app that binds all its tokens proves its key with each poll, each proof once', async () => {
    const bound = await newDeviceApp(org, { settings: { dpop_bound_access_tokens: true } });
    const own = await newDeviceUser(service, org, bound);
    const device = await startDevice(org, bound);
    expect(await poll(org, bound, device)).toMatchObject({ body: { error: 'invalid_dpop_proof' } });
    const key = await newProofKey(service);
    let sent: Readonly<Record<string, string>> = {};
    const ask = () =>
      withProof(org, key, TOKEN, (headers) => {
        sent = headers;
        return poll(org, bound, device, { headers });
      });
    expect(await ask()).toMatchObject(PENDING);
    expect(await poll(org, bound, device, { headers: sent })).toMatchObject({ body: { error: 'invalid_dpop_proof' } });
    await answerDevice(own, device);
    expect((await ask()).body.token_type).toBe('DPoP');
  });
});

describe('at a custom server a device', () => {
  test('gets what the server’s policy has for its grant and user', async () => {
    const server = await newCustomServer(org, { grantTypes: [DEVICE_GRANT], claims: { team: '"blue"' } });
    const device = await allowedDevice(
      org,
      app,
      user,
      { scope: 'openid orders.read' },
      { path: `${server.oauth}/v1/device/authorize` },
    );
    expect(await poll(org, app, device)).toMatchObject(INVALID);
    const { body, status } = await poll(org, app, device, { path: `${server.oauth}/v1/token` });
    expect(status).toBe(200);
    expect(payloadOf(body.access_token)).toMatchObject({
      iss: server.issuer,
      team: 'blue',
      scp: ['openid', 'orders.read'],
    });
    const events = await org.systemLog(`target.id eq "${server.id}" and eventType sw "app.oauth2.as.token.grant"`);
    expect(events).toHaveLength(2);
  });

  test('gets nothing where no rule has its grant, and need not wait to hear it', async () => {
    const server = await newCustomServer(org, { grantTypes: ['authorization_code'] });
    const sent = { path: `${server.oauth}/v1/device/authorize` };
    const device = await startDevice(org, app, { scope: 'orders.read' }, sent);
    const page = await answerDevice(user, device);
    expect(page).toMatchObject({ status: 400, text: expect.stringContaining('Policy evaluation failed') });
    const told = await poll(org, app, device, { path: `${server.oauth}/v1/token` });
    expect(told).toMatchObject({ status: 403, body: { error: 'access_denied' } });
    const [event] = await org.systemLog(
      `target.id eq "${server.id}" and eventType eq "app.oauth2.as.authorize.scope_denied_failure"`,
    );
    expect(event).toMatchObject({ outcome: { reason: 'no_matching_policy' }, actor: { id: user.userId } });
  });
});

test('neither code is in the database', async () => {
  const { deviceCode, userCode } = await startDevice(org, app);
  await enterCode(user, userCode);
  const { pool } = service.database;
  for (const table of ['polled_requests', 'authorization_requests']) {
    const { rows } = await pool.query(`select t::text as row from ${table} t where org_id = $1`, [org.id]);
    const text = JSON.stringify(rows);
    expect(rows.length).toBeGreaterThan(0);
    expect(text).not.toContain(deviceCode);
    expect(text).not.toContain(userCode);
    expect(text).not.toContain(Buffer.from(userCode).toString('hex'));
  }
});

test('of two who allow a device at once the first has', async () => {
  const other = await newDeviceUser(service, org, app);
  const device = await startDevice(org, app);
  const addresses = [await enterCode(user, device.userCode), await enterCode(other, device.userCode)] as const;
  const answers = await Promise.all([answerAt(user, addresses[0], 'allow'), answerAt(other, addresses[1], 'allow')]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 400]);
  const winner = answers[0].status === 303 ? user : other;
  expect(payloadOf((await poll(org, app, device)).body.access_token).uid).toBe(winner.userId);
});
