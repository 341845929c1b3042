import { begin, CONSENT, type ConsentWorld, formOf, locationOf, newConsentWorld } from '../support/consents.ts';
import { openPageClient } from '../support/page-client.ts';
import { seedRefreshToken } from '../support/refresh-tokens.ts';
import type { Use } from './asking.ts';
import { useSecondPages } from './use-org-routes.ts';
import { asking } from './use-page-routes.ts';

async function answerQuestion({ ask, org }: Use, world: ConsentWorld, decision: 'allow' | 'deny'): Promise<void> {
  const { client, response } = await begin(org, world);
  const path = locationOf(response);
  const page = await ask('GET', path, undefined, { client });
  const { fields } = formOf({ status: 200, headers: {}, body: page, text: page });
  await ask('POST', CONSENT, undefined, {
    client,
    raw: new URLSearchParams({ ...fields, decision }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  await client.get(path.replace(CONSENT, '/oauth2/v1/authorize/resume'));
}

async function takeBack(use: Use, { app, browser }: ConsentWorld): Promise<void> {
  const pages = openPageClient(asking(use));
  const [name = '', value = ''] = browser.cookie.split('=');
  pages.cookies.set(name, value);
  await pages.submit('/account/consents', { app: app.id }, '/account/consents');
}

export async function useConsentRoutes(use: Use): Promise<void> {
  const { ask, org, service } = use;
  const world = await newConsentWorld(service, org);
  const { app, browser, server } = world;
  await answerQuestion(use, world, 'deny');
  await answerQuestion(use, world, 'allow');
  await takeBack(use, world);
  await answerQuestion(use, world, 'allow');
  const user = `/api/v1/users/${browser.userId}`;
  const ofClient = `${user}/clients/${app.id}`;
  const lists = [`/api/v1/apps/${app.id}/tokens`, `${ofClient}/tokens`, `${server.path}/clients/${app.id}/tokens`];
  const token = { userId: browser.userId, clientId: app.id, serverId: server.id, scopes: ['openid', 'orders.read'] };
  const seeded = [];
  for (const _ of [...lists, ...lists]) seeded.push(await seedRefreshToken(service, org, token));
  for (const path of [`${user}/clients`, `${server.path}/clients`]) await ask('GET', path);
  await ask('GET', `${user}/grants?expand=scope&scopeId=scp`);
  await useSecondPages(
    use,
    [...lists, `${user}/grants`, `${ofClient}/grants`].map((list) => `${list}?limit=1`),
  );
  for (const [index, list] of lists.entries()) {
    await ask('GET', `${list}/${seeded[index]}?expand=scope`);
    await ask('DELETE', `${list}/${seeded[index]}`);
  }
  const [{ id }] = await ask('GET', `${user}/grants`);
  await ask('GET', `${user}/grants/${id}?expand=scope`);
  await ask('DELETE', `${user}/grants/${id}`);
  await ask('DELETE', `${ofClient}/grants`);
  await ask('DELETE', `${user}/grants`);
  for (const list of lists) await ask('DELETE', list);
}
