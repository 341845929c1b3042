import type { TestResponse } from '../support/client.ts';
import { giveDomain, trustProxy } from '../support/org-settings.ts';
import { newProfile, type TestOrg, type TestService } from '../support/service.ts';

type Body = TestResponse['body'];

/** Asks for what has to be answered well, and remembers which operation did. */
type Ask = (method: string, path: string, body?: unknown) => Promise<Body>;

function asker(service: TestService, org: TestOrg, answered: Set<string>): Ask {
  const patterns = service.application.routes.map((route) => ({
    route,
    pattern: new RegExp(`^${route.url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`),
  }));
  return async (method, path, body) => {
    const response = await org.admin.send(method, path, body === undefined ? {} : { body });
    if (response.status >= 300) throw new Error(`${method} ${path} answered ${response.status}: ${response.text}`);
    const pathname = path.split('?')[0] ?? '';
    const used = patterns.filter(({ pattern, route }) => route.method === method && pattern.test(pathname));
    for (const { route } of used) answered.add(route.operationId);
    return response.body;
  };
}

const CREDENTIALS = {
  password: { value: 'Correct-1-Horse' },
  recovery_question: { question: 'Q?', answer: 'the answer' },
};
const newUser = (ask: Ask): Promise<Body> =>
  ask('POST', '/api/v1/users', { profile: newProfile(), credentials: CREDENTIALS });

async function useCredentials(ask: Ask, user: string): Promise<void> {
  await ask('POST', `${user}/credentials/change_password`, {
    oldPassword: { value: 'Correct-1-Horse' },
    newPassword: { value: 'Battery-2-Staple' },
  });
  await ask('POST', `${user}/credentials/change_recovery_question`, {
    password: { value: 'Battery-2-Staple' },
    recovery_question: { question: 'R?', answer: 'another answer' },
  });
  await ask('POST', `${user}/credentials/forgot_password?sendEmail=true`);
}

async function useUsers(ask: Ask, org: TestOrg): Promise<void> {
  const { id, profile } = await newUser(ask);
  const user = `/api/v1/users/${id}`;
  for (const name of [id, encodeURIComponent(profile.login), profile.login.split('@')[0], 'me']) {
    await ask('GET', `/api/v1/users/${name}`);
  }
  await ask('POST', user, { profile: { nickName: 'N' } });
  await ask('PUT', user, { profile: { ...newProfile({ login: profile.login }), displayName: 'D' } });
  await useCredentials(ask, user);
  for (const operation of ['suspend', 'unsuspend', 'reset_password', 'deactivate', 'activate', 'reactivate']) {
    await ask('POST', `${user}/lifecycle/${operation}`);
  }
  for (const operation of ['expire_password', 'expire_password_with_temp_password']) {
    await ask('POST', `/api/v1/users/${(await newUser(ask)).id}/lifecycle/${operation}`);
  }
  const locked = `/api/v1/users/${(await newUser(ask)).id}`;
  const wrong = { oldPassword: { value: 'Wrong-1-Password' }, newPassword: { value: 'Battery-2-Staple' } };
  for (let tries = 0; tries < 10; tries += 1) {
    await org.admin.post(`${locked}/credentials/change_password`, { body: wrong });
  }
  await ask('POST', `${locked}/lifecycle/unlock`);
  await ask('DELETE', locked);
  await ask('DELETE', locked);
}

const SEARCHES = [
  'status eq "ACTIVE"',
  'profile.firstName sw "A" and not (profile.lastName eq "X")',
  'profile.login co "user" or profile.email co "example"',
  'lastUpdated gt "2020-01-01T00:00:00.000Z"',
  'profile.nickName pr',
  'id gt "00u"',
];

const LOG_QUERIES = [
  '',
  '?q=ada%20user',
  '?sortOrder=DESCENDING',
  `?filter=${encodeURIComponent('eventType eq "user.lifecycle.create" and actor.id pr')}`,
  `?filter=${encodeURIComponent('target.id eq "00u" or client.ipAddress sw "127"')}`,
];

