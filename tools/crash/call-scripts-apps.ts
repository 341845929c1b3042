import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { type Ask, type Body, exists, hasMember, isGone, lists, listsNo, type Script } from './call.ts';

const APPS = '/api/v1/apps';

const newKey = (kid: string) => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
  kid,
  use: 'sig',
});

const appBody = (label: string, oauthClient: Record<string, unknown>) => ({
  name: 'oidc_client',
  label,
  signOnMode: 'OPENID_CONNECT',
  credentials: { oauthClient: {} },
  settings: { oauthClient },
});
const web = (label: string) =>
  appBody(label, {
    application_type: 'web',
    grant_types: ['authorization_code'],
    redirect_uris: ['https://app.example.com/cb'],
  });
const service = (label: string) =>
  appBody(label, {
    application_type: 'service',
    grant_types: ['client_credentials'],
    jwks: { keys: [newKey(`first-${randomUUID()}`)] },
  });

export async function createApp(ask: Ask, body: (label: string) => unknown): Promise<Body> {
  const label = `crash ${randomUUID()}`;
  const isThere = lists(`${APPS}?limit=20`, 'label', label);
  return ask({ operation: 'createApplication', method: 'POST', path: APPS, body: body(label), mark: label, isThere });
}

export async function removeApp(ask: Ask, id: string): Promise<void> {
  const path = `${APPS}/${id}`;
  const off = hasMember(path, 'status', 'INACTIVE');
  const deactivate = `${path}/lifecycle/deactivate`;
  await ask({ operation: 'deactivateApplication', method: 'POST', path: deactivate, mark: id, isThere: off });
  await ask({ operation: 'deleteApplication', method: 'DELETE', path, mark: id, isThere: isGone(path) });
}

async function useCredential(
  ask: Ask,
  path: string,
  words: Readonly<Record<'on' | 'off' | 'away', string>>,
  mark: string,
) {
  const change = (operation: string, action: 'activate' | 'deactivate') => {
    const isThere = hasMember(path, 'status', action === 'activate' ? 'ACTIVE' : 'INACTIVE');
    return ask({ operation, method: 'POST', path: `${path}/lifecycle/${action}`, mark, isThere });
  };
  await change(words.off, 'deactivate');
  await change(words.on, 'activate');
  await change(words.off, 'deactivate');
  await ask({ operation: words.away, method: 'DELETE', path, mark, isThere: isGone(path) });
}

const apps: Script = {
  name: 'Application',
  run: async ({ ask }) => {
    const { id } = await createApp(ask, web);
    const path = `${APPS}/${id}`;
    const label = `crash ${randomUUID()}`;
    const renamed = hasMember(path, 'label', label);
    await ask({ operation: 'replaceApplication', method: 'PUT', path, body: web(label), mark: id, isThere: renamed });
    const off = hasMember(path, 'status', 'INACTIVE');
    const deactivate = `${path}/lifecycle/deactivate`;
    await ask({ operation: 'deactivateApplication', method: 'POST', path: deactivate, mark: id, isThere: off });
    const on = hasMember(path, 'status', 'ACTIVE');
    const activate = `${path}/lifecycle/activate`;
    await ask({ operation: 'activateApplication', method: 'POST', path: activate, mark: id, isThere: on });
    await removeApp(ask, id);
  },
};

const keys: Script = {
  name: 'keys of an app',
  run: async ({ ask }) => {
    const { id } = await createApp(ask, service);
    const list = `${APPS}/${id}/credentials/jwks`;
    const kid = `second-${randomUUID()}`;
    const isThere = async (look: Parameters<ReturnType<typeof exists>>[0]) =>
      JSON.stringify((await look(list)).body).includes(kid);
    const key = await ask({ operation: 'addJwk', method: 'POST', path: list, body: newKey(kid), mark: id, isThere });
    const words = {
      on: 'activateOAuth2ClientJsonWebKey',
      off: 'deactivateOAuth2ClientJsonWebKey',
      away: 'deletejwk',
    };
    await useCredential(ask, `${list}/${key.id}`, words, id);
    await removeApp(ask, id);
  },
};

const secrets: Script = {
  name: 'secrets of an app',
  run: async ({ ask, look }) => {
    const { id } = await createApp(ask, web);
    const list = `${APPS}/${id}/credentials/secrets`;
    const before = ((await look(list)).body as Body[]).length;
    const isThere = async (again: typeof look) => ((await again(list)).body as Body[]).length === before + 1;
    const operation = 'createOAuth2ClientSecret';
    const secret = await ask({ operation, method: 'POST', path: list, body: {}, mark: id, isThere });
    const words = {
      on: 'activateOAuth2ClientSecret',
      off: 'deactivateOAuth2ClientSecret',
      away: 'deleteOAuth2ClientSecret',
    };
    await useCredential(ask, `${list}/${secret.id}`, words, id);
    await removeApp(ask, id);
  },
};

const powers: Script = {
  name: 'grants and roles of an app',
  run: async ({ ask, look }) => {
    const { id } = await createApp(ask, service);
    const grants = `${APPS}/${id}/grants`;
    const issuer = String((await look('/.well-known/svc-organization')).body._links.organization.href);
    const scopeId = 'svc.users.read';
    const grant = await ask({
      operation: 'grantConsentToScope',
      method: 'POST',
      path: grants,
      body: { issuer, scopeId },
      mark: id,
      isThere: lists(grants, 'scopeId', scopeId),
    });
    const path = `${grants}/${grant.id}`;
    const revoked = listsNo(grants, 'id', grant.id);
    await ask({ operation: 'revokeScopeConsentGrant', method: 'DELETE', path, mark: id, isThere: revoked });
    const approvals = `${APPS}/${id}/absent-user-approvals`;
    const approval = await ask({
      operation: 'approveClientForAbsentUsers',
      method: 'POST',
      path: approvals,
      mark: id,
      isThere: async (again) => ((await again(approvals)).body as Body[]).length === 1,
    });
    await ask({
      operation: 'revokeAbsentUserApproval',
      method: 'DELETE',
      path: `${approvals}/${approval.id}`,
      mark: id,
      isThere: listsNo(approvals, 'id', approval.id),
    });
    const roles = `/oauth2/v1/clients/${id}/roles`;
    const type = 'HELP_DESK_ADMIN';
    const assigned = lists(roles, 'type', type);
    const body = { type };
    const role = await ask({
      operation: 'assignRoleToClient',
      method: 'POST',
      path: roles,
      body,
      mark: id,
      isThere: assigned,
    });
    const unassigned = listsNo(roles, 'type', type);
    const rolePath = `${roles}/${role.id}`;
    await ask({ operation: 'deleteRoleFromClient', method: 'DELETE', path: rolePath, mark: id, isThere: unassigned });
    await removeApp(ask, id);
  },
};

export const APP_SCRIPTS: readonly Script[] = [apps, keys, secrets, powers];
