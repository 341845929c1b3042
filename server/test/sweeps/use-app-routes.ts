import { kindNamed, newAppOf, newSamlApp, OTHER_KINDS } from '../support/app-kinds.ts';
import { APPS, newPublicJwk, serviceApp, webApp } from '../support/apps.ts';
import { certifiedCsr } from '../support/certificates.ts';
import { multipart, PNG } from '../support/multipart.ts';
import type { Ask, Body, Use } from './asking.ts';
import { useSecondPages } from './use-org-routes.ts';

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

async function useApprovals(ask: Ask, app: Body): Promise<void> {
  const approvals = `${APPS}/${app.id}/absent-user-approvals`;
  const approval = await ask('POST', approvals);
  await ask('POST', approvals);
  await ask('GET', approvals);
  await ask('GET', `${approvals}/${approval.id}`);
  await ask('DELETE', `${approvals}/${approval.id}`);
}

async function useRoles(ask: Ask): Promise<void> {
  const { id } = await ask('POST', APPS, serviceApp());
  const roles = `/oauth2/v1/clients/${id}/roles`;
  const role = await ask('POST', roles, { type: 'HELP_DESK_ADMIN' });
  await ask('GET', roles);
  await ask('GET', `${roles}/${role.id}`);
  await ask('DELETE', `${roles}/${role.id}`);
}

async function useKinds(ask: Ask): Promise<void> {
  for (const [, kind] of OTHER_KINDS) {
    const { id } = await ask('POST', APPS, newAppOf(kind));
    await ask('PUT', `${APPS}/${id}`, newAppOf(kind, { label: 'Used' }));
  }
  const shared = { scheme: 'SHARED_USERNAME_AND_PASSWORD', userName: 'crew', password: { value: 'used' } };
  const kind = kindNamed('BASIC_AUTH template_basic_auth');
  const { id } = await ask('POST', `${APPS}?activate=false`, newAppOf(kind, { credentials: shared }));
  await ask('PUT', `${APPS}/${id}`, newAppOf(kind));
  await ask('DELETE', `${APPS}/${id}`);
}

async function useSigningKeys({ ask, org }: Use): Promise<void> {
  const app = await ask('POST', APPS, newSamlApp());
  const target = await ask('POST', APPS, newSamlApp());
  const keys = `${APPS}/${app.id}/credentials/keys`;
  const key = await ask('POST', `${keys}/generate?validityYears=2`);
  await ask('GET', keys);
  await ask('GET', `${keys}/${key.kid}`);
  await ask('POST', `${keys}/${key.kid}/clone?targetAid=${target.id}`);
  await ask('PUT', `${APPS}/${app.id}`, newSamlApp({}, { credentials: { signing: { kid: key.kid } } }));
  await ask('GET', `${APPS}/${app.id}/sso/saml/metadata?kid=${key.kid}`);
  const csrs = `${APPS}/${app.id}/credentials/csrs`;
  const [csr, spare] = [await ask('POST', csrs, CSR), await ask('POST', csrs, CSR)];
  await ask('GET', csrs);
  await ask('GET', `${csrs}/${csr.id}`);
  const raw = certifiedCsr(csr, org.now());
  const headers = { 'content-type': 'application/x-pem-file' };
  await ask('POST', `${csrs}/${csr.id}/lifecycle/publish`, undefined, { raw, headers });
  await ask('DELETE', `${csrs}/${spare.id}`);
}

const CSR = { subject: { commonName: 'used' } };

async function useProvisioning(ask: Ask, app: Body): Promise<void> {
  const connection = `${APPS}/${app.id}/connections/default`;
  const profile = { authScheme: 'TOKEN', token: 'used' };
  await ask('POST', connection, { profile });
  await ask('POST', connection, { profile, baseUrl: 'https://scim.example' });
  await ask('GET', connection);
  for (const action of ['activate', 'deactivate', 'activate']) await ask('POST', `${connection}/lifecycle/${action}`);
  const features = `${APPS}/${app.id}/features`;
  await ask('GET', features);
  await ask('GET', `${features}/USER_PROVISIONING`);
  await ask('PUT', `${features}/USER_PROVISIONING`, { create: { lifecycleCreate: { status: 'ENABLED' } } });
}

async function useLogos(ask: Ask, app: Body): Promise<void> {
  await ask('POST', `${APPS}/${app.id}/logo`, undefined, multipart('file', PNG));
  await ask('POST', `${APPS}/${app.id}/logo`, undefined, multipart('file', PNG));
  const { _links: links } = await ask('GET', `${APPS}/${app.id}`);
  await ask('GET', new URL(links.logo[0].href).pathname);
  await ask('GET', '/assets/img/logos/default.svg');
}

async function usePolicies(ask: Ask, app: Body): Promise<void> {
  const made = await ask('POST', '/api/v1/policies', { type: 'ACCESS_POLICY', name: 'Used by an app' });
  await ask('PUT', `${APPS}/${app.id}/policies/${made.id}`);
  await ask('PUT', `${APPS}/${app.id}/policies`, undefined, { refused: 400 });
}

/** Uses the routes of apps. Returns an app that still exists afterwards. */
export async function useAppRoutes(use: Use): Promise<Body> {
  const app = await useApps(use);
  await useKeys(use.ask);
  await useSecrets(use.ask, app);
  await useGrants(use, app);
  await useApprovals(use.ask, app);
  await useRoles(use.ask);
  await useKinds(use.ask);
  await useSigningKeys(use);
  await useProvisioning(use.ask, app);
  await useLogos(use.ask, app);
  await usePolicies(use.ask, app);
  await useSecondPages(use, [`${APPS}?limit=1`]);
  return app;
}
