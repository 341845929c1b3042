import type { TestClient, TestResponse } from './client.ts';
import type { TestOrg, TestService } from './service.ts';
import {
  type Claims,
  claimsOf,
  clientIdOf,
  newServiceApp,
  newTestKey,
  postForm,
  signAssertion,
} from './service-apps.ts';

type Form = Readonly<Record<string, string>>;
export type ClientEndpoint = 'token' | 'introspect' | 'revoke' | 'par' | 'device/authorize' | 'bc/authorize';

export interface ServiceClient {
  readonly id: string;
  /** Signs a new client assertion for an endpoint (specification 4.6). */
  readonly assertion: (endpoint: ClientEndpoint, claims?: Claims) => Promise<string>;
  readonly post: (endpoint: ClientEndpoint, form?: Form) => Promise<TestResponse>;
  /** Each scope is given without the namespace word. */
  readonly requestToken: (...scopes: readonly string[]) => Promise<TestResponse>;
  /** Each scope is given without the namespace word. */
  readonly token: (...scopes: readonly string[]) => Promise<string>;
  readonly bearer: (token: string) => TestClient;
}

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

export async function newServiceClient(
  service: TestService,
  org: TestOrg,
  given: { readonly scopes: readonly string[]; readonly roles?: readonly string[]; readonly clientId?: string },
): Promise<ServiceClient> {
  const { word } = service.application.namespace;
  const named = (scopes: readonly string[]) => scopes.map((scope) => `${word}.${scope}`);
  const key = newTestKey('ES256');
  const app = await newServiceApp(org, { roles: [], ...given, key, scopes: named(given.scopes) });
  const assertion: ServiceClient['assertion'] = (endpoint, claims = {}) => {
    const aud = `${org.baseUrl}/oauth2/v1/${endpoint}`;
    return signAssertion(key, claimsOf(org, clientIdOf(app), org.now(), { aud, ...claims }));
  };
  const post: ServiceClient['post'] = async (endpoint, form = {}) =>
    postForm(org.anonymous, `/oauth2/v1/${endpoint}`, {
      client_assertion_type: JWT_BEARER,
      client_assertion: await assertion(endpoint),
      ...form,
    });
  const requestToken: ServiceClient['requestToken'] = (...scopes) =>
    post('token', { grant_type: 'client_credentials', scope: named(scopes).join(' ') });
  return {
    id: app.id,
    assertion,
    post,
    requestToken,
    token: async (...scopes) => {
      const { body, status, text } = await requestToken(...scopes);
      if (status !== 200) throw new Error(`no token: ${text}`);
      return String(body.access_token);
    },
    bearer: (token) => org.client({ authorization: `Bearer ${token}` }),
  };
}

/** Creates an API client that sends an access token of a new service app. */
export async function withScopes(
  service: TestService,
  org: TestOrg,
  scopes: readonly string[],
  roles: readonly string[],
  called: { readonly clientId?: string } = {},
): Promise<TestClient> {
  const client = await newServiceClient(service, org, { ...called, scopes, roles });
  return client.bearer(await client.token(...scopes));
}
