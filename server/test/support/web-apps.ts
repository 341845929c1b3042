import { assign, newOidcApp } from './authorization.ts';
import type { TestResponse } from './client.ts';
import type { TestOrg } from './service.ts';
import { CREDENTIALS } from './users.ts';

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

export async function newWebApp(org: TestOrg, given: NewWebApp): Promise<WebApp> {
  const { postLogoutRedirectUris = [], redirectUris, settings, ...more } = given;
  const { id, secret = '' } = await newOidcApp(org, {
    ...more,
    settings: {
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: redirectUris,
      post_logout_redirect_uris: postLogoutRedirectUris,
      ...settings,
    },
  });
  return { id, clientSecret: secret };
}

export async function newAppUser(org: TestOrg, app: WebApp): Promise<TestResponse['body']> {
  const user = await org.createUser({ credentials: CREDENTIALS });
  await assign(org, app, user.id);
  return user;
}
