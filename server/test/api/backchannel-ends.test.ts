import { describe, expect, test } from 'vitest';
import { APPROVAL_ENDS, APPROVAL_ENDS_OF_SERVERS, expectEnded } from '../support/approval-ends.ts';
import type { OidcApp } from '../support/authorization.ts';
import {
  allowedRequest,
  answerQuestion,
  askUser,
  CIBA_GRANT,
  lookAt,
  newBackchannelApp,
  pollRequest,
  type StartedRequest,
  startRequest,
  waitingOf,
} from '../support/backchannel.ts';
import { beforeTests } from '../support/before-tests.ts';
import { createTestClient, type TestClient } from '../support/client.ts';
import { good, newCustomServer } from '../support/custom-servers.ts';
import { newDeviceUser } from '../support/devices.ts';
import { startTestService } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import type { Sent } from '../support/user-tokens.ts';
import { lockOut, userPath } from '../support/users.ts';

// This file tests backchannel authentication (CIBA Core 1.0): when requests and approvals end, and how many requests
// may wait.

const { service, org } = useService({ isShared: false });
const app = beforeTests(() => newBackchannelApp(org));

const PENDING = { status: 400, body: { error: 'authorization_pending' } };
const DENIED = { status: 403, body: { error: 'access_denied' } };
const FULL = { status: 400, body: { error: 'access_denied' } };

async function refusedPoll(request: StartedRequest, own: OidcApp, sent: Sent = {}): Promise<void> {
  service.clock.advance(1_100);
  await expectEnded(org, own, await pollRequest(org, own, request, sent));
}

describe('what was allowed ends when', () => {
  test.each(Object.entries(APPROVAL_ENDS))('%s', async (_, end) => {
    const own = await newBackchannelApp(org);
    const held = { app: own, user: await newDeviceUser(service, org, own) };
    const request = await allowedRequest(org, own, held.user);
    await end(org, held);
    await refusedPoll(request, own);
  });

  test.each(Object.entries(APPROVAL_ENDS_OF_SERVERS))('of its server: %s', async (_, end) => {
    const user = await newDeviceUser(service, org, app);
    const server = await newCustomServer(org, { grantTypes: [CIBA_GRANT] });
    const sent = { path: `${server.oauth}/v1/bc/authorize` };
    const request = await allowedRequest(org, app, user, { scope: 'openid orders.read' }, sent);
    await end(org, server);
    await refusedPoll(request, app, { path: `${server.oauth}/v1/token` });
  });
});

describe('what waits', () => {
  test.each([
    ['was suspended, and is active again', ['suspend', 'unsuspend']],
    ['was deactivated, and is active again', ['deactivate', 'activate?sendEmail=false']],
  ])('is over for a user who %s', async (_, operations) => {
    const user = await newDeviceUser(service, org, app);
    const request = await startRequest(org, app, user);
    for (const operation of operations) {
      await good(org.admin.post(`${userPath(user.userId)}/lifecycle/${operation}`));
    }
    await service.database.pool.query(`update users set status = 'ACTIVE' where org_id = $1 and id = $2`, [
      org.id,
      user.userId,
    ]);
    service.clock.advance(1_100);
    const again = await newDeviceUser(service, org, null, user.userId);
    const address = await lookAt(again);
    expect((await answerQuestion(again, address, 'allow')).status).toBe(400);
    expect(await pollRequest(org, app, request)).toMatchObject(DENIED);
  });

  test('row 46: who is locked out is neither asked nor answers', async () => {
    const user = await newDeviceUser(service, org, app);
    const request = await startRequest(org, app, user);
    const address = await lookAt(user);
    await lockOut(org.admin, user.userId);
    expect((await answerQuestion(user, address, 'allow')).status).toBe(400);
    expect(await pollRequest(org, app, request)).toMatchObject(DENIED);
    const refused = await askUser(org, app, { login_hint: user.login });
    const unknown = await askUser(org, app, { login_hint: 'nobody@example.com' });
    expect(refused).toMatchObject({ status: 400, body: unknown.body });
  });

  test('of an app that was deactivated is over, also when it is active again', async () => {
    const own = await newBackchannelApp(org);
    const user = await newDeviceUser(service, org, own);
    const request = await startRequest(org, own, user);
    const address = await lookAt(user);
    await good(org.admin.post(`/api/v1/apps/${own.id}/lifecycle/deactivate`));
    expect(await waitingOf(user)).toEqual([]);
    await good(org.admin.post(`/api/v1/apps/${own.id}/lifecycle/activate`));
    service.clock.advance(1_100);
    expect(await waitingOf(user)).toEqual([]);
    expect((await answerQuestion(user, address, 'allow')).status).toBe(400);
    expect(await pollRequest(org, own, request)).toMatchObject({ body: { error: 'invalid_grant' } });
  });
});

describe('so much waits for a user', () => {
  test('three requests of one app, then none until one was answered or is over', async () => {
    const user = await newDeviceUser(service, org, app);
    for (const _ of [1, 2, 3]) await startRequest(org, app, user);
    expect(await askUser(org, app, { login_hint: user.login })).toMatchObject(FULL);
    const reason = 'ciba_mfa_challenge_initiation_failure';
    expect(await org.systemLog(`actor.id eq "${app.id}" and outcome.reason eq "${reason}"`)).toHaveLength(1);
    await answerQuestion(user, await lookAt(user), 'deny');
    expect((await askUser(org, app, { login_hint: user.login })).status).toBe(200);
    service.clock.advance(300_000);
    expect((await askUser(org, app, { login_hint: user.login })).status).toBe(200);
  });

  test('ten of all apps, at two processes at once', async () => {
    const second = await startTestService({ database: service.database, publicPort: service.port });
    second.clock.advance(service.clock.now().getTime() - second.clock.now().getTime());
    const elsewhere: TestClient & { close(): void } = createTestClient({
      port: second.port,
      hostname: org.hostname,
      ca: second.ca,
    });
    const apps = await Promise.all([1, 2, 3, 4].map(() => newBackchannelApp(org)));
    const user = await newDeviceUser(service, org, app);
    for (const { id } of apps) {
      await good(org.admin.post(`/api/v1/apps/${id}/users`, { body: { id: user.userId, scope: 'USER' } }));
    }
    const asked = apps.flatMap((one) => [1, 2, 3].map((_, index) => ({ one, index })));
    const answers = await Promise.all(
      asked.map(({ index, one }) =>
        askUser(org, one, { login_hint: user.login }, index === 1 ? { client: elsewhere } : {}),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    for (const refused of answers.filter(({ status }) => status !== 200)) expect(refused).toMatchObject(FULL);
    expect(await waitingOf(user)).toHaveLength(10);
    elsewhere.close();
    await second.close();
  });

  test('and nobody else is held up by it', async () => {
    const [user, other] = [await newDeviceUser(service, org, app), await newDeviceUser(service, org, app)];
    for (const _ of [1, 2, 3]) await startRequest(org, app, user);
    expect(await pollRequest(org, app, await startRequest(org, app, other))).toMatchObject(PENDING);
  });
});
