import { describe, expect, test } from 'vitest';
import { cpuMillisecondsSince } from '../support/cpu-time.ts';
import { exchange, requestText } from '../support/raw-connection.ts';
import { newLogin, newProfile } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

const users = '/api/v1/users';
const json = { 'content-type': 'application/json' };

/** These tests cover section 4.1.2 of the specification, and attack 4 (docs/security-rows.md). */
describe('only JSON is exchanged', () => {
  const body = () => JSON.stringify({ profile: newProfile() });

  test.each([
    ['a body without Content-Type', {}, 'E0000018', 400],
    ['an empty Content-Type', { 'content-type': '' }, 'E0000018', 400],
    ['a Content-Type that is none', { 'content-type': 'json' }, 'E0000019', 400],
    ['a broken parameter', { 'content-type': 'application/json; charset' }, 'E0000019', 400],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'E0000021', 400],
    ['text', { 'content-type': 'text/plain' }, 'E0000021', 400],
    ['XML', { 'content-type': 'application/xml' }, 'E0000021', 400],
    ['HAL', { 'content-type': 'application/hal+json' }, 'E0000021', 400],
    ['another charset', { 'content-type': 'application/json; charset=utf-16' }, 'E0000021', 400],
    ['an Accept that is none', { ...json, accept: 'json' }, 'E0000019', 400],
    ['Accept: application/hal+json', { ...json, accept: 'application/hal+json' }, 'E0000122', 406],
    ['Accept: text/html', { ...json, accept: 'text/html' }, 'E0000122', 406],
    ['Accept: application/json;q=0', { ...json, accept: 'application/json;q=0' }, 'E0000122', 406],
  ])('%s is refused', async (_name, headers, code, status) => {
    expect(await org.admin.post(users, { raw: body(), headers })).toMatchObject({ status, body: { errorCode: code } });
  });

  test.each([
    { accept: 'application/json, */*;q=0.8' },
    { accept: '*/*' },
    { accept: 'application/*' },
    { accept: '' },
    { 'content-type': 'application/json; charset=UTF-8' },
    { 'content-type': 'Application/JSON' },
    { 'content-type': 'application/json; svc-response=omitCredentials' },
  ])('%j is accepted', async (headers) => {
    expect(await org.admin.post(users, { raw: body(), headers: { ...json, ...headers } })).toMatchObject({
      status: 200,
    });
  });

  test('a POST without a body needs no Content-Type, and a GET neither', async () => {
    const { id } = await org.createUser();
    const headers = [`Authorization: SSWS ${org.adminToken}`, 'Connection: close'];
    for (const text of [
      requestText(org, `POST ${users}/${id}/lifecycle/suspend`, [...headers, 'Content-Length: 0']),
      requestText(org, `GET ${users}/${id}`, headers),
    ]) {
      const [answer] = await exchange(service, org, text);
      expect(answer).toMatchObject({
        status: 200,
        headers: { 'content-type': [expect.stringMatching(/^application\/json/)] },
      });
    }
  });
});

/** This test covers section 4.1.3 of the specification. */
test('dates are ISO 8601 in UTC with milliseconds', async () => {
  const user = await org.createUser();
  const { body: origin } = await org.admin.post('/api/v1/trustedOrigins', {
    body: { name: 'Dates', origin: 'https://dates.example.com', scopes: [{ type: 'CORS' }] },
  });
  const { body: tokens } = await org.admin.get('/api/v1/api-tokens');
  const [event] = await org.systemLog();
  for (const date of [
    user.created,
    user.lastUpdated,
    user.activated,
    origin.created,
    tokens[0].expiresAt,
    event.published,
  ]) {
    expect(date).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  }
});