async function useLists(ask: Ask, org: TestOrg): Promise<void> {
  for (const search of SEARCHES.map(encodeURIComponent)) {
    await ask('GET', `/api/v1/users?limit=1&search=${search}`);
    await ask('GET', `/api/v1/users?sortBy=profile.lastName&sortOrder=desc&search=${search}`);
  }
  for (const filter of ['status eq "ACTIVE"', 'profile.login eq "x"'].map(encodeURIComponent)) {
    await ask('GET', `/api/v1/users?filter=${filter}`);
  }
  await ask('GET', '/api/v1/users?q=Ada');
  await org.withRoles('READ_ONLY_ADMIN');
  for (const path of ['/api/v1/users?limit=1', '/api/v1/api-tokens?limit=1']) {
    const { headers } = await org.admin.get(path);
    await ask('GET', /<https:\/\/[^/]+([^>]*)>; rel="next"/.exec(String(headers['link']))?.[1] ?? 'no next page');
  }
  for (const query of LOG_QUERIES) await ask('GET', `/api/v1/logs${query}`);
}

async function useRolesAndOrigins(ask: Ask): Promise<void> {
  const roles = `/api/v1/users/${(await newUser(ask)).id}/roles`;
  const role = await ask('POST', roles, { type: 'HELP_DESK_ADMIN' });
  await ask('GET', roles);
  await ask('GET', `${roles}/${role.id}`);
  await ask('DELETE', `${roles}/${role.id}`);
  const origins = '/api/v1/trustedOrigins';
  const origin = { name: 'o', origin: 'https://o.example', scopes: [{ type: 'CORS' }] };
  const { id } = await ask('POST', origins, origin);
  await ask('GET', `${origins}/${id}`);
  await ask('PUT', `${origins}/${id}`, { ...origin, name: 'p' });
  await ask('POST', `${origins}/${id}/lifecycle/deactivate`);
  await ask('POST', `${origins}/${id}/lifecycle/activate`);
  await ask('GET', `${origins}?q=p&filter=${encodeURIComponent('status eq "ACTIVE"')}`);
  await ask('DELETE', `${origins}/${id}`);
}

async function useSettings(ask: Ask, org: TestOrg): Promise<void> {
  const [type] = await ask('GET', '/api/v1/meta/types/user');
  await ask('GET', `/api/v1/meta/types/user/${type.id}`);
  const schema = await ask('GET', '/api/v1/meta/schemas/user/default');
  await ask('POST', '/api/v1/meta/schemas/user/default', schema);
  await ask('GET', '/api/v1/org');
  await ask('POST', '/api/v1/org', { companyName: 'Used' });
  await ask('PUT', '/api/v1/org', { companyName: 'Used again' });
  await ask('GET', '/.well-known/svc-organization');
  const spare = await org.withRoles('READ_ONLY_ADMIN');
  const tokens = await ask('GET', '/api/v1/api-tokens');
  const { id } = tokens.find(({ userId }: { userId: string }) => userId === spare.userId);
  await ask('GET', `/api/v1/api-tokens/${id}`);
  await ask('PUT', `/api/v1/api-tokens/${id}`, { name: 'spare' });
  await ask('DELETE', `/api/v1/api-tokens/${id}`);
}

/** What the administrator's client can't do, and what no request does. */
async function useTheRest(service: TestService, org: TestOrg, answered: Set<string>): Promise<void> {
  const current = await org.withRoles();
  if ((await current.del('/api/v1/api-tokens/current')).status === 204) answered.add('revokeCurrentApiToken');
  if ((await org.client({ accept: 'text/html' }).get('/')).status === 200) answered.add('getStartPage');
  const domain = `${org.subdomain}.example.com`;
  await giveDomain(service, org, domain);
  await org.client({ host: domain }).get('/.well-known/svc-organization');
  await trustProxy(service, org, '10.0.0.0/8');
  const idempotent = { body: { profile: newProfile() }, headers: { 'idempotency-key': 'once' } };
  await org.admin.post('/api/v1/users', idempotent);
  await org.admin.post('/api/v1/users', idempotent);
  await org.client({ authorization: `SSWS 00${'x'.repeat(40)}` }).get('/api/v1/users');
  await service.application.edgeEvents.flush(true);
  await service.application.housekeeping.mergeLimits();
  await service.drained();
}

/** Uses every operation of the service at least once with success; returns which ones that were. */
export async function useEveryRoute(service: TestService): Promise<ReadonlySet<string>> {
  const { org } = service;
  const answered = new Set<string>();
  const ask = asker(service, org, answered);
  await useUsers(ask, org);
  await useRolesAndOrigins(ask);
  await useSettings(ask, org);
  await useLists(ask, org);
  await useTheRest(service, org, answered);
  return answered;
}
