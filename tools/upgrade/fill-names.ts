import type { Administrator, Json } from './administrator.ts';

/** A string that later releases refuse, because it contains too many combining marks. */
const MARKED = `Marked e${'\u0301'.repeat(40)}`;

/** The path of an object, and the member whose value later releases refuse. */
interface OddlyNamed {
  readonly path: string;
  readonly member: string;
}

export async function namedOddly(admin: Administrator): Promise<readonly OddlyNamed[]> {
  const named: OddlyNamed[] = [];
  const make = async (collection: string, body: Json, member = 'name'): Promise<string> => {
    const { id } = await admin.post(collection, { ...body, [member]: MARKED });
    const path = `${collection}/${id}`;
    named.push({ path, member });
    if ('description' in body) named.push({ path, member: 'description' });
    return path;
  };
  await make('/api/v1/zones', { type: 'IP', gateways: [{ type: 'CIDR', value: '203.0.113.0/24' }] });
  const policy = await make('/api/v1/policies', { type: 'SVC_SIGN_ON', description: MARKED });
  await make(`${policy}/rules`, { type: 'SIGN_ON', actions: { signon: { access: 'ALLOW' } } });
  const server = await make('/api/v1/authorizationServers', { description: MARKED, audiences: ['api://odd'] });
  await make(`${server}/scopes`, { name: 'odd.read', description: MARKED }, 'displayName');
  const filter = { valueType: 'GROUPS', group_filter_type: 'REGEX', value: `[${'ab'.repeat(300)}]` };
  const claim = await admin.post(`${server}/claims`, { ...filter, name: 'odd', claimType: 'RESOURCE' });
  named.push({ path: `${server}/claims/${claim.id}`, member: 'value' });
  const clients = { clients: { include: ['ALL_CLIENTS'] } };
  const order = { priority: 1, status: 'ACTIVE' };
  const rules = await make(`${server}/policies`, {
    ...order,
    type: 'OAUTH_AUTHORIZATION_POLICY',
    description: MARKED,
    conditions: clients,
  });
  const people = { users: { include: [], exclude: [] }, groups: { include: ['EVERYONE'], exclude: [] } };
  await make(`${rules}/rules`, {
    ...order,
    type: 'RESOURCE_ACCESS',
    conditions: { people, grantTypes: { include: ['client_credentials'] }, scopes: { include: ['*'] } },
    actions: { token: { accessTokenLifetimeMinutes: 30 } },
  });
  await make('/api/v1/eventHooks', {
    description: MARKED,
    events: { type: 'EVENT_TYPE', items: ['user.lifecycle.create'] },
    channel: { type: 'HTTP', version: '1.0.0', config: { uri: 'https://hooks.example/odd' } },
  });
  await make('/api/v1/trustedOrigins', { origin: 'https://odd.example', scopes: [{ type: 'CORS' }] });
  await make('/api/v1/behaviors', { type: 'VELOCITY', settings: { velocityKph: 805 } });
  await make('/api/v1/iam/roles', { description: MARKED, permissions: ['svc.users.read'] }, 'label');
  await make('/api/v1/logStreams', { type: 'file_ndjson', settings: {} });
  await make('/api/v1/meta/types/user', { name: 'odd', description: MARKED }, 'displayName');
  await make(
    '/api/v1/apps',
    {
      name: 'bookmark',
      signOnMode: 'BOOKMARK',
      settings: { app: { url: 'https://odd.example', requestIntegration: false } },
    },
    'label',
  );
  return named;
}
