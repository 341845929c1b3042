import { describe, expect, test } from 'vitest';
import { namespaceOf } from '../../src/kernel/words/namespace.ts';
import {
  addDomain,
  addTrustedProxy,
  changeOrgSettings,
  createOrg,
  findOrgIdBySubdomain,
  listOrgs,
  renameOrg,
} from '../../src/management/orgs/index.ts';
import { systemContext } from '../../src/system-log/index.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });

const contextOf = (of: TestOrg) =>
  systemContext({ orgId: of.id, namespace: namespaceOf('svc'), name: 'test', now: service.clock.now() });

describe('/api/v1/org', () => {
  test('shows the org', async () => {
    expect(await org.admin.get('/api/v1/org')).toMatchObject({
      status: 200,
      body: {
        id: org.id,
        subdomain: org.subdomain,
        status: 'ACTIVE',
        companyName: 'Test',
        city: null,
        expiresAt: null,
      },
    });
  });

  test('POST merges, PUT replaces, and both are in the log', async () => {
    const own = await service.newOrg();
    const merged = await own.admin.post('/api/v1/org', { body: { city: 'Oslo', id: '00oother', subdomain: 'other' } });
    expect(merged).toMatchObject({ status: 200, body: { id: own.id, subdomain: own.subdomain, city: 'Oslo' } });
    const replaced = await own.admin.put('/api/v1/org', {
      body: { companyName: 'Ace', website: 'https://ace.example' },
    });
    expect(replaced).toMatchObject({
      status: 200,
      body: { companyName: 'Ace', city: null, website: 'https://ace.example' },
    });
    expect((await own.admin.get('/api/v1/org')).body).toEqual(replaced.body);
    expect(await own.systemLog('eventType eq "system.org.update"')).toMatchObject([
      { target: [{ id: own.id, type: 'Org', changeDetails: { from: { city: null }, to: { city: 'Oslo' } } }] },
      { target: [{ displayName: 'Ace' }] },
    ]);
  });

  test('a change to what it is already is not in the log', async () => {
    const own = await service.newOrg();
    expect(await own.admin.post('/api/v1/org', { body: { companyName: 'Test' } })).toMatchObject({ status: 200 });
    expect(await own.systemLog('eventType eq "system.org.update"')).toEqual([]);
  });

  test.each([
    ['PUT', { city: 'Oslo' }],
    ['POST', { companyName: '' }],
    ['POST', { website: 'javascript:alert(1)' }],
    ['POST', { city: 5 }],
  ])('%s refuses %j', async (method, body) => {
    expect(await org.admin.send(method, '/api/v1/org', { body })).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000001' },
    });
  });

  test('is read by readers and changed by those who may', async () => {
    const reader = await org.withRoles('READ_ONLY_ADMIN');
    expect(await reader.get('/api/v1/org')).toMatchObject({ status: 200 });
    expect(await reader.post('/api/v1/org', { body: { city: 'Oslo' } })).toMatchObject({ status: 403 });
    const nobody = await org.withRoles();
    expect(await nobody.get('/api/v1/org')).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
  });
});

describe('/.well-known/svc-organization', () => {
  test('is public and names the org by the address the client came by', async () => {
    expect(await org.anonymous.get('/.well-known/svc-organization')).toMatchObject({
      status: 200,
      body: { id: org.id, pipeline: 'v1', settings: { omEnabled: false } },
    });
  });

  test('never looks at Authorization', async () => {
    const response = await org.client({ authorization: 'SSWS nonsense' }).get('/.well-known/svc-organization');
    expect(response.status).toBe(200);
  });
});

