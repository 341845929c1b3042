import type { TestClient, TestResponse } from '../../server/test/support/client.ts';

interface Family {
  readonly name: string;
  readonly path: string;
  readonly body: (label: string) => unknown;
  /** Calls on the created resource: the method, the rest of the path, and the body. */
  readonly changes: readonly (readonly [method: string, rest: string, body?: (label: string) => unknown])[];
  /** Calls that must come before the resource can be deleted. */
  readonly ends: readonly (readonly [method: string, rest: string])[];
}

const person = (label: string) => ({
  profile: { login: `${label}@v.co`, email: `${label}@v.co`, firstName: 'V', lastName: label },
  credentials: { password: { value: 'Both-Versions-1' } },
});
const zone = (label: string) => ({
  type: 'IP',
  name: label,
  status: 'ACTIVE',
  usage: 'POLICY',
  gateways: [{ type: 'CIDR', value: '192.0.2.0/24' }],
});
const service = (label: string) => ({
  name: 'oidc_client',
  label,
  signOnMode: 'OPENID_CONNECT',
  credentials: { oauthClient: { token_endpoint_auth_method: 'client_secret_basic' } },
  settings: {
    oauthClient: {
      application_type: 'web',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      redirect_uris: ['https://v.example/back'],
    },
  },
});
const hook = (label: string) => ({
  name: label,
  events: { type: 'EVENT_TYPE', items: ['user.lifecycle.create'] },
  channel: { type: 'HTTP', version: '1.0.0', config: { uri: 'https://v.example/hook' } },
});
const origin = (label: string) => ({
  name: label,
  origin: `https://${label.replaceAll(/[^a-z0-9]/g, '')}.example`,
  scopes: [{ type: 'CORS' }],
});
const policy = (label: string) => ({ type: 'SVC_SIGN_ON', name: label, description: 'both', status: 'ACTIVE' });

const FAMILIES: readonly Family[] = [
  {
    name: 'users',
    path: '/api/v1/users',
    body: person,
    changes: [
      ['POST', '', (label) => ({ profile: { nickName: label } })],
      ['PUT', '', (label) => ({ profile: { ...person(label).profile, nickName: 'put' } })],
      ['POST', '/lifecycle/suspend'],
      ['POST', '/lifecycle/unsuspend'],
      ['POST', '/roles', () => ({ type: 'HELP_DESK_ADMIN' })],
    ],
    ends: [['POST', '/lifecycle/deactivate']],
  },
  {
    name: 'apps',
    path: '/api/v1/apps',
    body: service,
    changes: [
      ['PUT', '', (label) => service(`${label} again`)],
      ['POST', '/lifecycle/deactivate'],
      ['POST', '/lifecycle/activate'],
    ],
    ends: [['POST', '/lifecycle/deactivate']],
  },
  {
    name: 'zones',
    path: '/api/v1/zones',
    body: zone,
    changes: [['PUT', '', (label) => zone(`${label} again`)]],
    ends: [['POST', '/lifecycle/deactivate']],
  },
  {
    name: 'trustedOrigins',
    path: '/api/v1/trustedOrigins',
    body: origin,
    changes: [['PUT', '', (label) => origin(`${label}again`)]],
    ends: [],
  },
  {
    name: 'eventHooks',
    path: '/api/v1/eventHooks',
    body: hook,
    changes: [['PUT', '', (label) => hook(`${label} again`)]],
    ends: [['POST', '/lifecycle/deactivate']],
  },
  {
    name: 'policies',
    path: '/api/v1/policies',
    body: policy,
    changes: [
      ['PUT', '', (label) => policy(`${label} again`)],
      ['POST', '/rules', () => ({ type: 'SIGN_ON', name: 'rule', actions: { signon: { access: 'ALLOW' } } })],
      ['GET', '/rules'],
    ],
    ends: [],
  },
];

const LISTS = [
  ...FAMILIES.map(({ name, path }) => (name === 'policies' ? `${path}?type=SVC_SIGN_ON` : path)),
  '/api/v1/policies?type=IDP_DISCOVERY',
  '/api/v1/idps',
  '/api/v1/api-tokens',
  '/api/v1/logStreams',
  '/api/v1/org',
  '/api/v1/users/me',
  '/api/v1/meta/schemas/user/default',
  '/api/v1/logs?limit=5',
  `/api/v1/users?search=${encodeURIComponent('profile.lastName sw "V"')}`,
  '/oauth2/v1/keys',
];

export interface Side {
  readonly name: string;
  readonly client: TestClient;
}

