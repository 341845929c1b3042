import { randomUUID } from 'node:crypto';
import type { RequestOptions, TestResponse } from '../../server/test/support/client.ts';
import { type Body, type Call, lists, type Script, type ScriptTools } from './call.ts';
import { createApp, removeApp } from './call-scripts-apps.ts';
import { createUser, type MadeUser, removeUser, signIn } from './call-scripts-users.ts';

const SERVER = '/api/v1/authorizationServers/default';
const OAUTH = '/oauth2/default/v1';
const CALLBACK = 'https://app.example.com/cb';

const app = (label: string) => ({
  name: 'oidc_client',
  label,
  signOnMode: 'OPENID_CONNECT',
  credentials: { oauthClient: { token_endpoint_auth_method: 'client_secret_basic', pkce_required: false } },
  settings: {
    oauthClient: {
      application_type: 'web',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: [CALLBACK],
      consent_method: 'REQUIRED',
      refresh_token: { rotation_type: 'ROTATE', leeway: 60 },
    },
  },
});

interface Party {
  readonly tools: ScriptTools;
  readonly user: MadeUser;
  readonly clientId: string;
  readonly basic: string;
  readonly scope: string;
  readonly cookie: string;
}

const form = (fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>>): RequestOptions => ({
  raw: new URLSearchParams(fields).toString(),
  headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
});

const asApp = ({ basic }: Party, fields: Readonly<Record<string, string>>): RequestOptions =>
  form(fields, { authorization: `Basic ${basic}` });

const isActive = async (party: Party, token: string): Promise<boolean> => {
  const answer = await party.tools.probe('POST', `${OAUTH}/introspect`, asApp(party, { token }));
  return answer.body.active === true;
};

const families = async ({ clientId, tools, user }: Party): Promise<number> => {
  const { body, status } = await tools.look(`${user.path}/clients/${clientId}/tokens`);
  return status === 200 ? (body as Body[]).length : 0;
};

async function newParty(tools: ScriptTools): Promise<Party & { readonly scopeId: string }> {
  const { ask } = tools;
  const user = await createUser(ask);
  const made = await createApp(ask, app);
  const scope = `crash.${randomUUID()}`;
  const { id: scopeId } = await ask({
    operation: 'createOAuth2Scope',
    method: 'POST',
    path: `${SERVER}/scopes`,
    body: { name: scope, consent: 'REQUIRED' },
    mark: scope,
    isThere: lists(`${SERVER}/scopes?q=${scope}`, 'name', scope),
  });
  const assigned = lists(`/api/v1/apps/${made.id}/users`, 'id', user.id);
  await ask({
    operation: 'assignUserToApplication',
    method: 'POST',
    path: `/api/v1/apps/${made.id}/users`,
    body: { id: user.id, scope: 'USER' },
    mark: made.id,
    isThere: assigned,
  });
  const cookie = `__Host-sid=${await signIn(ask, user)}`;
  const basic = Buffer.from(`${made.id}:${made.credentials.oauthClient.client_secret}`).toString('base64');
  return { tools, user, clientId: made.id, basic, scope, scopeId, cookie };
}

const locationOf = ({ headers }: TestResponse): string => String(headers['location'] ?? '');

/** Starts an authorization request, allows everything on the consent page, and returns the code. */
async function consentTo(party: Party): Promise<string> {
  const { clientId, scope, tools, user } = party;
  const own = { anonymous: true, mark: clientId } as const;
  const page = { accept: 'text/html', cookie: party.cookie };
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: `openid offline_access ${scope}`,
    state: 'crash',
  }).toString();
  const begun = await tools.send({
    ...own,
    operation: 'authorize',
    method: 'GET',
    path: `${OAUTH}/authorize?${query}`,
    options: { headers: page },
    isThere: null,
  });
  const flow = /__Host-flow=[^;]+/.exec(String(begun.headers['set-cookie']))?.[0] ?? '';
  const headers = { ...page, cookie: `${party.cookie}; ${flow}` };
  const shown = await tools.probe('GET', locationOf(begun), { headers });
  const inputs = shown.text.matchAll(/<input type="(?:hidden|checkbox)" name="([^"]*)" value="([^"]*)"/g);
  const fields = Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]));
  const { body } = await tools.look('/.well-known/svc-organization');
  const allowed = await tools.send({
    ...own,
    operation: 'answerConsent',
    method: 'POST',
    path: '/consent',
    options: form({ ...fields, decision: 'allow' }, { ...headers, origin: body._links.organization.href }),
    isThere: lists(`${user.path}/grants`, 'clientId', clientId),
  });
  const resumed = await tools.send({
    ...own,
    operation: 'resumeAuthorization',
    method: 'GET',
    path: locationOf(allowed),
    options: { headers },
    // Only the events show whether this call took effect.
    isThere: null,
  });
  return new URL(locationOf(resumed)).searchParams.get('code') ?? '';
}

/** Requests tokens and returns the refresh token. `before` is the refresh token that the request replaces, or null. */
async function exchange(
  party: Party,
  operation: string,
  fields: Readonly<Record<string, string>>,
  before: string | null,
): Promise<string> {
  let told: string | null = null;
  const call: Call = {
    operation,
    method: 'POST',
    path: `${OAUTH}/token`,
    options: asApp(party, fields),
    anonymous: true,
    mark: party.clientId,
    isThere: async () => {
      const count = await families(party);
      if (count > 1) throw new Error(`${operation}: ${count} families of one code`);
      if (told !== null) return count === 1 && (await isActive(party, told));
      return before === null ? count === 1 : !(await isActive(party, before));
    },
  };
  const { refresh_token: token } = await party.tools.ask(call);
  told = token;
  return token;
}

const tokens: Script = {
  name: 'OAuth',
  run: async (tools) => {
    const party = await newParty(tools);
    const { clientId, scopeId, user } = party;
    const code = await consentTo(party);
    let token = await exchange(party, 'redeemCode', codeForm(code), null);
    for (let turn = 0; turn < 3; turn += 1) {
      const fields = { grant_type: 'refresh_token', refresh_token: token };
      token = await exchange(party, 'refreshToken', fields, token);
    }
    const last = token;
    await tools.ask({
      operation: 'revokeUserGrants',
      method: 'DELETE',
      path: `${user.path}/grants`,
      mark: user.id,
      isThere: async (look) => {
        const { body } = await look(`${user.path}/grants`);
        return (body as Body[]).length === 0 && !(await isActive(party, last));
      },
    });
    await removeApp(tools.ask, clientId);
    await removeUser(tools.ask, user);
    const path = `${SERVER}/scopes/${scopeId}`;
    const isThere = async (look: typeof tools.look) => (await look(path)).status === 404;
    await tools.ask({ operation: 'deleteOAuth2Scope', method: 'DELETE', path, mark: scopeId, isThere });
  },
};

const codeForm = (code: string) => ({ grant_type: 'authorization_code', code, redirect_uri: CALLBACK });

export const OAUTH_SCRIPTS: readonly Script[] = [tokens];