describe('addresses', () => {
  const idAt = async (hostname: string) =>
    (await org.client({}, hostname).get('/.well-known/svc-organization')).body?.id ?? null;

  test('the first org is the one that loopback means', async () => {
    expect(await idAt('localhost')).toBe(org.id);
  });

  test('an org of its own for each subdomain', async () => {
    const other = await service.newOrg();
    expect(await idAt(other.hostname)).toBe(other.id);
    expect(await org.client({}, 'nobody.localhost').get('/.well-known/svc-organization')).toMatchObject({
      status: 404,
      body: { errorCode: 'E0000007' },
    });
  });

  test('a subdomain that is taken, reserved or ends with -admin makes no org', async () => {
    const ports = { work: service.application.work, namespace: namespaceOf('svc') };
    for (const subdomain of [org.subdomain, 'www', 'acme-admin', 'Acme']) {
      const made = createOrg(ports, service.clock.now(), { subdomain, companyName: 'Test' });
      await expect(made).rejects.toMatchObject({ code: 'E0000001', status: 400 });
    }
  });

  test('a renamed org answers at the new address within a second, and is in the log', async () => {
    const own = await service.newOrg();
    expect(await idAt(own.hostname)).toBe(own.id);
    await renameOrg(service.application, contextOf(own), `new-${own.subdomain}`);
    service.clock.advance(1_000);
    expect(await idAt(own.hostname)).toBeNull();
    const { body } = await org
      .client({ authorization: `SSWS ${own.adminToken}` }, `new-${own.subdomain}.localhost`)
      .get('/api/v1/org');
    expect(body).toMatchObject({ id: own.id, subdomain: `new-${own.subdomain}` });
    expect(await findOrgIdBySubdomain(service.application.db, own.subdomain)).toBeNull();
  });

  test('a custom domain is one org, once', async () => {
    const [one, two] = [await service.newOrg(), await service.newOrg()];
    const domain = `id.${one.subdomain}.example`;
    await addDomain(service.application, contextOf(one), domain, 'localhost');
    await expect(addDomain(service.application, contextOf(two), domain, 'localhost')).rejects.toMatchObject({
      code: 'E0000001',
    });
    expect((await service.application.orgDirectory.resolve(domain))?.orgId).toBe(one.id);
    expect(await one.systemLog('eventType eq "system.org.domain.add"')).toMatchObject([
      { debugContext: { debugData: { domain } } },
    ]);
  });

  test('a trusted proxy is believed by its own org alone', async () => {
    const [one, two] = [await service.newOrg(), await service.newOrg()];
    await addTrustedProxy(service.application, contextOf(one), '127.0.0.0/8');
    await expect(addTrustedProxy(service.application, contextOf(one), 'everyone')).rejects.toMatchObject({
      code: 'E0000001',
    });
    service.clock.advance(1_000);
    const { orgDirectory } = service.application;
    expect((await orgDirectory.resolve(one.hostname))?.trustedProxies.matches('127.0.0.1')).toBe(true);
    expect((await orgDirectory.resolve(two.hostname))?.trustedProxies.matches('127.0.0.1')).toBe(false);
  });
});

test('settings of an org reach the edge, and a bad one is refused', async () => {
  const own = await service.newOrg();
  await changeOrgSettings(service.application, contextOf(own), { perTokenPercent: 40, passwordErrors: 'single' });
  await expect(changeOrgSettings(service.application, contextOf(own), { perTokenPercent: 400 })).rejects.toMatchObject({
    code: 'E0000001',
  });
  service.clock.advance(1_000);
  expect((await service.application.orgDirectory.resolve(own.hostname))?.perTokenPercent).toBe(40);
  expect((await service.application.orgDirectory.settingsOf(own.id)).passwordErrors).toBe('single');
  await changeOrgSettings(service.application, contextOf(own), { passwordErrors: null });
  service.clock.advance(1_000);
  expect((await service.application.orgDirectory.settingsOf(own.id)).passwordErrors).toBe('perRule');
});

test('orgs are listed by subdomain, page by page', async () => {
  await service.newOrg();
  const { db } = service.application;
  const all = (await listOrgs(db, '', 1_000)).map(({ subdomain }) => subdomain);
  expect(all).toEqual(all.toSorted());
  const [first = ''] = all;
  expect((await listOrgs(db, first, 1)).map(({ subdomain }) => subdomain)).toEqual(all.slice(1, 2));
});
