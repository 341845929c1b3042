import { expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { createTestClient } from '../support/client.ts';
import { useService } from '../support/use-service.ts';
import { newCode, newUserApp, redeem, refresh } from '../support/user-tokens.ts';

const { service, org } = useService({ isShared: false });
const { service: second } = useService(() => ({ database: service.database, publicPort: service.port }));
const app = beforeTests(() => newUserApp(org, { authMethod: 'none', applicationType: 'native' }));
const elsewhere = beforeTests(() => createTestClient({ port: second.port, hostname: org.hostname, ca: second.ca }));

const userInfo = (token: string) =>
  org.anonymous.get('/oauth2/v1/userinfo', { headers: { authorization: `Bearer ${token}` } });

test('a code that comes again voids what it gave, at both processes, and the log says so', async () => {
  const code = await newCode(service, org, app);
  const { body } = await redeem(org, app, code);
  expect((await userInfo(body.access_token)).status).toBe(200);
  const again = await redeem(org, app, code, {}, { client: elsewhere });
  expect(again).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  service.clock.advance(1_100);
  expect((await userInfo(body.access_token)).status).toBe(401);
  expect((await refresh(org, app, body.refresh_token)).status).toBe(400);
  const [event] = await org.systemLog('eventType eq "app.oauth2.token.revoke"');
  expect(event).toMatchObject({ debugContext: { debugData: { reason: 'AUTHORIZATION_CODE_REPLAYED' } } });
  expect(event.target.map(({ type }: { type: string }) => type)).toEqual([
    'PublicClientApp',
    'access_token',
    'refresh_token',
    'User',
  ]);
});

test('whoever saw a code without its verifier voids nothing', async () => {
  const code = await newCode(service, org, app);
  const { body } = await redeem(org, app, code);
  expect((await redeem(org, app, code, { code_verifier: 'a'.repeat(43) })).status).toBe(400);
  service.clock.advance(1_100);
  expect((await userInfo(body.access_token)).status).toBe(200);
});

test('of many who bring a code to two processes at once one wins, and what he got is void', async () => {
  for (let round = 0; round < 5; round += 1) {
    const code = await newCode(service, org, app);
    const answers = await Promise.all(
      [org.anonymous, elsewhere, org.anonymous, elsewhere].map((client) => redeem(org, app, code, {}, { client })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400]);
    const winner = answers.find(({ status }) => status === 200);
    service.clock.advance(1_100);
    expect((await userInfo(winner?.body.access_token)).status).toBe(401);
  }
});
