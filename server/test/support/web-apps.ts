import type { TestResponse } from './client.ts';
import type { TestOrg } from './service.ts';
import { CREDENTIALS } from './users.ts';

/** An app that people sign in to, with what its client has to know. */
export interface WebApp {
  readonly id: string;
  readonly clientSecret: string;
}

export interface NewWebApp {
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris?: readonly string[];
  readonly applicationType?: 'web' | 'native' | 'browser';
  readonly authMethod?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
}

async function good(answer: Promise<TestResponse>): Promise<TestResponse['body']> {
  const { body, status, text } = await answer;
  if (status >= 300) throw new Error(`${status}: ${text}`);
  return body;
}

/** An OIDC app with every grant that people take part in. */
export async function newWebApp(org: TestOrg, given: NewWebApp): Promise<WebApp> {
  const { applicationType = 'web', authMethod = 'client_secret_basic', redirectUris, settings } = given;
  const { credentials, id } = await good(
    org.admin.post('/api/v1/apps', {
      body: {
        name: 'oidc_client',
        label: `App of ${applicationType}`,
        signOnMode: 'OPENID_CONNECT',
        credentials: { oauthClient: { token_endpoint_auth_method: authMethod, pkce_required: authMethod === 'none' } },
        settings: {
          oauthClient: {
            application_type: applicationType,
            grant_types: ['authorization_code', 'refresh_token'],
            response_types: ['code'],
            redirect_uris: redirectUris,
            post_logout_redirect_uris: given.postLogoutRedirectUris ?? [],
            ...settings,
          },
        },
      },
    }),
  );
  return { id, clientSecret: credentials.oauthClient.client_secret ?? '' };
}

/** An active user with a password, assigned to the app. */
export async function newAppUser(org: TestOrg, app: WebApp): Promise<TestResponse['body']> {
  const user = await org.createUser({ credentials: CREDENTIALS });
  await good(org.admin.post(`/api/v1/apps/${app.id}/users`, { body: { id: user.id } }));
  return user;
}
