import { sign } from 'node:crypto';
import type { TestClient, TestResponse } from './client.ts';
import { formsIn } from './forms.ts';
import type { TestOrg, TestService } from './service.ts';
import type { OpenSession } from './session-tokens.ts';

export const LOGOUT = '/oauth2/v1/logout';
export const AFTER_LOGOUT = 'https://app.example.com/signed-out';

type Claims = Readonly<Record<string, unknown>>;

export interface IdTokenOptions {
  /** The custom server whose key signs the token. The empty string, the default, means the org's own server. */
  readonly serverId?: string;
  readonly claims?: Claims;
  readonly header?: Claims;
}

export async function idTokenOf(
  service: TestService,
  org: TestOrg,
  claims: Claims,
  { header = {}, serverId = '' }: IdTokenOptions = {},
): Promise<string> {
  const { kid, key } = await service.application.oauth.signingKeys.signer(org.id, serverId);
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const iat = Math.floor(service.clock.now().getTime() / 1_000);
  const all = { ver: 1, iss: org.baseUrl, iat, exp: iat + 3_600, jti: `ID.${'x'.repeat(43)}`, ...claims };
  const input = `${encode({ kid, alg: 'RS256', ...header })}.${encode(all)}`;
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
}

export const aboutSession = (session: OpenSession, clientId: string): Claims => ({
  sub: session.userId,
  sid: session.externalSessionId,
  aud: clientId,
});

export const browserOf = (org: TestOrg, session: OpenSession): TestClient =>
  org.client({ cookie: `__Host-sid=${session.id}`, accept: 'text/html' });

export const logoutPath = (parameters: Readonly<Record<string, string>>, path = LOGOUT): string =>
  `${path}?${new URLSearchParams(parameters).toString()}`;

export const sendForm = (
  client: TestClient,
  form: Readonly<Record<string, string>>,
  { headers = {}, path = LOGOUT }: { readonly headers?: Readonly<Record<string, string>>; readonly path?: string } = {},
): Promise<TestResponse> =>
  client.post(path, {
    raw: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });

export const fieldsIn = (page: string): Record<string, string> =>
  Object.fromEntries(formsIn(page).flatMap(({ fields }) => Object.entries(fields)));

export const holds = async (session: OpenSession): Promise<boolean> =>
  (await session.client.get('/api/v1/sessions/me')).status === 200;
