import { newRule, RULES, rulesSettled } from '../support/group-rules.ts';
import { GROUPS, newGroupName } from '../support/groups.ts';
import { newProfile } from '../support/service.ts';
import type { Body, Use } from './asking.ts';

export async function useGroupRuleRoutes({ ask, org, service }: Use): Promise<void> {
  const group = async (): Promise<Body> => ask('POST', GROUPS, { profile: { name: newGroupName() } });
  const [target, asked, left] = [await group(), await group(), await group()];
  const user = await ask('POST', '/api/v1/users', { profile: newProfile({ department: 'Swept' }) });
  const rule = newRule([target.id], `user.department == "Swept" && !isMemberOfGroup("${asked.id}")`);
  const path = `${RULES}/${(await ask('POST', RULES, rule)).id}`;
  await ask('GET', `${RULES}?expand=groupIdToGroupNameMap&search=rule`);
  await ask('GET', `${path}?expand=groupIdToGroupNameMap`);
  const people = { users: { exclude: [org.adminUserId] }, groups: { exclude: [left.id] } };
  await ask('PUT', path, { ...rule, name: 'Swept rule', conditions: { ...Object(rule['conditions']), people } });
  await ask('POST', `${path}/lifecycle/activate`);
  await rulesSettled(service, org);
  await ask('GET', `${path}/evaluation`);
  await ask('PUT', `${GROUPS}/${asked.id}/users/${user.id}`);
  await ask('DELETE', `${GROUPS}/${asked.id}/users/${user.id}`);
  await ask('PUT', `${GROUPS}/${asked.id}`, { profile: { name: newGroupName() } });
  await ask('DELETE', `${GROUPS}/${target.id}/users/${user.id}`);
  await ask('POST', `${path}/lifecycle/deactivate`);
  await ask('POST', `${path}/lifecycle/activate`);
  for (const { id } of [left, target]) await ask('DELETE', `${GROUPS}/${id}`);
  await ask('DELETE', `${path}?removeUsers=true`);
  const kept = await ask('POST', RULES, newRule([asked.id], 'user.department == "Swept"'));
  await ask('POST', `${RULES}/${kept.id}/lifecycle/activate`);
  await rulesSettled(service, org);
  await ask('DELETE', `${RULES}/${kept.id}`);
  await rulesSettled(service, org);
  await ask('DELETE', `${GROUPS}/${asked.id}`);
}