/** These tests cover section 4.1.4 of the specification, and attacks 8 and 9 (docs/security-rows.md). */
describe('characters of four bytes are refused by name of the field', () => {
  const refused = (field: string) => ({
    status: 400,
    body: {
      errorCode: 'E0000001',
      errorSummary: `Api validation failed: ${field}`,
      errorCauses: [{ errorSummary: expect.stringContaining(field) }],
    },
  });
  const profileWith = (extra: string) => `{"profile":{"login":"a@x.co","email":"a@x.co","lastName":"B",${extra}}}`;

  test.each([
    [profileWith('"firstName":"😀"'), 'profile.firstName'],
    [profileWith('"firstName":"\\ud83d\\ude00"'), 'profile.firstName'],
    [profileWith('"firstName":"a\\u0000b"'), 'profile.firstName'],
    [profileWith('"nested":{"deep":[1,{"er":"𝒳"}]}'), 'profile.nested.deep[1].er'],
    [profileWith('"😀":"key"'), 'profile'],
    ['{"credentials":{"password":{"value":"Correct-1-😀"}}}', 'credentials.password.value'],
    ['"😀"', 'body'],
  ])('in the body: %s', async (raw, field) => {
    expect(await org.admin.post(users, { raw, headers: json })).toMatchObject(refused(field));
  });

  test.each(['%F0%9F%98%80', 'a%F0%9F%98%80b', '%00'])('escaped in the path: %s', async (id) => {
    expect(await org.admin.get(`${users}/${id}`)).toMatchObject(refused('id'));
    expect(await org.admin.get(`/api/v1/trustedOrigins/${id}`)).toMatchObject(refused('trustedOriginId'));
  });

  test('escaped in the query, in value or name, known parameter or not', async () => {
    expect(await org.admin.get(`${users}?q=%F0%9F%98%80`)).toMatchObject(refused('q'));
    expect(await org.admin.get(`${users}?limit=2&other=%F0%9F%98%80`)).toMatchObject(refused('other'));
    expect(await org.admin.get(`${users}?a%F0%9F%98%80b=1`)).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000001' },
    });
    expect(await org.admin.get(`${users}?filter=${encodeURIComponent('status eq "𝒳"')}`)).toMatchObject(
      refused('filter'),
    );
  });

  test.each([
    [`${users}/a😀b`, 'path'],
    [`${users}?q=a😀`, 'q'],
    [`${users}?limit=2&filter=a😀&q=b`, 'filter'],
    [`${users}?😀=1`, 'query'],
  ])('raw in the address: %s', async (target, field) => {
    const text = requestText(org, `GET ${target}`, [`Authorization: SSWS ${org.adminToken}`]);
    expect((await exchange(service, org, Buffer.from(text)))[0]).toMatchObject({
      ...refused(field),
      headers: { 'x-svc-request-id': [expect.any(String)] },
    });
  });

  test('those of three bytes and fewer go through unchanged', async () => {
    const firstName = 'Łukasz Ωμέγα 漢字 \uffdc';
    const user = await org.createUser({ profile: { firstName } });
    expect((await org.admin.get(`${users}/${user.id}`)).body.profile.firstName).toBe(firstName);
  });

  test('twins of normal form and case are one login; right-to-left override is no way around it', async () => {
    const name = newLogin();
    await org.createUser({ profile: { login: `é${name}` } });
    for (const login of [`e\u0301${name}`, `É${name}`, `E\u0301${name.toUpperCase()}`, `é\u202E${name}`]) {
      const profile = newProfile({ login, email: name });
      expect(await org.admin.post(users, { body: { profile } })).toMatchObject({
        status: 400,
        body: { errorCode: 'E0000001' },
      });
    }
  });
});

describe('bytes that are not UTF-8 are 400', () => {
  test.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong NUL', [0xc0, 0x80]],
    ['half a surrogate pair', [0xed, 0xa0, 0x80]],
    ['a cut-off sequence', [0xe2, 0x82]],
    ['Latin-1', [0xe9]],
    ['beyond Unicode', [0xf5, 0x80, 0x80, 0x80]],
  ])('in the body: %s', async (_name, bytes) => {
    const raw = Buffer.concat([Buffer.from('{"profile":{"firstName":"'), Buffer.from(bytes), Buffer.from('"}}')]);
    expect(await org.admin.post(users, { raw, headers: json })).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000003' },
    });
  });

  test.each([
    `${users}?q=%ff`,
    `${users}?q=%C0%80`,
    `${users}?q=%zz`,
    `${users}?q=%`,
    `${users}/%ff`,
    `${users}/%zz`,
    `${users}/%C0%AE`,
  ])('in the address: %s', async (path) => {
    expect(await org.admin.get(path)).toMatchObject({ status: 400, body: { errorCode: 'E0000002' } });
  });
});

