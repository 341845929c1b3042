import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LOCK_WAITS } from '../support/citus.ts';
import type { TestResponse } from '../support/client.ts';
import { createPolicyPath, invalidWith, newRoutingRule, newSignOnRule, POLICIES } from '../support/policies.ts';
import { createProvider, PROVIDERS } from '../support/provider-requests.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

const waitersOf = async (): Promise<number> => {
  const { rows } = await service.database.pool.query<{ waiting: number }>(LOCK_WAITS);
  return rows[0]?.waiting ?? 0;
};

async function untilTrue(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    if (await isTrue()) return;
    await delay(5);
  }
  throw new Error('it never came to that');
}

/** Starts to add a rule and delays its insertion, deletes something that the rule names, and then lets both end. */
async function atOnce(
  addRule: () => Promise<TestResponse>,
  remove: () => Promise<TestResponse>,
): Promise<[TestResponse, TestResponse]> {
  const holder = await service.database.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('lock table policy_rules in share row exclusive mode');
    const adding = addRule();
    await untilTrue(async () => (await waitersOf()) === 1);
    let isRemoved = false;
    const removing = remove().finally(() => {
      isRemoved = true;
    });
    await untilTrue(async () => isRemoved || (await waitersOf()) === 2);
    await holder.query('commit');
    return await Promise.all([adding, removing]);
  } finally {
    holder.release();
  }
}

test('a zone is not deleted while a rule that names it is being made', async () => {
  const made = await org.admin.post('/api/v1/zones', {
    body: { type: 'IP', name: 'Office', status: 'INACTIVE', gateways: [{ type: 'CIDR', value: '1.2.3.0/24' }] },
  });
  expect(made.status, made.text).toBe(200);
  const zone = `/api/v1/zones/${made.body.id}`;
  await org.admin.post(`${zone}/lifecycle/deactivate`);
  const policy = await createPolicyPath(org);
  const conditions = { network: { connection: 'ZONE', include: [made.body.id] } };
  const body = newSignOnRule({ name: 'In the office', conditions });
  const [rule, removal] = await atOnce(
    () => org.admin.post(`${policy}/rules`, { body }),
    () => org.admin.del(zone),
  );
  expect(rule.status, rule.text).toBe(200);
  expect(removal).toMatchObject(invalidWith('In the office'));
  expect((await org.admin.get(zone)).status).toBe(200);
});

test('an identity provider is not deleted while a rule that names it is being made', async () => {
  const provider = await createProvider(org);
  const [routing] = (await org.admin.get(`${POLICIES}?type=IDP_DISCOVERY`)).body as { id: string }[];
  const actions = { idp: { providers: [{ id: provider.id }], idpSelectionType: 'SPECIFIC' } };
  const body = newRoutingRule({ name: 'There', actions });
  const path = `${PROVIDERS}/${provider.id}`;
  const [rule, removal] = await atOnce(
    () => org.admin.post(`${POLICIES}/${routing?.id ?? ''}/rules`, { body }),
    () => org.admin.del(path),
  );
  expect(rule.status, rule.text).toBe(200);
  expect(removal).toMatchObject(invalidWith('There'));
  expect((await org.admin.get(path)).status).toBe(200);
});
