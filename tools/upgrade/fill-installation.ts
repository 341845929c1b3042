import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from '../../server/src/platform/postgres/index.ts';
import { createTestClient, type TestClient } from '../../server/test/support/client.ts';
import { openPageClient, signInByPages } from '../../server/test/support/page-client.ts';
import type { ServiceProcess } from '../crash/service-process.ts';
import { Administrator, good, type Json, PASSWORD, person } from './administrator.ts';
import { exchangedToken } from './fill-exchange.ts';
import { namedOddly } from './fill-names.ts';

export interface Filling {
  readonly client: TestClient;
  readonly port: number;
  readonly service: ServiceProcess;
  readonly pool: Pool;
}

const CALLBACK = 'http://rp.example.com/cb';
const LONG = 10_000;
const WIDE = 70_000;

async function oversized(admin: Administrator): Promise<Json> {
  await admin.post('/api/v1/meta/schemas/user/default', {
    definitions: {
      custom: { id: '#custom', type: 'object', properties: { notes: { title: 'Notes', type: 'string' } } },
    },
  });
  const long = await admin.user('Long', { displayName: 'd'.repeat(LONG), notes: 'n'.repeat(LONG) });
  const group = await admin.post('/api/v1/groups', { profile: { name: 'Bell\u0007', description: 'x'.repeat(900) } });
  await admin.put('/api/v1/org', { ...(await admin.get('/api/v1/org')), companyName: 'Acme\r\nLimited' });
  const wide = await admin.user('Wide', { notes: 'w'.repeat(WIDE) });
  return {
    longUserId: long.id,
    longCharacters: LONG,
    wideUserId: wide.id,
    wideCharacters: WIDE,
    groupId: group.id,
    groupName: 'Bell\u0007',
  };
}

/** Creates apps with a redirect URI, a policy and user names that later releases treat differently. */
async function apps(admin: Administrator, userId: string): Promise<Json> {
  const grants = ['authorization_code', 'refresh_token', 'implicit'];
  const plain = await admin.app('Plain HTTP', {
    redirect_uris: [CALLBACK],
    grant_types: grants,
    response_types: ['code', 'token', 'id_token'],
  });
  await admin.assign(plain, userId);
  const shut = await admin.app('Shut', { redirect_uris: ['https://shut.example/cb'], grant_types: grants.slice(0, 2) });
  await admin.assign(shut, userId);
  const policy = await admin.post('/api/v1/policies', { type: 'ACCESS_POLICY', name: 'Nobody', description: 'shut' });
  await admin.post(`/api/v1/policies/${policy.id}/rules`, {
    type: 'ACCESS_POLICY',
    name: 'Nobody',
    actions: { appSignOn: { access: 'DENY', verificationMethod: { type: 'ASSURANCE', factorMode: '1FA' } } },
  });
  await admin.put(`/api/v1/apps/${shut.id}/policies/${policy.id}`);
  const named = await admin.app('Named by mail', {
    redirect_uris: ['https://named.example/cb'],
    grant_types: ['authorization_code'],
  });
  const other = await admin.user('Twin');
  // Two users of one app have the same user name, which later becomes the login of a third user.
  await admin.assign(named, userId, 'long@acme.localhost');
  await admin.assign(named, other.id, 'long@acme.localhost');
  const { client_id: clientId, client_secret: clientSecret } = plain.credentials.oauthClient;
  return {
    plain: { id: plain.id, clientId, clientSecret, redirectUri: CALLBACK },
    shut: { id: shut.id },
    named: { id: named.id, clientSecret: named.credentials.oauthClient.client_secret },
    twinUserId: other.id,
  };
}

/** Creates objects that later releases complete or correct. */
async function objects(admin: Administrator): Promise<Json> {
  const provider: Json = {
    type: 'OIDC',
    name: 'Partner',
    protocol: {
      type: 'OIDC',
      endpoints: {
        authorization: { url: 'https://idp.example/authorize', binding: 'HTTP-REDIRECT' },
        token: { url: 'https://idp.example/token', binding: 'HTTP-POST' },
        jwks: { url: 'https://idp.example/keys', binding: 'HTTP-REDIRECT' },
      },
      issuer: { url: 'https://idp.example' },
      scopes: ['openid'],
      credentials: { client: { client_id: 'a', client_secret: 'b' } },
    },
    policy: {
      accountLink: { action: 'AUTO' },
      provisioning: { action: 'AUTO' },
      subject: { userNameTemplate: { template: 'idpuser.email' }, matchType: 'USERNAME' },
    },
  };
  const { id: providerId } = await admin.post('/api/v1/idps', provider);
  const hook = await admin.post('/api/v1/eventHooks', {
    name: 'Before',
    events: { type: 'EVENT_TYPE', items: ['user.lifecycle.create'] },
    channel: { type: 'HTTP', version: '1.0.0', config: { uri: 'https://hooks.example/before' } },
  });
  const servers = await admin.get('/api/v1/authorizationServers');
  const server = servers[0];
  const scope = await admin.post(`/api/v1/authorizationServers/${server.id}/scopes`, { name: 'svc:legacy' });
  const claim = await admin.post(`/api/v1/authorizationServers/${server.id}/claims`, {
    name: 'notes',
    claimType: 'RESOURCE',
    valueType: 'EXPRESSION',
    value: 'user.notes',
    alwaysIncludeInToken: true,
    conditions: { scopes: [] },
  });
  const rule = await admin.post('/api/v1/groups/rules', {
    type: 'group_rule',
    name: 'By mail',
    conditions: {
      expression: {
        type: 'urn:svc:expression:1.0',
        value: 'String.stringContains(user.email, "@acme")',
      },
    },
    actions: {
      assignUserToGroups: { groupIds: [(await admin.post('/api/v1/groups', { profile: { name: 'Staff' } })).id] },
    },
  });
  await admin.post(`/api/v1/groups/rules/${rule.id}/lifecycle/activate`);
  return {
    providerId,
    hookId: hook.id,
    serverId: server.id,
    scopeId: scope.id,
    claimId: claim.id,
    ruleId: rule.id,
  };
}

