import { createApiToken } from '../../src/management/api-tokens/index.ts';
import { join, newGroup } from '../support/app-assignments.ts';
import { answered, ask, assign, type Browser, newBrowser, newOidcApp, type OidcApp } from '../support/authorization.ts';
import { CIBA_GRANT } from '../support/backchannel.ts';
import type { TestClient, TestResponse } from '../support/client.ts';
import { type CustomServer, good, newCustomServer } from '../support/custom-servers.ts';
import { DEVICE_GRANT } from '../support/devices.ts';
import { activeRule } from '../support/group-rules.ts';
import { operatorContext } from '../support/org-settings.ts';
import { seedConsent } from '../support/refresh-tokens.ts';
import type { TestOrg, TestService } from '../support/service.ts';
import { TOKEN_EXCHANGE } from '../support/token-exchange.ts';
import { requestTokens } from '../support/user-tokens.ts';

export interface TwoNodes {
  readonly service: TestService;
  readonly second: TestService;
}

export interface Ground extends TwoNodes {
  readonly org: TestOrg;
  readonly server: CustomServer;
  readonly scopeId: string;
  /** The browser of another user, whom the changes leave alone. */
  readonly bystander: Browser;
}

export interface EndsWorld extends Ground {
  readonly app: OidcApp;
  readonly browser: Browser;
  readonly groupId: string;
  readonly ruleId: string;
  readonly own: UserTokens;
  readonly custom: UserTokens;
  readonly apiToken: { readonly id: string; readonly value: string };
  readonly there: (headers?: Readonly<Record<string, string>>) => TestClient;
  /** Sends a form to the second service as the app. */
  readonly send: (path: string, form: Readonly<Record<string, string>>) => Promise<TestResponse>;
}

export interface UserTokens {
  readonly access: string;
  readonly refresh: string;
  readonly id: string;
}

export type AssignedBy = 'user' | 'group' | 'rule';

export const OWN_SCOPES = 'openid offline_access svc.users.read';
export const CUSTOM_SCOPES = 'openid offline_access orders.read';

export async function newGround(nodes: TwoNodes, org: TestOrg): Promise<Ground> {
  const scopes = {
    'orders.read': { consent: 'REQUIRED' },
    'orders.write': { consent: 'REQUIRED' },
    'orders.own': {},
  };
  const server = await newCustomServer(org, {
    scopes,
    grantTypes: ['authorization_code', 'client_credentials', TOKEN_EXCHANGE],
  });
  const [scope] = await good(org.admin.get(`${server.path}/scopes?q=orders.read`));
  return { ...nodes, org, server, scopeId: scope.id, bystander: await newBrowser(nodes.service, org, null) };
}

async function give(ground: Ground, app: OidcApp, userId: string, by: AssignedBy) {
  const { org, service } = ground;
  const none = { groupId: '', ruleId: '' };
  if (by === 'user') {
    await assign(org, app, userId);
    return none;
  }
  const group = await newGroup(org);
  await good(org.admin.put(`/api/v1/apps/${app.id}/groups/${group.id}`));
  if (by === 'group') {
    await join(org, group, { id: userId });
    return { ...none, groupId: group.id as string };
  }
  await good(org.admin.post(`/api/v1/users/${userId}`, { body: { profile: { department: group.id } } }));
  const rule = await activeRule(service, org, [group.id], `user.department == "${group.id}"`);
  return { groupId: group.id as string, ruleId: rule.id as string };
}

export async function codeOf({ app, browser, server }: Parts, scope: string): Promise<string> {
  const path = scope === CUSTOM_SCOPES ? `${server.oauth}/v1/authorize` : '/oauth2/v1/authorize';
  const { parameters } = answered(await ask(browser.client, app, { scope, nonce: 'n', prompt: 'none' }, path));
  const { code } = parameters;
  if (code === undefined) throw new Error(`no code: ${JSON.stringify(parameters)}`);
  return code;
}

type Parts = Ground & Pick<EndsWorld, 'app' | 'browser'>;

export const codeForm = (code: string) => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: 'https://app.example/callback',
});

async function tokensOf(parts: Parts, scope: string): Promise<UserTokens> {
  const path = scope === CUSTOM_SCOPES ? `${parts.server.oauth}/v1/token` : '/oauth2/v1/token';
  const form = codeForm(await codeOf(parts, scope));
  const told = await good(requestTokens(parts.org, parts.app, form, { path }));
  return { access: told.access_token, refresh: told.refresh_token, id: told.id_token };
}

export async function newWorld(ground: Ground, by: AssignedBy): Promise<EndsWorld> {
  const { org, scopeId, second, server, service } = ground;
  const [app, browser] = await Promise.all([
    newOidcApp(org, {
      scopes: ['svc.users.read'],
      settings: {
        consent_method: 'REQUIRED',
        grant_types: [
          'authorization_code',
          'refresh_token',
          'client_credentials',
          DEVICE_GRANT,
          TOKEN_EXCHANGE,
          CIBA_GRANT,
        ],
        refresh_token: { rotation_type: 'ROTATE', leeway: 0 },
      },
    }),
    newBrowser(service, org, null),
  ]);
  const { userId } = browser;
  const assigned = await give(ground, app, userId, by);
  await assign(org, app, ground.bystander.userId);
  await seedConsent(service, org, { userId, clientId: app.id, serverId: server.id, scopeId });
  const parts = { ...ground, app, browser };
  const [own, custom, apiToken] = await Promise.all([
    tokensOf(parts, OWN_SCOPES),
    tokensOf(parts, CUSTOM_SCOPES),
    createApiToken(service.application, operatorContext(service, org), { userId, name: 'ends' }),
  ]);
  const there: EndsWorld['there'] = (headers = {}) => second.org.client(headers, org.hostname);
  const send: EndsWorld['send'] = (path, form) => requestTokens(org, app, form, { path, client: there() });
  return { ...parts, ...assigned, own, custom, apiToken, there, send };
}
