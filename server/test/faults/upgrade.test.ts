import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestClient, type TestClient, type TestResponse } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { openPageClient, type PageClient } from '../support/page-client.ts';
import { readReleases } from '../support/releases.ts';
import { gatehouse, newPlace, type Place, type Program, runServer, stopServer } from '../support/server-process.ts';
import {
  type FilledInstallation,
  openFilledDatabase,
  readFilledInstallation,
} from '../support/upgraded-installation.ts';
import { payloadOf } from '../support/user-tokens.ts';

// This file tests the upgrade of an installation of 0.1.0 with the data that tools/upgrade-fixture.ts stored.

let filled: FilledInstallation;
let database: TestDatabase;
let place: Place;
let server: Program;
let ca: string;
let facts: TestResponse['body'];
const clients: { close(): void }[] = [];

function clientWith(headers: Readonly<Record<string, string>>): TestClient {
  const client = createTestClient({ port: place.port, hostname: 'localhost', ca, headers });
  clients.push(client);
  return client;
}
const admin = (): TestClient => clientWith({ authorization: `SSWS ${filled.apiToken}` });

function browserOfBefore(): PageClient {
  const baseUrl = `https://localhost:${filled.publicPort}`;
  const browser = openPageClient({ hostname: 'localhost', baseUrl, client: clientWith });
  for (const [name, value] of Object.entries(facts.browser.cookies)) browser.cookies.set(name, String(value));
  return browser;
}

function databaseUrl({ connection }: TestDatabase): string {
  const url = new URL(`postgresql://${String(connection.user)}@localhost/${String(connection.database)}`);
  url.searchParams.set('host', String(connection.host));
  url.port = String(connection.port);
  return url.href;
}

