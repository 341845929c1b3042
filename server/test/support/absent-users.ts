import { JWT_BEARER, userClaims } from './assertion-grant.ts';
import { assign } from './authorization.ts';
import type { TestClient, TestResponse } from './client.ts';
import type { CustomServer } from './custom-servers.ts';
import { assign as assignRole } from './roles.ts';
import type { TestOrg } from './service.ts';
import { newServiceApp, newTestKey, type ServiceApp, signAssertion } from './service-apps.ts';
import { newExchangeServer, TOKEN_EXCHANGE, tokenAt } from './token-exchange.ts';
import { requestTokens } from './user-tokens.ts';
import { CREDENTIALS } from './users.ts';

export const newAbsentServer = (org: TestOrg): Promise<CustomServer> =>
  newExchangeServer(org, { grantTypes: ['authorization_code', 'client_credentials', JWT_BEARER, TOKEN_EXCHANGE] });

/** Creates an app that can sign these users in, vouch for them with its key, and exchange their tokens. */
export async function newSpeaker(
  org: TestOrg,
  userIds: readonly string[],
  called: { readonly clientId?: string } = {},
): Promise<ServiceApp & { label: string }> {
  const key = newTestKey('ES256');
  const app = await newServiceApp(org, {
    ...called,
    key,
    scopes: [],
    applicationType: 'web',
    authMethod: 'client_secret_basic',
    settings: {
      grant_types: ['authorization_code', 'refresh_token', JWT_BEARER, TOKEN_EXCHANGE],
      jwks: { keys: [key.jwk] },
    },
  });
  for (const userId of userIds) await assign(org, app, userId);
  return { ...app, label: 'Speaker' };
}

export interface Subject {
  readonly userId: string;
  readonly login: string;
}

export async function newSubject(
  org: TestOrg,
  ...roles: readonly Parameters<typeof assignRole>[2][]
): Promise<Subject> {
  const { id, profile } = await org.createUser({ credentials: CREDENTIALS });
  for (const role of roles) await assignRole(org, `/api/v1/users/${id}`, role);
  return { userId: id, login: profile.login };
}

export async function speakFor(
  org: TestOrg,
  server: CustomServer,
  app: ServiceApp & { label: string },
  { login }: Pick<Subject, 'login'>,
  scope = 'openid orders.read',
): Promise<TestResponse> {
  const assertion = await signAssertion(app.key, userClaims(org, server, app, login));
  return requestTokens(org, app, { grant_type: JWT_BEARER, scope, assertion }, { path: tokenAt(server) });
}

export const approvalsOf = ({ id }: { readonly id: string }): string => `/api/v1/apps/${id}/absent-user-approvals`;

/** Allows an app to get tokens for administrators who are absent. */
export const approve = (by: TestClient, app: { readonly id: string }): Promise<TestResponse> =>
  by.post(approvalsOf(app));