/**
 * Creates recovery and activation links. Release 0.1.0 does not record who creates a link, so later releases refuse its
 * links.
 */
async function links(admin: Administrator): Promise<Json> {
  const forgetful = await admin.user('Forgetful');
  const reset = await admin.post(`/api/v1/users/${forgetful.id}/lifecycle/reset_password?sendEmail=false`);
  const staged = await admin.post('/api/v1/users?activate=false', { profile: person('Staged') });
  const activation = await admin.post(`/api/v1/users/${staged.id}/lifecycle/activate?sendEmail=false`);
  const tokenOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1);
  return { recoveryToken: tokenOf(reset.resetPasswordUrl), activationToken: tokenOf(activation.activationUrl) };
}

/** Signs a user in to an app in a browser. */
async function browse(filling: Filling, ca: string, plain: Json, login: string): Promise<Json> {
  const hostname = 'localhost';
  const baseUrl = `https://localhost:${filling.port}`;
  const client = (headers: Readonly<Record<string, string>>): TestClient =>
    createTestClient({ port: filling.port, hostname, ca, headers });
  const browser = openPageClient({ hostname, baseUrl, client });
  await signInByPages(browser, login, { password: PASSWORD });
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: String(plain['clientId']),
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid email offline_access',
    state: 'before',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const answer = await browser.get(`/oauth2/v1/authorize?${query.toString()}`);
  const code = new URL(String(answer.headers['location'])).searchParams.get('code') ?? '';
  const basic = Buffer.from(`${String(plain['clientId'])}:${String(plain['clientSecret'])}`).toString('base64');
  const tokens = await good(
    client({}).post('/oauth2/v1/token', {
      raw: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: CALLBACK,
        code_verifier: verifier,
      }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${basic}` },
    }),
  );
  return { refreshToken: tokens.refresh_token, idToken: tokens.id_token, cookies: Object.fromEntries(browser.cookies) };
}

/** Creates a user who changes their own email address, which later releases treat as unverified. */
async function selfMailed(filling: Filling, ca: string, admin: Administrator): Promise<Json> {
  const user = await admin.user('Selfmailed');
  const hostname = 'localhost';
  const client = (headers: Readonly<Record<string, string>>): TestClient =>
    createTestClient({ port: filling.port, hostname, ca, headers });
  const browser = openPageClient({ hostname, baseUrl: `https://localhost:${filling.port}`, client });
  await signInByPages(browser, user.profile.login, { password: PASSWORD });
  const email = 'admin@bigcorp.example';
  const saved = await browser.submit(
    '/account/profile',
    { 'profile.email': email, password: PASSWORD },
    '/account/profile',
  );
  if (saved.status !== 303) throw new Error(`the profile was not saved: ${saved.status} ${saved.text.slice(-2_000)}`);
  return { id: user.id, login: user.profile.login, email };
}

async function exported({ service }: Filling): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-export-'));
  try {
    const file = join(directory, 'org.ndjson');
    const { output, status } = await service.cli('export', 'org', file, '--org', 'acme', '--with-hashes');
    if (status !== 0) throw new Error(output);
    return (await readFile(file)).toString('base64');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * Fills an installation with data that later releases treat differently. Returns the data that the upgrade test needs.
 */
export async function fillInstallation(filling: Filling): Promise<Json> {
  const admin = new Administrator(filling.client);
  const { caFile } = await filling.service.bootstrap();
  const ca = await readFile(caFile, 'utf8');
  const ada = await admin.user('Ada');
  const registered = await apps(admin, ada.id);
  const kept = await filling.service.cli('org', 'set', 'logRetentionDays', '3650', '--org', 'acme');
  if (kept.status !== 0) throw new Error(kept.output);
  const made = { apps: registered, objects: await objects(admin), links: await links(admin) };
  const orgFile = await exported(filling);
  const facts = {
    password: PASSWORD,
    ada: { id: ada.id, login: ada.profile.login },
    ...made,
    orgFile,
    ...(await oversized(admin)),
    named: await namedOddly(admin),
    browser: await browse(filling, ca, registered['plain'] as Json, ada.profile.login),
    selfMailed: await selfMailed(filling, ca, admin),
    exchanged: await exchangedToken(filling, ca, admin, ada),
  };
  const deadline = Date.now() + 30_000;
  for (;;) {
    const { rows } = await filling.pool.query<{ waiting: boolean }>(
      'select waiting > 0 as waiting from log_backlog(0)',
    );
    if (rows[0]?.waiting === false) return facts;
    if (Date.now() > deadline) throw new Error('the outbox did not become empty');
  }
}
