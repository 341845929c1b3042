import { describe, expect, test } from 'vitest';
import {
  allowedRequest,
  answerRequest,
  askUser,
  BACKCHANNEL,
  CIBA_GRANT,
  lookAt,
  newBackchannelApp,
  openQuestion,
  pollRequest,
  REQUEST_ALLOWED,
  REQUEST_DENIED,
  startRequest,
  waitingOf,
} from '../support/backchannel.ts';
import { beforeTests } from '../support/before-tests.ts';
import { createTestClient } from '../support/client.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { type DeviceUser, locationOf, newDeviceUser } from '../support/devices.ts';
import { useService } from '../support/use-service.ts';
import { newProofKey, payloadOf, refresh, TOKEN, withProof } from '../support/user-tokens.ts';

// This file tests backchannel authentication (CIBA Core 1.0) in poll mode, from the client's side.

const { service, org } = useService({ isShared: false });
const { service: second } = useService(() => ({ database: service.database, publicPort: service.port }));
const elsewhere = beforeTests(() => createTestClient({ port: second.port, hostname: org.hostname, ca: second.ca }));
const app = beforeTests(() => newBackchannelApp(org));
let user: DeviceUser;
// No two tests share a user, so that requests left waiting by one test do not affect the next.
const newUser = async (): Promise<DeviceUser> => {
  user = await newDeviceUser(service, org, app);
  return user;
};

const PENDING = { status: 400, body: { error: 'authorization_pending' } };
const SLOW_DOWN = { status: 400, body: { error: 'slow_down' } };
const INVALID = { status: 400, body: { error: 'invalid_grant' } };
const THAT_ONE = `org_id = $1 and request_hash = sha256(convert_to($2, 'UTF8'))`;

describe('a request', () => {
  test('is told what to poll with, for how long and how often', async () => {
    const { login } = await newUser();
    const { body, headers, status } = await askUser(org, app, { login_hint: login });
    expect(status).toBe(200);
    expect(headers['cache-control']).toContain('no-store');
    expect(body).toEqual({ auth_req_id: expect.stringMatching(/^[\w-]{43}$/), expires_in: 300, interval: 5 });
  });

  test.each([
    [{ requested_expiry: '60' }, 60],
    [{ request_expiry: '1' }, 1],
    [{ requested_expiry: '86400' }, 300],
  ])('that wishes for %j has so long: %i', async (form, seconds) => {
    const { login } = await newUser();
    expect((await askUser(org, app, { login_hint: login, ...form })).body.expires_in).toBe(seconds);
  });

  test('gets tokens once its user has allowed it, and once only', async () => {
    await newUser();
    const request = await startRequest(org, app, user, { scope: 'openid email offline_access' });
    expect(await pollRequest(org, app, request)).toMatchObject(PENDING);
    expect(locationOf(await answerRequest(user))).toBe(REQUEST_ALLOWED);
    const { body, status } = await pollRequest(org, app, request);
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3_600, scope: 'openid email offline_access' });
    expect(payloadOf(body.access_token)).toMatchObject({ uid: user.userId, cid: app.id, sub: user.login });
    const told = { sub: user.userId, aud: app.id, amr: ['pwd'], sid: user.externalSessionId };
    expect(payloadOf(body.id_token)).toMatchObject(told);
    expect(await pollRequest(org, app, request)).toMatchObject(INVALID);
    expect((await refresh(org, app, body.refresh_token)).status).toBe(200);
  });

  test('leaves who asked, who allowed and what was given in the log', async () => {
    await newUser();
    const request = await allowedRequest(org, app, user);
    await pollRequest(org, app, request);
    const events = await org.systemLog(`target.id eq "${user.userId}" or actor.id eq "${user.userId}"`);
    const types = events.map(({ eventType }) => eventType);
    expect(types).toContain('app.oauth2.authorize');
    expect(types).toContain('user.authentication.sso');
    expect(types).toContain('app.oauth2.token.grant.access_token');
    const asked = events.find(({ eventType }) => eventType === 'app.oauth2.authorize');
    expect(asked).toMatchObject({
      actor: { id: app.id },
      outcome: { result: 'SUCCESS' },
      debugContext: { debugData: { grantType: CIBA_GRANT, requestedScopes: 'openid' } },
    });
  });

  test('names its user by an ID token, however old', async () => {
    await newUser();
    const { body } = await pollRequest(org, app, await allowedRequest(org, app, user));
    service.clock.advance(2 * 86_400_000);
    await newUserSession();
    const started = await askUser(org, app, { id_token_hint: body.id_token });
    expect(started.status).toBe(200);
    expect(await waitingOf(user)).toHaveLength(1);
  });

  /** Signs in the user again after the test has advanced the clock past the end of the earlier session. */
  async function newUserSession(): Promise<void> {
    user = await newDeviceUser(service, org, null, user.userId);
  }

  test('says the level that it asked for, where it was reached', async () => {
    await newUser();
    const acr = 'urn:svc:loa:1fa:any';
    const { body } = await pollRequest(org, app, await allowedRequest(org, app, user, { acr_values: acr }));
    expect(payloadOf(body.id_token).acr).toBe(acr);
  });

  test('that polls too fast is told to slow down, and later that it is over', async () => {
    await newUser();
    const request = await startRequest(org, app, user);
    expect(await pollRequest(org, app, request)).toMatchObject(PENDING);
    const polledAt = new Date(service.clock.now().getTime() + 60_000);
    const own = [org.id, request.authReqId];
    await service.database.pool.query(`update polled_requests set last_polled_at = $3 where ${THAT_ONE}`, [
      ...own,
      polledAt,
    ]);
    expect(await pollRequest(org, app, request)).toMatchObject(SLOW_DOWN);
    const { rows } = await service.database.pool.query(
      `select interval_seconds from polled_requests where ${THAT_ONE}`,
      own,
    );
    expect(rows[0].interval_seconds).toBe(10);
    service.clock.advance(300_000);
    expect(await pollRequest(org, app, request)).toMatchObject({ status: 400, body: { error: 'expired_token' } });
    expect(await waitingOf(user)).toEqual([]);
  });

  test('waits without a trace in the log', async () => {
    const own = await newBackchannelApp(org);
    const ownUser = await newDeviceUser(service, org, own);
    const request = await startRequest(org, own, ownUser);
    for (const _ of [1, 2, 3]) await pollRequest(org, own, request);
    const refused = `target.id eq "${own.id}" and eventType sw "app.oauth2" and outcome.result eq "FAILURE"`;
    expect(await org.systemLog(refused)).toEqual([]);
  });

  test('is told that its user said no, as often as it asks', async () => {
    await newUser();
    const request = await startRequest(org, app, user);
    expect(locationOf(await answerRequest(user, 'deny'))).toBe(REQUEST_DENIED);
    for (const _ of [1, 2]) {
      expect(await pollRequest(org, app, request)).toMatchObject({ status: 403, body: { error: 'access_denied' } });
    }
    const [event] = await org.systemLog(`actor.id eq "${user.userId}" and eventType eq "app.oauth2.authorize_failure"`);
    expect(event).toMatchObject({ outcome: { result: 'FAILURE', reason: 'access_denied' } });
  });

  test('gets tokens once, of polls at once at two processes', async () => {
    await newUser();
    const request = await allowedRequest(org, app, user);
    const senders = [{}, { client: elsewhere }, {}, { client: elsewhere }];
    const answers = await Promise.all(senders.map((sent) => pollRequest(org, app, request, sent)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400]);
  });

  test('of an app that binds its tokens gets them bound', async () => {
    const bound = await newBackchannelApp(org, { settings: { dpop_bound_access_tokens: true } });
    const own = await newDeviceUser(service, org, bound);
    const request = await allowedRequest(org, bound, own);
    const key = await newProofKey(service);
    const { body } = await withProof(org, key, TOKEN, (headers) => pollRequest(org, bound, request, { headers }));
    expect(body.token_type).toBe('DPoP');
    expect(payloadOf(body.access_token).cnf).toEqual({ jkt: key.jkt });
  });
});

