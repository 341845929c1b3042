import {
  newClaim,
  newScope,
  newServer,
  newServerPolicy,
  newServerRule,
  ruleConditions,
  SERVERS,
} from '../support/authorization-servers.ts';
import type { Ask, Body, Use } from './asking.ts';
import { useSecondPages } from './use-org-routes.ts';

async function useLifecycle(ask: Ask, path: string): Promise<void> {
  for (const operation of ['deactivate', 'activate']) await ask('POST', `${path}/lifecycle/${operation}`);
}

async function useOne(ask: Ask, list: string, first: object, second: object): Promise<string> {
  const path = `${list}/${(await ask('POST', list, first)).id}`;
  await ask('GET', path);
  await ask('PUT', path, second);
  return path;
}

async function usePolicies({ ask, org }: Use, server: string, app: Body): Promise<void> {
  const conditions = { clients: { include: [app.id] } };
  await ask('POST', `${server}/policies`, newServerPolicy());
  const policy = await useOne(
    ask,
    `${server}/policies`,
    newServerPolicy({ conditions }),
    newServerPolicy({ conditions, priority: 1 }),
  );
  await useLifecycle(ask, policy);
  const group = await ask('POST', '/api/v1/groups', { profile: { name: 'of a rule of a server' } });
  const people = { users: { exclude: [org.adminUserId] }, groups: { include: [group.id] } };
  const named = ruleConditions({ people, scopes: { include: ['openid'] } });
  await ask('POST', `${policy}/rules`, newServerRule());
  const rule = await useOne(
    ask,
    `${policy}/rules`,
    newServerRule({ conditions: named }),
    newServerRule({ conditions: named, priority: 1 }),
  );
  await useLifecycle(ask, rule);
  for (const list of [`${server}/policies`, `${policy}/rules`]) await ask('GET', list);
  await ask('DELETE', rule);
  await ask('DELETE', policy);
}

async function useTrust({ ask }: Use, server: string): Promise<void> {
  const list = `${server}/associatedServers`;
  await ask('POST', list, { trusted: ['default'] });
  await ask('GET', `${list}?q=default`);
  await ask('GET', `${list}?trusted=false`);
  await ask('DELETE', `${list}/default`);
}

export async function useAuthorizationServerRoutes(use: Use, app: Body): Promise<void> {
  const { ask } = use;
  const server = await useOne(ask, SERVERS, newServer(), newServer({ description: 'used' }));
  await useLifecycle(ask, server);
  const scope = await useOne(ask, `${server}/scopes`, newScope(), newScope({ consent: 'REQUIRED' }));
  const scopes = { conditions: { scopes: ['openid'] } };
  const claim = await useOne(ask, `${server}/claims`, newClaim(), newClaim(scopes));
  await usePolicies(use, server, app);
  await useTrust(use, server);
  await ask('GET', `${SERVERS}?q=default`);
  await ask('GET', `${server}/claims`);
  await ask('GET', `${server}/scopes?q=car&filter=${encodeURIComponent('consent eq "REQUIRED" and system eq false')}`);
  const lists = [SERVERS, `${server}/scopes`, `${server}/claims`].map((list) => `${list}?limit=1`);
  await useSecondPages(use, lists);
  for (const path of [scope, claim, server]) await ask('DELETE', path);
}
