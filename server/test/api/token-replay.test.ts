import { expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { createTestClient, type TestClient } from '../support/client.ts';
import { claimsOf, newServiceApp, postForm, signAssertion, tokenForm } from '../support/service-apps.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });
const { service: second } = useService(() => ({ database: service.database, publicPort: service.port }));
const app = beforeTests(() => newServiceApp(org));
const elsewhere = beforeTests(() => createTestClient({ port: second.port, hostname: org.hostname, ca: second.ca }));

const newAssertion = (changes: Record<string, unknown> = {}) =>
  signAssertion(app.key, claimsOf(org, app.id, service.clock.now(), changes));

test('an assertion that reaches two processes at once is good at exactly one of them', async () => {
  const seconds = Math.floor(service.clock.now().getTime() / 1_000);
  // Assertions without a `jti` count as the same if their content is the same, so these differ in `exp`.
  const unnamed = (lifetime: number) => ({ jti: undefined, exp: seconds + lifetime });
  for (const changes of [{}, {}, unnamed(100), {}, unnamed(200)]) {
    const form = tokenForm(await newAssertion(changes));
    const answers = await Promise.all(
      [org.anonymous, elsewhere, org.anonymous, elsewhere].map((client) => postForm(client, '/oauth2/v1/token', form)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401]);
    const refused = answers.filter(({ status }) => status === 401);
    for (const { body } of refused) {
      expect(body).toEqual({
        error: 'invalid_client',
        error_description: 'The client_assertion token has already been used.',
      });
    }
  }
  const granted = await org.systemLog('eventType eq "app.oauth2.token.grant.access_token"');
  const refused = await org.systemLog('outcome.reason eq "client_assertion_already_used"');
  expect({ granted: granted.length, refused: refused.length }).toEqual({ granted: 5, refused: 15 });
});

test('an assertion that one process saw is used up at the other', async () => {
  const form = tokenForm(await newAssertion());
  expect((await postForm(org.anonymous, '/oauth2/v1/token', form)).status).toBe(200);
  expect((await postForm(elsewhere, '/oauth2/v1/token', form)).status).toBe(401);
});

test('a client that was deactivated at one process gets no token at the other, from that moment on', async () => {
  const other = await newServiceApp(org);
  const ask = async (client: TestClient) => {
    const assertion = await signAssertion(other.key, claimsOf(org, other.id, service.clock.now()));
    return postForm(client, '/oauth2/v1/token', tokenForm(assertion));
  };
  // This request makes the second process cache the client.
  expect((await ask(elsewhere)).status).toBe(200);
  await org.admin.post(`/api/v1/apps/${other.id}/lifecycle/deactivate`);
  expect((await ask(elsewhere)).status).toBe(401);
  expect((await ask(org.anonymous)).status).toBe(401);
});