describe('at a custom server a request', () => {
  test('gets what the server’s policy has for its grant and user', async () => {
    await newUser();
    const server = await newCustomServer(org, { grantTypes: [CIBA_GRANT], claims: { team: '"blue"' } });
    const sent = { path: `${server.oauth}/v1/bc/authorize` };
    const request = await allowedRequest(org, app, user, { scope: 'openid orders.read' }, sent);
    expect(await pollRequest(org, app, request)).toMatchObject(INVALID);
    const { body, status } = await pollRequest(org, app, request, { path: `${server.oauth}/v1/token` });
    expect(status).toBe(200);
    const told = { iss: server.issuer, team: 'blue', scp: ['openid', 'orders.read'] };
    expect(payloadOf(body.access_token)).toMatchObject(told);
    const events = await org.systemLog(`target.id eq "${server.id}" and actor.id eq "${app.id}"`);
    expect(events.map(({ eventType }) => eventType).toSorted()).toEqual([
      'app.oauth2.as.authorize',
      'app.oauth2.as.token.grant.access_token',
      'app.oauth2.as.token.grant.id_token',
    ]);
  });

  test('gets nothing where no rule has its grant, before anybody is asked', async () => {
    await newUser();
    const server = await newCustomServer(org, { grantTypes: ['authorization_code'] });
    const form = { login_hint: user.login, scope: 'openid orders.read' };
    const refused = await askUser(org, app, form, { path: `${server.oauth}/v1/bc/authorize` });
    expect(refused).toMatchObject({ body: { error: 'access_denied' } });
    expect(await waitingOf(user)).toEqual([]);
    const filter = `target.id eq "${server.id}" and eventType eq "app.oauth2.as.authorize.scope_denied_failure"`;
    const [event] = await org.systemLog(filter);
    expect(event).toMatchObject({ outcome: { reason: 'no_matching_policy' }, actor: { id: app.id } });
  });
});

test('what is polled with is not in the database', async () => {
  await newUser();
  const { authReqId } = await startRequest(org, app, user);
  await lookAt(user);
  for (const table of ['polled_requests', 'authorization_requests']) {
    const { rows } = await service.database.pool.query(`select t::text as row from ${table} t where org_id = $1`, [
      org.id,
    ]);
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(authReqId);
  }
});

test('of two answers at once one counts', async () => {
  await newUser();
  const request = await startRequest(org, app, user);
  const other = await newDeviceUser(service, org, null, user.userId);
  const addresses = [await lookAt(user), await lookAt(other)] as const;
  const one = await openQuestion(user, addresses[0]);
  const another = await openQuestion(other, addresses[1]);
  const answers = await Promise.all([one('allow'), another('deny')]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 400]);
  const isAllowed = answers[0].status === 303;
  expect((await pollRequest(org, app, request)).status).toBe(isAllowed ? 200 : 403);
});

test('the endpoint is where the metadata say', async () => {
  const { body } = await org.anonymous.get('/.well-known/openid-configuration');
  expect(body).toMatchObject({
    backchannel_authentication_endpoint: org.baseUrl + BACKCHANNEL,
    backchannel_token_delivery_modes_supported: ['poll'],
    backchannel_user_code_parameter_supported: false,
  });
});
