import type { TestClient, TestResponse } from '../../server/test/support/client.ts';

const CALLBACK = 'https://roller.example/cb';

/** Makes a call and counts it. Returns null if the call fails or the response has a status other than `status`. */
export type Counted = (kind: string, status: number, call: () => Promise<TestResponse>) => Promise<TestResponse | null>;

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

async function good(answer: Promise<TestResponse>): Promise<TestResponse['body']> {
  const { body, status, text } = await answer;
  if (status >= 300) throw new Error(`${status}: ${text}`);
  return body;
}

/** Creates an app and signs a user in. Returns a function that gets and refreshes tokens for the app. */
export async function openAppWork(
  admin: TestClient,
  people: TestClient,
  credentials: { readonly userId: string; readonly username: string; readonly password: string },
  counted: Counted,
): Promise<() => Promise<void>> {
  const app = await good(
    admin.post('/api/v1/apps', {
      body: {
        name: 'oidc_client',
        label: 'Roller of users',
        signOnMode: 'OPENID_CONNECT',
        credentials: { oauthClient: { token_endpoint_auth_method: 'client_secret_basic', pkce_required: false } },
        settings: {
          oauthClient: {
            application_type: 'web',
            grant_types: ['authorization_code', 'refresh_token'],
            response_types: ['code'],
            redirect_uris: [CALLBACK],
            refresh_token: { rotation_type: 'ROTATE', leeway: 0 },
          },
        },
      },
    }),
  );
  await good(admin.post(`/api/v1/apps/${app.id}/users`, { body: { id: credentials.userId, scope: 'USER' } }));
  const { username, password } = credentials;
  const { sessionToken } = await good(people.post('/api/v1/authn', { body: { username, password } }));
  const session = await good(people.post('/api/v1/sessions', { body: { sessionToken } }));
  const secret = Buffer.from(`${app.id}:${app.credentials.oauthClient.client_secret}`).toString('base64');
  const ask = (fields: Readonly<Record<string, string>>) =>
    people.post('/oauth2/v1/token', {
      raw: new URLSearchParams(fields).toString(),
      headers: { ...FORM, authorization: `Basic ${secret}` },
    });
  const request = new URLSearchParams({
    client_id: app.id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid offline_access',
    state: 'roller',
    prompt: 'none',
  }).toString();
  const headers = { cookie: `__Host-sid=${session.id}`, accept: 'text/html' };
  return async () => {
    const answer = await counted('authorization', 303, () =>
      people.get(`/oauth2/v1/authorize?${request}`, { headers }),
    );
    const code = new URL(String(answer?.headers['location'] ?? CALLBACK)).searchParams.get('code');
    if (code === null) return;
    const grant = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK };
    let told = await counted('code', 200, () => ask(grant));
    for (let turn = 0; turn < 2 && told !== null; turn += 1) {
      const form = { grant_type: 'refresh_token', refresh_token: String(told.body.refresh_token) };
      told = await counted('token refresh', 200, () => ask(form));
    }
  };
}