/** These tests cover attack 3 (docs/security-rows.md). */
describe('JSON', () => {
  test.each([
    ['empty', ''],
    ['truncated', '{"profile":{"firstName":"A"'],
    ['with something behind it', '{} {}'],
    ['not JSON', 'profile=1'],
    ['NaN', '{"profile":{"firstName":NaN}}'],
    ['single quotes', "{'profile':{}}"],
    ['a trailing comma', '{"profile":{},}'],
    ['a comment', '{/* */"profile":{}}'],
    ['a duplicate key', '{"profile":{"login":"a@x.co"},"profile":{"login":"b@x.co"}}'],
    ['a duplicate key in disguise', '{"profile":{"login":"a@x.co","l\\u006fgin":"b@x.co"}}'],
    ['__proto__', '{"profile":{"__proto__":{"isAdmin":true}}}'],
    ['__proto__ in disguise', '{"__pr\\u006fto__":{"polluted":true}}'],
    ['constructor', '{"profile":{"constructor":{"prototype":{"polluted":true}}}}'],
    ['a depth of 10,000', `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ['a lone surrogate', '{"profile":{"firstName":"\\ud83d"}}'],
    ['a byte order mark', '\ufeff{}'],
  ])('%s is E0000003, in no time, and nothing is polluted', async (_name, raw) => {
    await org.admin.get('/api/v1/org');
    const began = process.cpuUsage();
    expect(await org.admin.post(users, { raw, headers: json })).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000003' },
    });
    expect(cpuMillisecondsSince(began)).toBeLessThan(1_000);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(Reflect.get({}, 'isAdmin')).toBeUndefined();
  });

  test.each(['null', '[]', '5', '"text"', 'true'])('%s, where an object is expected, is E0000001', async (raw) => {
    expect(await org.admin.post(users, { raw, headers: json })).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000001' },
    });
  });

  test('unknown properties are ignored', async () => {
    const body = { profile: newProfile(), unknown: { of: ['any', 'kind'] }, status: 'SUSPENDED' };
    expect(await org.admin.post(users, { body })).toMatchObject({ status: 200, body: { status: 'PROVISIONED' } });
    expect(await org.admin.post('/api/v1/org', { body: { unknown: 1 } })).toMatchObject({ status: 200 });
  });

  test('the order of properties and parameters does not matter (4.1.6)', async () => {
    const profile = Object.entries(newProfile());
    const credentials = { password: { value: 'Correct-1-Horse' } };
    const raw = JSON.stringify({ credentials, profile: Object.fromEntries(profile.toReversed()) });
    const { body } = await org.admin.post(`${users}?activate=true&provider=false`, { raw, headers: json });
    expect(body.profile).toEqual(Object.fromEntries([...profile, ['mobilePhone', null], ['secondEmail', null]]));
    const [one, two] = [await org.admin.get(`${users}?limit=3&q=Ada`), await org.admin.get(`${users}?q=Ada&limit=3`)];
    expect(two.body).toEqual(one.body);
  });

  test('a parameter is percent-encoded; a quote in a string is escaped and then encoded (4.1.5)', async () => {
    const user = await org.createUser({ profile: { firstName: 'Quo"te?https://' } });
    const search = encodeURIComponent('profile.firstName eq "Quo\\"te?https://"');
    const found = await org.admin.get(`${users}?search=${search}`);
    expect(found.body.map(({ id }: { id: string }) => id)).toEqual([user.id]);
    const lenient = search.replaceAll('%3F', '?').replaceAll('%3A', ':').replaceAll('%2F', '/');
    expect((await org.admin.get(`${users}?search=${lenient}`)).body).toHaveLength(1);
  });
});
