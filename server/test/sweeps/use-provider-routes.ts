import { generateKeyPairSync } from 'node:crypto';
import { newOidcProvider, newProviderKey } from '../support/identity-providers.ts';
import { defaultPolicyPath, newRoutingRule } from '../support/policies.ts';
import { certificateOf, PROVIDER_KEYS as KEYS, newSamlProvider, PROVIDERS } from '../support/provider-requests.ts';
import type { Ask, Body, Use } from './asking.ts';
import { useSecondPages } from './use-org-routes.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

async function useKeys(ask: Ask): Promise<Body> {
  const key = await ask('POST', KEYS, newProviderKey());
  await ask('GET', KEYS);
  await ask('GET', `${KEYS}/${key.kid}`);
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  await ask('PUT', `${KEYS}/${key.kid}`, { x5c: [certificateOf(publicKey)] });
  return key;
}

async function route({ ask, org }: Use, provider: Body): Promise<void> {
  const patterns = [{ matchType: 'SUFFIX', value: 'provided.example' }];
  const policy = await defaultPolicyPath(org, 'IDP_DISCOVERY');
  const rule = newRoutingRule({
    conditions: { userIdentifier: { type: 'IDENTIFIER', patterns } },
    actions: { idp: { providers: [{ type: provider.type, id: provider.id }], idpSelectionType: 'SPECIFIC' } },
  });
  const { id } = await ask('POST', `${policy}/rules`, rule);
  const { links } = await ask('GET', '/.well-known/webfinger?resource=svc:acct:ada@provided.example');
  if (!JSON.stringify(links).includes(provider.id)) throw new Error('the login was not sent to the provider');
  await org.admin.del(`${PROVIDERS}/${provider.id}`);
  await ask('DELETE', `${policy}/rules/${id}`);
}

async function useAnnounced({ ask }: Use, { id }: Body): Promise<void> {
  const MISSING = { refused: 501 };
  await ask('GET', '/sso/idps/SVC');
  const callbacks = ['/sso/saml2', `/sso/saml2/${id}`, '/oauth2/v1/authorize/callback'];
  const pages = ['/app/a/exk1/sso/saml', '/app/a/exk1/slo/saml', ...callbacks];
  const shown = ['/app/a/0oa1/setup/help/SAML_2_0/instructions', '/login/cert', `/sso/idps/${id}`];
  for (const path of [...pages, ...shown]) await ask('GET', path, undefined, MISSING);
  for (const path of pages) {
    await ask('POST', path, undefined, { ...MISSING, raw: 'SAMLResponse=x', headers: FORM });
  }
}

export async function useProviderRoutes(use: Use): Promise<void> {
  const { ask, org } = use;
  const key = await useKeys(ask);
  const saml = await ask('POST', PROVIDERS, newSamlProvider(key.kid));
  const { id } = saml;
  const body = newOidcProvider();
  const oidc = await ask('POST', PROVIDERS, body);
  await ask('GET', `${PROVIDERS}/${oidc.id}`);
  await ask('PUT', `${PROVIDERS}/${oidc.id}`, body);
  await ask('PUT', `${PROVIDERS}/${id}`, newSamlProvider(key.kid, { name: saml.name }));
  await ask('GET', `${PROVIDERS}/${id}/metadata.xml`, undefined, { client: org.anonymous });
  await ask('GET', `${PROVIDERS}/${id}/users`);
  await useAnnounced(use, saml);
  await ask('GET', `${PROVIDERS}?type=SAML2&q=provider`);
  await useSecondPages(use, [`${PROVIDERS}?limit=1`]);
  await route(use, saml);
  for (const operation of ['deactivate', 'activate']) await ask('POST', `${PROVIDERS}/${id}/lifecycle/${operation}`);
  await org.admin.del(`${KEYS}/${key.kid}`);
  for (const provider of [saml, oidc]) await ask('DELETE', `${PROVIDERS}/${provider.id}`);
  await ask('DELETE', `${KEYS}/${key.kid}`);
}
