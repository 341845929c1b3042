import { beforeAll, expect, test } from 'vitest';
import type { TestClient, TestResponse } from '../support/client.ts';
import { useService } from '../support/use-service.ts';
import { stateOf } from './org-state.ts';
import { cellOf, createPlaces, type Places, permittedRoutes, readTable } from './permission-matrix.ts';
import { address, bodyOf } from './route-bodies.ts';

// This file tests that a read-only administrator changes nothing (attack 99 in docs/security-rows.md), and sees no
// secrets.

const { service, org } = useService();
let places: Places;
let reader: TestClient;

beforeAll(async () => {
  places = await createPlaces(service, org);
  reader = await org.withRoles('READ_ONLY_ADMIN');
});

const PAGE = readTable('permissions.md');
const readable = permittedRoutes.filter((route) => cellOf(PAGE, route, 'READ_ONLY_ADMIN') === 'all');

const SIMULATION = [
  {
    appInstance: '0oa00000000000000000',
    policyContext: {
      user: { id: '00u00000000000000000' },
      groups: { ids: ['00g00000000000000000'] },
      ip: '203.0.113.7',
      zones: { ids: ['nzo00000000000000000'] },
      risk: { level: 'LOW' },
    },
  },
];

const ask = (method: string, path: string, body?: unknown): Promise<TestResponse> =>
  reader.send(method, path, body === undefined ? {} : { body });

/** Counts the org's jobs and stored emails, which `stateOf` leaves out. */
async function waiting(): Promise<unknown> {
  const text = `select (select count(*) from jobs where org_id = $1) as jobs,
    (select count(*) from mail_outbox where org_id = $1) as mails`;
  return (await service.database.pool.query(text, [org.id])).rows[0];
}

test('none of them takes another method than its permission says', () => {
  expect(readable.length).toBeGreaterThan(80);
  const others = readable.filter(({ method }) => method !== 'GET');
  expect(others.map(({ operationId, readOnly }) => [operationId, readOnly])).toEqual([
    ['createPolicySimulation', true],
  ]);
  expect(readable.filter(({ permission }) => permission?.endsWith('.read') !== true)).toEqual([]);
});

test('every route that a read-only administrator may call leaves everything as it was, and no event', async () => {
  const told = async () => (await org.systemLog()).filter(({ eventType }) => eventType !== 'system.log.read');
  await told();
  // Role assignments start this job. It must end before the state is read for comparison.
  const planned = "select 1 from jobs where org_id = $1 and kind = 'users.renewLinks'";
  await expect.poll(async () => (await service.database.pool.query(planned, [org.id])).rowCount).toBe(0);
  const before = [await stateOf(service, org), await waiting(), (await told()).length];
  const answered: number[] = [];
  for (const route of readable) {
    const { body, status, text } = await reader.send(
      route.method,
      address(route, places.inside.ids),
      bodyOf(route, org),
    );
    expect([401, 403, 500], `${route.url} ${text}`).not.toContain(status);
    expect(body).toBeDefined();
    answered.push(status);
  }
  expect(answered.filter((status) => status === 200).length).toBeGreaterThan(60);
  expect([await stateOf(service, org), await waiting(), (await told()).length]).toEqual(before);
});

test('simulations neither, with everything that they show', async () => {
  const before = await stateOf(service, org);
  for (const expand of ['', '?expand=EVALUATED', '?expand=RULE', '?expand=EVALUATED,RULE']) {
    const path = `/api/v1/policies/simulate${expand}`;
    for (const body of [SIMULATION, [{ ...SIMULATION[0], appInstance: places.inside.app }]]) {
      expect((await ask('POST', path, body)).status).toBeLessThan(500);
    }
  }
  expect(await stateOf(service, org)).toEqual(before);
});

test('and a read-only administrator sees no secret of a client or a provider', async () => {
  const { app, ids } = places.inside;
  const secrets = await ask('GET', `/api/v1/apps/${app}/credentials/secrets`);
  expect(secrets.status).toBe(200);
  const { client_secret: shown } = (await org.admin.get(`/api/v1/apps/${app}/credentials/secrets/${ids['secretId']}`))
    .body;
  expect(shown).toMatch(/^.{20,}$/);
  expect(secrets.text).not.toContain(shown);
  expect((await ask('GET', `/api/v1/apps/${app}`)).text).not.toContain(shown);
  expect((await ask('GET', `/api/v1/idps/${ids['idpId']}`)).text).not.toContain('a secret of the provider');
});
