import { beginOrgDeletion } from '../../src/management/orgs/index.ts';
import { good } from '../support/custom-servers.ts';
import { formsIn } from '../support/forms.ts';
import { newOidcProvider } from '../support/identity-providers.ts';
import { operatorContext } from '../support/org-settings.ts';
import { openPageClient } from '../support/page-client.ts';
import { requestTokens } from '../support/user-tokens.ts';
import { userPath } from '../support/users.ts';
import { type Ending, lifecycle, remove } from './ends-ending.ts';
import type { EndsWorld } from './ends-world.ts';

const grantsPath = ({ browser }: EndsWorld): string => `${userPath(browser.userId)}/grants`;
const tokensPath = ({ app, browser }: EndsWorld): string => `${userPath(browser.userId)}/clients/${app.id}/tokens`;

async function takeBack({ app, browser, org }: EndsWorld): Promise<void> {
  const path = '/account/consents';
  const pages = openPageClient(org);
  const [name = '', value = ''] = browser.cookie.split('=');
  pages.cookies.set(name, value);
  const [form] = formsIn((await pages.get(path)).text).filter(({ action }) => action === path);
  const { status, text } = await pages.post(path, { ...form?.fields, app: app.id });
  if (status !== 303) throw new Error(text);
}

const revokeAt = (world: EndsWorld, path: string, token: string) =>
  requestTokens(world.org, world.app, { token }, { path }).then(({ status, text }) => {
    if (status !== 200) throw new Error(text);
  });

export const GRANT_ENDINGS: readonly Ending[] = [
  {
    name: 'the consents of the user are revoked',
    events: ['app.oauth2.as.consent.revoke', 'app.oauth2.as.token.revoke'],
    ends: ['consent'],
    apply: (world) => remove(world, grantsPath(world)),
  },
  {
    name: 'a consent of the user is revoked',
    events: ['app.oauth2.as.consent.revoke'],
    ends: ['consent'],
    apply: async (world) => {
      const [grant] = await good(world.org.admin.get(grantsPath(world)));
      await remove(world, `${grantsPath(world)}/${grant.id}`);
    },
  },
  {
    name: 'the user takes the consent back',
    events: ['app.oauth2.as.consent.revoke'],
    ends: ['consent', 'refreshToken'],
    apply: takeBack,
  },
  {
    name: 'the refresh tokens of the app are revoked',
    events: ['app.oauth2.token.revoke.implicit.client'],
    ends: ['refreshToken'],
    apply: (world) => remove(world, tokensPath(world)),
  },
  {
    name: 'the app gives its refresh tokens back',
    events: ['app.oauth2.token.revoke', 'app.oauth2.as.token.revoke'],
    ends: ['refreshToken'],
    apply: async (world) => {
      await revokeAt(world, '/oauth2/v1/revoke', world.own.refresh);
      await revokeAt(world, `${world.server.oauth}/v1/revoke`, world.custom.refresh);
    },
  },
  {
    name: 'the app gives its access tokens back',
    events: ['app.oauth2.token.revoke', 'app.oauth2.as.token.revoke'],
    ends: ['accessToken'],
    apply: async (world) => {
      await revokeAt(world, '/oauth2/v1/revoke', world.own.access);
      await revokeAt(world, `${world.server.oauth}/v1/revoke`, world.custom.access);
    },
  },
];

export const ORG_ENDINGS: readonly Ending[] = [
  {
    name: 'an identity provider is deactivated and deleted: nobody signs in by one yet',
    events: ['system.idp.lifecycle.deactivate', 'system.idp.lifecycle.delete'],
    ends: [],
    apply: async (world) => {
      const { id } = await good(world.org.admin.post('/api/v1/idps', { body: newOidcProvider() }));
      await lifecycle(world, `/api/v1/idps/${id}`, 'deactivate');
      await remove(world, `/api/v1/idps/${id}`);
    },
  },
  {
    name: 'the deletion of the org has begun',
    alone: 'org',
    events: ['account.org.delete.request'],
    ends: ['org', 'server', 'session', 'app', 'userAccount'],
    apply: ({ org, service }) => beginOrgDeletion(service.application, operatorContext(service, service.org), org.id),
  },
];
