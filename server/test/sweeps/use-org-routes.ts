import { giveDomain, trustProxy } from '../support/org-settings.ts';
import { linksOf } from '../support/users.ts';
import type { Ask, Use } from './asking.ts';

const active = encodeURIComponent('status eq "ACTIVE"');

async function useTrustedOrigins(ask: Ask): Promise<void> {
  const origins = '/api/v1/trustedOrigins';
  const origin = { name: 'o', origin: 'https://o.example', scopes: [{ type: 'CORS' }] };
  const { id } = await ask('POST', origins, origin);
  await ask('GET', `${origins}/${id}`);
  await ask('PUT', `${origins}/${id}`, { ...origin, name: 'p' });
  await ask('POST', `${origins}/${id}/lifecycle/deactivate`);
  await ask('POST', `${origins}/${id}/lifecycle/activate`);
  await ask('GET', `${origins}?q=p&filter=${active}`);
  await ask('DELETE', `${origins}/${id}`);
}

async function useApiTokens({ ask, org }: Use): Promise<void> {
  const spare = await org.withRoles('READ_ONLY_ADMIN');
  const tokens = await ask('GET', '/api/v1/api-tokens');
  const { id } = tokens.find(({ userId }: { userId: string }) => userId === spare.userId);
  await ask('GET', `/api/v1/api-tokens/${id}`);
  await ask('PUT', `/api/v1/api-tokens/${id}`, { name: 'spare' });
  await ask('DELETE', `/api/v1/api-tokens/${id}`);
  await ask('DELETE', '/api/v1/api-tokens/current', undefined, { client: await org.withRoles() });
}

async function useFeatures(ask: Ask): Promise<void> {
  for (const { id } of await ask('GET', '/api/v1/features')) {
    const path = `/api/v1/features/${id}`;
    await ask('GET', path);
    for (const kind of ['dependencies', 'dependents']) await ask('GET', `${path}/${kind}`);
    for (const action of ['enable', 'disable']) await ask('POST', `${path}/${action}`);
  }
}

async function useOrg({ ask, org, service }: Use): Promise<void> {
  await ask('GET', '/api/v1/org');
  await ask('POST', '/api/v1/org', { companyName: 'Used' });
  await ask('PUT', '/api/v1/org', { companyName: 'Used again' });
  await ask('GET', '/.well-known/svc-organization');
  await ask('GET', '/', undefined, { client: org.client({ accept: 'text/html' }) });
  const [type] = await ask('GET', '/api/v1/meta/types/user');
  await ask('GET', `/api/v1/meta/types/user/${type.id}`);
  const schema = await ask('GET', '/api/v1/meta/schemas/user/default');
  await ask('POST', '/api/v1/meta/schemas/user/default', schema);
  const domain = `${org.subdomain}.example.com`;
  await giveDomain(service, org, domain);
  await org.client({ host: domain }).get('/.well-known/svc-organization');
  await trustProxy(service, org, '10.0.0.0/8');
  await ask('GET', '/api/openapi.json');
  await ask('GET', '/api/reference', undefined, { client: org.client({ accept: 'text/html' }) });
  await ask('GET', '/api/reference/viewer.js');
}

const LOG_QUERIES = [
  '',
  '?q=ada%20user',
  '?sortOrder=DESCENDING',
  `?filter=${encodeURIComponent('eventType eq "user.lifecycle.create" and actor.id pr')}`,
  `?filter=${encodeURIComponent('target.id eq "00u" or client.ipAddress sw "127"')}`,
];

const ZONES = '/api/v1/zones';

async function useZones(ask: Ask): Promise<void> {
  const zone = { type: 'IP', name: 'used', gateways: [{ type: 'CIDR', value: '203.0.113.0/24' }] };
  const path = `${ZONES}/${(await ask('POST', ZONES, zone)).id}`;
  await ask('GET', path);
  await ask('PUT', path, { ...zone, name: 'used again' });
  await ask('GET', `${ZONES}?filter=${encodeURIComponent('usage eq "POLICY"')}`);
  for (const operation of ['deactivate', 'activate', 'deactivate']) await ask('POST', `${path}/lifecycle/${operation}`);
  await ask('DELETE', path);
}

export async function useSecondPages({ ask, org }: Use, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const { next } = linksOf(await org.admin.get(path));
    if (next === undefined) throw new Error(`${path} has no second page`);
    await ask('GET', next);
  }
}

export async function useOrgRoutes(use: Use): Promise<void> {
  await useTrustedOrigins(use.ask);
  await useOrg(use);
  await useFeatures(use.ask);
  await useZones(use.ask);
  await use.org.withRoles('READ_ONLY_ADMIN');
  await useSecondPages(use, ['/api/v1/users?limit=1', '/api/v1/api-tokens?limit=1', `${ZONES}?limit=1`]);
  await useApiTokens(use);
  for (const query of LOG_QUERIES) await use.ask('GET', `/api/v1/logs${query}`);
}