const basic = (clientId: string, clientSecret: string): string =>
  `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
const postForm = (path: string, form: Readonly<Record<string, string>>, headers = {}): Promise<TestResponse> =>
  clientWith({}).post(path, {
    raw: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });

beforeAll(async () => {
  filled = await readFilledInstallation('0.1.0');
  ({ facts } = filled);
  database = await openFilledDatabase(filled);
  place = await newPlace({
    GATEHOUSE_DATABASE_URL: databaseUrl(database),
    GATEHOUSE_MASTER_KEY: filled.masterKey,
    GATEHOUSE_PUBLIC_PORT: String(filled.publicPort),
  });
  server = await runServer(place);
  ca = readFileSync(`${place.dataDirectory}/tls/ca.pem`, 'utf8');
});
afterAll(async () => {
  for (const client of clients) client.close();
  await stopServer(server);
  await place.remove();
  await database.close();
});

test('releases are named once each, oldest first, and the oldest has the fixture', () => {
  const releases = readReleases();
  expect(releases.map(({ schema }) => schema)).toEqual(releases.map(({ schema }) => schema).toSorted((a, b) => a - b));
  expect(new Set(releases.map(({ version }) => version)).size).toBe(releases.length);
  expect(releases[0]).toMatchObject({ version: filled.version, schema: filled.schema });
});

describe('what the operator is told', () => {
  test('doctor tells which apps have addresses, policies or names that would be refused today', async () => {
    const { code, stdout, stderr } = await gatehouse(place, 'doctor');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lineOf = (check: string) => stdout.split('\n').find((line) => line.startsWith(check));
    expect(lineOf('Redirect URIs')).toMatch(new RegExp(`warn .*: acme/${facts.apps.plain.id}$`));
    for (const userId of [facts.ada.id, facts.apps.twinUserId])
      expect(lineOf('Names in apps')).toContain(`acme/${facts.apps.named.id}/${userId}`);
    expect(lineOf('Names in apps')).toMatch(/ warn .*tokens contain their ids/);
    expect(lineOf('Owners')).toMatch(/ warn .*2 event hooks and 1 log streams/);
  });

  test('a file that it wrote is refused in a sentence: another release has other rows', async () => {
    const file = join(place.dataDirectory, 'before.ndjson');
    await writeFile(file, Buffer.from(facts.orgFile, 'base64'));
    const told = await gatehouse(place, 'import', 'org', file, '--subdomain', 'again');
    expect(told).toMatchObject({ code: 1, stdout: '' });
    expect(told.stderr).toMatch(/schema version 34, .*\. Export and import with the same release\.\n$/);
    expect((await database.pool.query("select from orgs where subdomain = 'again'")).rows).toEqual([]);
  });
});

describe('what a release of before had stored', () => {
  test('values over a limit of today are read, and stay while others are changed', async () => {
    const path = `/api/v1/users/${facts.longUserId}`;
    const user = await admin().get(path);
    expect(user).toMatchObject({ status: 200 });
    expect(user.body.profile.displayName).toBe('d'.repeat(facts.longCharacters));
    expect(user.body.profile.notes).toBe('n'.repeat(facts.longCharacters));
    expect(await admin().post(path, { body: { profile: { nickName: 'L' } } })).toMatchObject({ status: 200 });
    const whole = await admin().put(path, { body: { profile: { ...user.body.profile, nickName: 'M' } } });
    expect(whole).toMatchObject({ status: 200, body: { profile: { nickName: 'M' } } });
    expect(whole.body.profile.notes).toBe(user.body.profile.notes);
  });

  test('a profile that is larger than one may be today is read, changed and put back', async () => {
    const path = `/api/v1/users/${facts.wideUserId}`;
    const client = admin();
    const notes = 'w'.repeat(facts.wideCharacters);
    expect((await client.get(path)).body.profile.notes).toBe(notes);
    expect(await client.post(path, { body: { profile: { nickName: 'W' } } })).toMatchObject({ status: 200 });
    const { body } = await client.get(path);
    expect(await client.put(path, { body: { profile: body.profile } })).toMatchObject({ status: 200 });
    const longer = await client.post(path, { body: { profile: { notes: `${notes}w` } } });
    expect(longer).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
  });

  test('an object of each kind keeps a text that is refused today, and is given no other such', async () => {
    const client = admin();
    expect(facts.named.length).toBeGreaterThan(12);
    const answers = [];
    for (const { member, path } of facts.named as readonly { member: string; path: string }[]) {
      const { body } = await client.get(path);
      const put = await client.put(path, { body });
      const other = await client.put(path, { body: { ...body, [member]: `Other ${body[member]}` } });
      answers.push({ path, text: put.body[member] === body[member] ? 'kept' : put.text, other: other.status });
    }
    expect(answers).toEqual(answers.map(({ path }) => ({ path, text: 'kept', other: 400 })));
  });

  test('names that are refused today are read and kept', async () => {
    const path = `/api/v1/groups/${facts.groupId}`;
    expect(await admin().get(path)).toMatchObject({ status: 200, body: { profile: { name: facts.groupName } } });
    expect(await admin().get('/api/v1/org')).toMatchObject({ status: 200, body: { companyName: 'Acme\r\nLimited' } });
  });

  test('providers, hooks, servers, scopes, claims and rules are there', async () => {
    const { claimId, hookId, providerId, ruleId, scopeId, serverId } = facts.objects;
    const authorizationServer = `/api/v1/authorizationServers/${serverId}`;
    for (const path of [
      `/api/v1/idps/${providerId}`,
      `/api/v1/eventHooks/${hookId}`,
      authorizationServer,
      `${authorizationServer}/scopes/${scopeId}`,
      `${authorizationServer}/claims/${claimId}`,
      `/api/v1/groups/rules/${ruleId}`,
    ])
      expect(await admin().get(path), path).toMatchObject({ status: 200 });
  });

  test('the log is whole', async () => {
    const verified = await gatehouse(place, 'log', 'verify');
    expect(verified, verified.stderr).toMatchObject({ code: 0 });
  });
});

describe('who had signed in', () => {
  test('goes on in the browser, with an app whose address is refused today', async () => {
    const { id, clientId, redirectUri } = facts.apps.plain;
    const query = new URLSearchParams({
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid',
      state: 'after',
    });
    const answer = await browserOfBefore().get(`/oauth2/v1/authorize?${query.toString()}`);
    expect(answer.status).toBe(303);
    expect(String(answer.headers['location'])).toMatch(/^http:\/\/rp\.example\.com\/cb\?(?=.*code=)(?=.*state=after)/);
    const app = await admin().get(`/api/v1/apps/${id}`);
    expect(app.body.settings.oauthClient.redirect_uris).toEqual([redirectUri]);
    expect([clientId, app.body.credentials.oauthClient.client_id]).toEqual([id, id]);
    const { body } = app;
    expect(await admin().put(`/api/v1/apps/${id}`, { body })).toMatchObject({ status: 200 });
  });

  test('is refreshed by the token of before', async () => {
    const form = { grant_type: 'refresh_token', refresh_token: facts.browser.refreshToken };
    const { clientId, clientSecret } = facts.apps.plain;
    const answer = await postForm('/oauth2/v1/token', form, { authorization: basic(clientId, clientSecret) });
    expect(answer).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
    const info = await clientWith({ authorization: `Bearer ${answer.body.access_token}` }).get('/oauth2/v1/userinfo');
    expect(info).toMatchObject({
      status: 200,
      body: { sub: facts.ada.id, email: facts.ada.login, email_verified: true },
    });
  });

  test('is called by his id in the tokens of an app that calls somebody else the same', async () => {
    const { clientSecret, id } = facts.apps.named;
    const redirectUri = 'https://named.example/cb';
    const query = new URLSearchParams({
      client_id: id,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid',
      state: 'after',
    });
    const answer = await browserOfBefore().get(`/oauth2/default/v1/authorize?${query.toString()}`);
    const code = new URL(String(answer.headers['location'])).searchParams.get('code') ?? '';
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri };
    const tokens = await postForm('/oauth2/default/v1/token', form, { authorization: basic(id, clientSecret) });
    expect(payloadOf(tokens.body.access_token)).toMatchObject({ sub: facts.ada.id, uid: facts.ada.id });
  });

  test('is refreshed by a token that was exchanged before, whose family nobody noted', async () => {
    const { clientId, clientSecret, parent, refreshToken, serverId } = facts.exchanged;
    const path = `/oauth2/${serverId}/v1`;
    const headers = { authorization: basic(clientId, clientSecret) };
    const refresh = (token: string) =>
      postForm(`${path}/token`, { grant_type: 'refresh_token', refresh_token: token }, headers);
    const refreshed = await refresh(refreshToken);
    expect(refreshed).toMatchObject({ status: 200, body: { refresh_token: expect.any(String) } });
    expect(await postForm(`${path}/revoke`, { token: parent }, headers)).toMatchObject({ status: 200 });
    expect(await refresh(refreshed.body.refresh_token)).toMatchObject({ status: 200 });
    expect(await postForm(`${path}/revoke`, { token: refreshToken }, headers)).toMatchObject({ status: 200 });
    expect(await refresh(refreshed.body.refresh_token)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
  });

  test('has apps that prove themselves as before, and by no other way', async () => {
    const { clientId, clientSecret, id } = facts.apps.plain;
    const { body } = await admin().get(`/api/v1/apps/${id}`);
    expect(body.credentials.oauthClient.token_endpoint_auth_method).toBe('client_secret_basic');
    const form = { token: 'none', client_id: clientId, client_secret: clientSecret };
    expect(await postForm('/oauth2/v1/revoke', form)).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });

  test('has no link any more: nobody knows who had those of before made', async () => {
    const client = clientWith({});
    const { activationToken, recoveryToken } = facts.links;
    const refused = { status: 401, body: { errorCode: 'E0000011' } };
    expect(await client.post('/api/v1/authn/recovery/token', { body: { recoveryToken } })).toMatchObject(refused);
    expect(await client.post('/api/v1/authn', { body: { token: activationToken } })).toMatchObject(refused);
  });

  test('has proved no address that he gave himself', async () => {
    const user = await admin().get(`/api/v1/users/${facts.selfMailed.id}`);
    expect(user.body.profile.email).toBe(facts.selfMailed.email);
    const text = 'select unproved_email from users where unproved_email is not null';
    expect((await database.pool.query(text)).rows).toEqual([{ unproved_email: facts.selfMailed.email }]);
  });

  test('signs in with the password of before', async () => {
    const body = { username: facts.ada.login, password: facts.password };
    expect(await clientWith({}).post('/api/v1/authn', { body })).toMatchObject({
      status: 200,
      body: { status: 'SUCCESS' },
    });
  });
});
