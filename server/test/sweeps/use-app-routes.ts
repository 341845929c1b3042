import { APPS, newPublicJwk, serviceApp, webApp } from '../support/apps.ts';
import type { Ask, Body, Use } from './asking.ts';
import { useSecondPages } from './use-org-routes.ts';

/** Off, on and off again: after that it can be deleted. */
async function stop(ask: Ask, path: string): Promise<void> {
  for (const operation of ['deactivate', 'activate', 'deactivate']) await ask('POST', `${path}/lifecycle/${operation}`);
}

async function useApps(use: Use): Promise<Body> {
  const { ask } = use;
  const app = await ask('POST', APPS, webApp());
  await ask('GET', `${APPS}/${app.id}`);
  await ask('PUT', `${APPS}/${app.id}`, webApp({}, {}, { label: 'Used' }));
  const spare = await ask('POST', `${APPS}?activate=false`, serviceApp({ jwks: { keys: [newPublicJwk('one')] } }));
  await ask('PUT', `${APPS}/${spare.id}`, serviceApp({ jwks: { keys: [newPublicJwk('two')] } }));
  await ask('GET', `${APPS}?q=App&filter=${encodeURIComponent('status eq "ACTIVE"')}`);
  await ask('GET', APPS);
  await ask('POST', `${APPS}/${spare.id}/lifecycle/activate`);
  await ask('POST', `${APPS}/${spare.id}/lifecycle/deactivate`);
  await ask('DELETE', `${APPS}/${spare.id}`);
  return app;
}

async function useKeys(ask: Ask): Promise<void> {
  const { id } = await ask('POST', APPS, serviceApp({ jwks: { keys: [newPublicJwk('kept')] } }));
  const keys = `${APPS}/${id}/credentials/jwks`;
  const key = await ask('POST', keys, newPublicJwk('used'));
  await ask('GET', keys);
  await ask('GET', `${keys}/${key.id}`);
  await stop(ask, `${keys}/${key.id}`);
  await ask('DELETE', `${keys}/${key.id}`);
}

async function useSecrets(ask: Ask, app: Body): Promise<void> {
  const secrets = `${APPS}/${app.id}/credentials/secrets`;
  const secret = await ask('POST', secrets, {});
  await ask('GET', secrets);
  await ask('GET', `${secrets}/${secret.id}`);
  await stop(ask, `${secrets}/${secret.id}`);
  await ask('DELETE', `${secrets}/${secret.id}`);
}

async function useGrants({ ask, org }: Use, app: Body): Promise<void> {
  const grants = `${APPS}/${app.id}/grants`;
  const grant = await ask('POST', grants, { issuer: org.baseUrl, scopeId: 'svc.users.read' });
  await ask('GET', `${grants}?expand=scope`);
  await ask('GET', `${grants}/${grant.id}`);
  await ask('DELETE', `${grants}/${grant.id}`);
}

async function useRoles(ask: Ask): Promise<void> {
  const { id } = await ask('POST', APPS, serviceApp());
  const roles = `/oauth2/v1/clients/${id}/roles`;
  const role = await ask('POST', roles, { type: 'HELP_DESK_ADMIN' });
  await ask('GET', roles);
  await ask('GET', `${roles}/${role.id}`);
  await ask('DELETE', `${roles}/${role.id}`);
}

/** Apps, and their keys, secrets, grants and roles. Returns one that stays. */
export async function useAppRoutes(use: Use): Promise<Body> {
  const app = await useApps(use);
  await useKeys(use.ask);
  await useSecrets(use.ask, app);
  await useGrants(use, app);
  await useRoles(use.ask);
  await useSecondPages(use, [`${APPS}?limit=1`]);
  return app;
}