export interface CrossReport {
  calls: number;
  readonly faults: string[];
}

let labels = 0;

async function noted(report: CrossReport, what: string, call: Promise<TestResponse>): Promise<TestResponse | null> {
  report.calls += 1;
  try {
    const response = await call;
    if (response.status < 300) return response;
    report.faults.push(`${what}: ${response.status} ${response.text.slice(0, 300)}`);
  } catch (error) {
    report.faults.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return null;
}

/**
 * Creates resources and a user on one side. The other side changes and deletes the resources and signs the user in.
 * Then both sides read lists.
 */
export async function crossCalls(maker: Side, user: Side, report: CrossReport): Promise<void> {
  for (const { body, changes, ends, name, path } of FAMILIES) {
    labels += 1;
    const label = `${maker.name}-${user.name}-${labels}`;
    const told = (what: string): string => `${name} made by ${maker.name}: ${user.name}: ${what}`;
    const made = await noted(report, told('POST'), maker.client.post(path, { body: body(label) }));
    if (made === null) continue;
    const place = `${path}/${made.body.id}`;
    await noted(report, told('GET'), user.client.get(place));
    for (const [method, rest, given] of changes) {
      const options = given === undefined ? {} : { body: given(label) };
      await noted(report, told(`${method} ${rest}`), user.client.send(method, `${place}${rest}`, options));
      await noted(report, told(`GET behind ${method} ${rest}, by its maker`), maker.client.get(place));
    }
    for (const [method, rest] of ends)
      await noted(report, told(`${method} ${rest}`), user.client.send(method, `${place}${rest}`));
    await noted(report, told('DELETE'), user.client.del(place));
    const gone = await maker.client.get(place);
    report.calls += 1;
    if (gone.status !== 404) report.faults.push(`${told('DELETE')}: its maker still gives ${gone.status}`);
  }
  const sign = await noted(report, `sign-in at ${user.name}`, signIn(maker, user, report));
  if (sign !== null && sign.body.status !== 'SUCCESS') report.faults.push(`sign-in at ${user.name}: ${sign.text}`);
  for (const side of [maker, user]) {
    for (const path of LISTS) await noted(report, `${side.name}: GET ${path}`, side.client.get(path));
  }
}

async function signIn(maker: Side, user: Side, report: CrossReport): Promise<TestResponse> {
  labels += 1;
  const body = person(`signs-in-${labels}`);
  await noted(report, `${maker.name}: user who signs in`, maker.client.post('/api/v1/users?activate=true', { body }));
  const given = { username: body.profile.login, password: body.credentials.password.value };
  return user.client.post('/api/v1/authn', { body: given });
}

/**
 * Creates resources in the newer version. The older version must not fail on them, and must keep a custom attribute.
 */
export async function newerThings(newer: Side, older: Side, report: CrossReport): Promise<void> {
  const custom = {
    definitions: {
      custom: { id: '#custom', type: 'object', properties: { badge: { title: 'Badge', type: 'string' } } },
    },
  };
  const made: readonly (readonly [path: string, body: unknown])[] = [
    ['/api/v1/meta/schemas/user/default', custom],
    ['/api/v1/users', { profile: { ...person('badged').profile, badge: 'B-7' } }],
    ['/api/v1/groups', { profile: { name: 'Newer' } }],
    [
      '/api/v1/apps',
      { name: 'bookmark', label: 'B', signOnMode: 'BOOKMARK', settings: { app: { url: 'https://b.example' } } },
    ],
    ['/api/v1/policies', { type: 'PASSWORD', name: 'newer', description: 'd', status: 'ACTIVE' }],
  ];
  const paths = [...LISTS];
  for (const [path, body] of made) {
    const answer = await noted(report, `${newer.name}: POST ${path}`, newer.client.post(path, { body }));
    if (answer !== null && typeof answer.body.id === 'string') paths.push(`${path}/${answer.body.id}`);
  }
  for (const path of paths) {
    const { status, text } = await older.client.get(path);
    report.calls += 1;
    if (status >= 500) report.faults.push(`${older.name}: GET ${path}, made by ${newer.name}: ${status} ${text}`);
  }
  const change = await older.client.post('/api/v1/users/badged@v.co', { body: { profile: { nickName: 'old' } } });
  const kept = await newer.client.get('/api/v1/users/badged@v.co');
  report.calls += 2;
  if (change.status >= 500) report.faults.push(`${older.name}: changes a user with a custom attribute: ${change.text}`);
  if (kept.body.profile.badge !== 'B-7') report.faults.push(`${older.name} lost a custom attribute by a change`);
}
