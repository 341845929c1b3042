import { describe, expect, test } from 'vitest';
import { NAMED_KINDS, newAppOf } from '../support/app-kinds.ts';
import { APPS, createApp, newPublicJwk, serviceApp } from '../support/apps.ts';
import type { TestResponse } from '../support/client.ts';
import { multipart, PNG } from '../support/multipart.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

const STALE = { status: 412, body: { errorCode: 'E0000231' } };
const tagOf = ({ headers }: TestResponse): string => String(headers['etag']);
const read = (id: string) => org.admin.get(`${APPS}/${id}`);
const when = (tag: string) => ({ headers: { 'if-match': tag } });

describe.each(NAMED_KINDS)('%s', (_, kind) => {
  test('has a tag that each change ends, and a stale one changes nothing', async () => {
    const created = await org.admin.post(APPS, { body: newAppOf(kind) });
    const { id } = created.body;
    const first = tagOf(created);
    expect(first).toMatch(/^W\/"[0-9a-f]{64}"$/);
    expect(tagOf(await read(id))).toBe(first);
    const body = newAppOf(kind, { label: 'changed' });
    const put = await org.admin.put(`${APPS}/${id}`, { body, ...when(first) });
    expect(put.status, put.text).toBe(200);
    expect(tagOf(put)).not.toBe(first);
    expect(tagOf(await read(id))).toBe(tagOf(put));
    expect(await org.admin.put(`${APPS}/${id}`, { body: newAppOf(kind), ...when(first) })).toMatchObject(STALE);
    expect(await org.admin.post(`${APPS}/${id}/lifecycle/deactivate`, when(first))).toMatchObject(STALE);
    expect((await read(id)).body).toMatchObject({ label: 'changed', status: 'ACTIVE' });
    expect((await org.admin.post(`${APPS}/${id}/lifecycle/deactivate`, when(tagOf(put)))).status).toBe(200);
    expect(await org.admin.del(`${APPS}/${id}`, when(tagOf(put)))).toMatchObject(STALE);
    expect((await org.admin.del(`${APPS}/${id}`, when(tagOf(await read(id))))).status).toBe(204);
  });
});

describe('If-Match', () => {
  test('lets one of many at once through', async () => {
    const [, kind] = NAMED_KINDS.at(-1) ?? [];
    if (kind === undefined) throw new Error('there is no kind');
    const app = await createApp(org, newAppOf(kind));
    const tag = tagOf(await read(app.id));
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        org.admin.put(`${APPS}/${app.id}`, { body: newAppOf(kind, { label: `L${index}` }), ...when(tag) }),
      ),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(7);
    expect((await read(app.id)).body.label).toBe(won[0]?.body.label);
  });

  test('ends with a key that somebody else registered, which a replacement would have dropped', async () => {
    const app = await createApp(org, serviceApp({ jwks: { keys: [newPublicJwk('one')] } }));
    const before = await read(app.id);
    const added = await org.admin.post(`${APPS}/${app.id}/credentials/jwks`, { body: newPublicJwk('two') });
    expect(added.status).toBe(201);
    expect(await org.admin.put(`${APPS}/${app.id}`, { body: before.body, ...when(tagOf(before)) })).toMatchObject(
      STALE,
    );
    expect((await read(app.id)).body.settings.oauthClient.jwks.keys).toHaveLength(2);
  });

  test('ends with everything else that is shown with the app and stands elsewhere', async () => {
    const app = await createApp(org, serviceApp());
    const policyPath = '/api/v1/policies';
    const newPolicy = async (name: string) =>
      (await org.admin.post(policyPath, { body: { type: 'ACCESS_POLICY', name } })).body.id;
    const [first, second] = [await newPolicy('tag one'), await newPolicy('tag two')];
    const map = (policyId: string) =>
      org.admin.post(`${policyPath}/${policyId}/mappings`, { body: { resourceId: app.id } });
    const changes: Readonly<Record<string, () => Promise<TestResponse>>> = {
      'a logo': () => org.admin.post(`${APPS}/${app.id}/logo`, multipart('file', PNG)),
      'a policy': () => org.admin.put(`${APPS}/${app.id}/policies/${first}`),
      'a mapping': () => map(second),
      'no mapping': () => org.admin.del(`${policyPath}/${second}/mappings/${app.id}`),
      'a mapping again': () => map(second),
      'the end of its policy': () => org.admin.del(`${policyPath}/${second}`),
    };
    for (const [what, change] of Object.entries(changes)) {
      const before = await read(app.id);
      const { status, text } = await change();
      expect(status, `${what}: ${text}`).toBeLessThan(300);
      const after = await read(app.id);
      expect(after.body._links, what).not.toEqual(before.body._links);
      expect(tagOf(after), what).not.toBe(tagOf(before));
      const put = await org.admin.put(`${APPS}/${app.id}`, { body: serviceApp(), ...when(tagOf(before)) });
      expect(put, what).toMatchObject(STALE);
    }
    const before = await read(app.id);
    expect((await org.admin.put(`${APPS}/${app.id}/policies/${first}`)).status).toBe(204);
    const moved = tagOf(await read(app.id));
    expect(moved).not.toBe(tagOf(before));
    expect((await org.admin.put(`${APPS}/${app.id}/policies/${first}`)).status).toBe(204);
    expect(tagOf(await read(app.id))).toBe(moved);
  });

  test('that is no list of tags is refused; the star is any', async () => {
    const app = await createApp(org, serviceApp());
    const put = (tag: string) => org.admin.put(`${APPS}/${app.id}`, { body: serviceApp(), ...when(tag) });
    expect(await put('nonsense')).toMatchObject({ status: 400, body: { errorCode: 'E0000242' } });
    expect((await put('*')).status).toBe(200);
    const own = await service.newOrg();
    const tag = tagOf(await own.admin.post(APPS, { body: serviceApp() }));
    expect(await put(tag)).toMatchObject(STALE);
  });
});
