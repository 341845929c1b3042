import { expect } from 'vitest';
import type { OidcApp } from './authorization.ts';
import type { TestResponse } from './client.ts';
import { type CustomServer, good } from './custom-servers.ts';
import type { TestOrg } from './service.ts';
import { ANOTHER_PASSWORD, lockOut, userPath } from './users.ts';

export interface Approved {
  readonly app: Pick<OidcApp, 'id'>;
  readonly user: { readonly userId: string };
}

const post = (org: TestOrg, path: string): Promise<unknown> => good(org.admin.post(path));

export const APPROVAL_ENDS: Readonly<Record<string, (org: TestOrg, held: Approved) => Promise<unknown>>> = {
  'its user is suspended': (org, { user: { userId } }) => post(org, `${userPath(userId)}/lifecycle/suspend`),
  'its user is deactivated': (org, { user: { userId } }) => post(org, `${userPath(userId)}/lifecycle/deactivate`),
  'its user is locked out': (org, { user: { userId } }) => lockOut(org.admin, userId),
  'its user’s sessions and tokens are voided': (org, { user: { userId } }) =>
    good(org.admin.del(`${userPath(userId)}/sessions?oauthTokens=true`)),
  'its user’s password is changed': (org, { user: { userId } }) =>
    good(org.admin.post(userPath(userId), { body: { credentials: { password: { value: ANOTHER_PASSWORD } } } })),
  'the app is taken from its user': (org, held) =>
    good(org.admin.del(`/api/v1/apps/${held.app.id}/users/${held.user.userId}`)),
  'the app was deactivated, and is active again': async (org, held) => {
    await post(org, `/api/v1/apps/${held.app.id}/lifecycle/deactivate`);
    await post(org, `/api/v1/apps/${held.app.id}/lifecycle/activate`);
  },
};

export const APPROVAL_ENDS_OF_SERVERS: Readonly<
  Record<string, (org: TestOrg, server: CustomServer) => Promise<unknown>>
> = {
  'it was deactivated, and is active again': async (org, server) => {
    await post(org, `${server.path}/lifecycle/deactivate`);
    await post(org, `${server.path}/lifecycle/activate`);
  },
  'a scope is made anew under its name': async (org, server) => {
    const scopes: { id: string; name: string }[] = await good(org.admin.get(`${server.path}/scopes`));
    const { id } = scopes.find(({ name }) => name === 'orders.read') ?? { id: '' };
    await good(org.admin.del(`${server.path}/scopes/${id}`));
    await good(org.admin.post(`${server.path}/scopes`, { body: { name: 'orders.read' } }));
  },
  'its rule has the grant no more': async (org, { path, policyId, ruleId }) => {
    const at = `${path}/policies/${policyId}/rules/${ruleId}`;
    const rule = await good(org.admin.get(at));
    const conditions = { ...rule.conditions, grantTypes: { include: ['authorization_code'] } };
    await good(org.admin.put(at, { body: { ...rule, conditions } }));
  },
};

export async function expectEnded(org: TestOrg, { id }: Pick<OidcApp, 'id'>, { body }: TestResponse): Promise<void> {
  expect(body).toEqual({
    error: expect.stringMatching(/^(invalid_grant|access_denied)$/),
    error_description: expect.any(String),
  });
  const [event] = await org.systemLog(
    `target.id eq "${id}" and eventType eq "app.oauth2.as.authorize.token.grant_failure"`,
  );
  expect(event).toMatchObject({ outcome: { result: 'FAILURE' } });
}
