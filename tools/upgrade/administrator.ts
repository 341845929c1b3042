import type { TestClient, TestResponse } from '../../server/test/support/client.ts';

export type Json = Readonly<Record<string, unknown>>;

export const PASSWORD = 'Upgraded-1-Installation';

export async function good(call: Promise<TestResponse>): Promise<TestResponse['body']> {
  const response = await call;
  if (response.status >= 300) throw new Error(`answered ${response.status}: ${response.text}`);
  return response.body;
}

export const person = (name: string, more: Json = {}): Json => ({
  firstName: name,
  lastName: 'Before',
  login: `${name.toLowerCase()}@acme.localhost`,
  email: `${name.toLowerCase()}@acme.localhost`,
  ...more,
});

export class Administrator {
  readonly #client: TestClient;
  constructor(client: TestClient) {
    this.#client = client;
  }
  readonly post = (path: string, body?: unknown): Promise<TestResponse['body']> =>
    good(this.#client.post(path, body === undefined ? {} : { body }));
  readonly put = (path: string, body?: unknown): Promise<TestResponse['body']> =>
    good(this.#client.put(path, body === undefined ? {} : { body }));
  readonly get = (path: string): Promise<TestResponse['body']> => good(this.#client.get(path));
  readonly user = (name: string, more: Json = {}): Promise<TestResponse['body']> =>
    this.post('/api/v1/users?activate=true', {
      profile: person(name, more),
      credentials: { password: { value: PASSWORD } },
    });
  readonly app = (label: string, settings: Json, credentials: Json = {}): Promise<TestResponse['body']> =>
    this.post('/api/v1/apps', {
      name: 'oidc_client',
      label,
      signOnMode: 'OPENID_CONNECT',
      ...(Object.keys(credentials).length === 0 ? {} : { credentials: { oauthClient: credentials } }),
      settings: { oauthClient: { application_type: 'web', response_types: ['code'], ...settings } },
    });
  readonly assign = (app: TestResponse['body'], userId: string, userName?: string): Promise<TestResponse['body']> =>
    this.post(`/api/v1/apps/${app.id}/users`, {
      id: userId,
      scope: 'USER',
      ...(userName === undefined ? {} : { credentials: { userName } }),
    });
}
