import { describe, expect, test } from 'vitest';
import { newLogin, newProfile } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { org } = useService();

/** Some clients send no space between the scheme and the token (docs/review-findings.md, contract 1). */
test.each(['SSWS', 'ssws', 'SSWS  '])('an API token right behind the scheme %j is taken', async (scheme) => {
  const { status } = await org.client({ authorization: `${scheme}${org.adminToken}` }).get('/api/v1/users/me');
  expect(status).toBe(200);
});

/** Some clients write more slashes than the route has (docs/review-findings.md, contract 2). */
describe('a slash at the end, or two at the beginning', () => {
  test('mean the route without, in links, in the log and for permissions', async () => {
    const created = await org.admin.post('//api/v1/users/?activate=false', { body: { profile: newProfile() } });
    expect(created).toMatchObject({ status: 200, body: { status: 'STAGED' } });
    const list = await org.admin.get('/api/v1/users/?limit=1');
    expect(String(list.headers['link'])).toContain(`<${org.baseUrl}/api/v1/users?limit=1>; rel="self"`);
    const nobody = await org.withRoles();
    expect(await nobody.get(`//api/v1/users/${String(created.body.id)}/`)).toMatchObject({ status: 403 });
    const [event] = await org.systemLog(`transaction.id eq "${String(created.headers['x-svc-request-id'])}"`);
    expect(event.debugContext.debugData.requestUri).toBe('/api/v1/users');
  });

  test('not for DELETE, where an id that is left empty would mean all', async () => {
    const { id } = await org.createUser();
    for (const path of [`/api/v1/users/${id}/sessions/`, `//api/v1/users/${id}`, `/api/v1/users/${id}/grants/`]) {
      expect(await org.admin.del(path)).toMatchObject({ status: 404, body: { errorCode: 'E0000008' } });
    }
    expect(await org.admin.get(`/api/v1/users/${id}`)).toMatchObject({ status: 200 });
  });

  test.each(['/oauth2/v1/keys/', '//oauth2/v1/keys', '/signin/', '/api/v1/users//', '/api/v1/users%2F'])(
    '%s is no address',
    async (path) => expect((await org.admin.get(path)).status).toBe(404),
  );
});

/** A link to a long URL must not make the headers too long for clients (docs/review-findings.md, contract 23). */
describe('a long address', () => {
  const query = (length: number): string => `/api/v1/users?limit=1&x=${'a'.repeat(length - 24)}`;

  test('of 8,000 characters is answered with headers that clients read, without a link to itself', async () => {
    await org.createUser({ profile: { login: newLogin() } });
    const { headers, status } = await org.admin.get(query(8_000));
    expect(status).toBe(200);
    expect(String(headers['link'])).toContain('rel="next"');
    expect(String(headers['link'])).not.toContain('rel="self"');
    expect(JSON.stringify(headers).length).toBeLessThan(10_000);
  });

  test.each([query(8_001), `/api/v1/users?x=${'+'.repeat(3_000)}`, `/${'a'.repeat(8_000)}`])(
    'beyond that it is 414',
    async (path) => expect(await org.admin.get(path)).toMatchObject({ status: 414, body: { errorCode: 'E0000002' } }),
  );
});
