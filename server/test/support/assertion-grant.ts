import { assign } from './authorization.ts';
import type { TestResponse } from './client.ts';
import { type CustomServer, sendAs } from './custom-servers.ts';
import type { TestOrg } from './service.ts';
import {
  type Claims,
  claimsOf,
  clientIdOf,
  type NamedClient,
  newServiceApp,
  newTestKey,
  type ServiceApp,
  signAssertion,
} from './service-apps.ts';

export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

type Form = Readonly<Record<string, string>>;

/** Creates an app that may vouch for users with its key, and assigns it to these users. */
export async function newAsserter(
  org: TestOrg,
  userIds: readonly string[],
  settings: Readonly<Record<string, unknown>> = {},
): Promise<ServiceApp> {
  const app = await newServiceApp(org, {
    key: newTestKey('ES256'),
    scopes: [],
    applicationType: 'web',
    authMethod: 'private_key_jwt',
    settings: { grant_types: ['authorization_code', 'refresh_token', JWT_BEARER], ...settings },
  });
  for (const userId of userIds) await assign(org, app, userId);
  return app;
}

export const userClaims = (
  org: TestOrg,
  { issuer }: Pick<CustomServer, 'issuer'>,
  app: NamedClient,
  subject: string,
  changes: Claims = {},
): Claims => claimsOf(org, clientIdOf(app), org.now(), { aud: issuer, sub: subject, ...changes });

export const sendAssertion = (
  org: TestOrg,
  { oauth }: Pick<CustomServer, 'oauth'>,
  app: ServiceApp,
  assertion: string,
  form: Form = {},
): Promise<TestResponse> =>
  sendAs(org, app, 'private_key_jwt', `${oauth}/v1/token`, {
    grant_type: JWT_BEARER,
    scope: 'openid orders.read',
    assertion,
    ...form,
  });

export async function assertUser(
  org: TestOrg,
  server: CustomServer,
  app: ServiceApp,
  subject: string,
  form: Form = {},
): Promise<TestResponse> {
  const assertion = await signAssertion(app.key, userClaims(org, server, app, subject));
  return sendAssertion(org, server, app, assertion, form);
}
