import { setTimeout as delay } from 'node:timers/promises';
import type { TestResponse } from './client.ts';
import { GROUPS } from './groups.ts';
import type { TestOrg, TestService } from './service.ts';

export const RULES = `${GROUPS}/rules`;
export const rulePath = (id: string): string => `${RULES}/${id}`;

let count = 0;

export function newRule(
  groupIds: readonly string[],
  value = 'user.department == "Engineering"',
  given: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  count += 1;
  return {
    type: 'group_rule',
    name: `Rule ${count}`,
    conditions: { people: { users: {} }, expression: { value, type: 'urn:svc:expression:1.0' } },
    actions: { assignUserToGroups: { groupIds } },
    ...given,
  };
}

export async function createRule(org: TestOrg, ...given: Parameters<typeof newRule>): Promise<TestResponse['body']> {
  const response = await org.admin.post(RULES, { body: newRule(...given) });
  if (response.status !== 200) throw new Error(`the rule was not created: ${response.text}`);
  return response.body;
}

export async function changeRule(org: TestOrg, id: string, action: 'activate' | 'deactivate'): Promise<void> {
  const { status, text } = await org.admin.post(`${rulePath(id)}/lifecycle/${action}`);
  if (status !== 204) throw new Error(`${action}: ${text}`);
}

/** Waits until no evaluation of rules is planned or running, and no job for rules is left. */
export async function rulesSettled(service: TestService, org: TestOrg): Promise<void> {
  for (let tries = 0; tries < 8_000; tries += 1) {
    service.application.jobs.wake();
    const { rows } = await service.database.pool.query<{ busy: boolean }>(
      `select exists (select 1 from group_rule_states where org_id = $1 and completed < requested)
         or exists (select 1 from jobs where org_id = $1 and kind like 'groupRules.%') as busy`,
      [org.id],
    );
    if (rows[0]?.busy === false) return;
    await delay(5);
  }
  throw new Error('the group rules did not settle');
}

export async function activated(service: TestService, org: TestOrg, id: string): Promise<void> {
  await changeRule(org, id, 'activate');
  await rulesSettled(service, org);
}

export async function activeRule(
  service: TestService,
  org: TestOrg,
  ...given: Parameters<typeof newRule>
): Promise<TestResponse['body']> {
  const rule = await createRule(org, ...given);
  await activated(service, org, rule.id);
  return rule;
}

export async function membersOf(org: TestOrg, groupId: string): Promise<string[]> {
  const { body } = await org.admin.get(`${GROUPS}/${groupId}/users?limit=1000`);
  return (body as { id: string }[]).map(({ id }) => id).toSorted();
}
