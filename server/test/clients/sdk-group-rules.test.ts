import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { membersOf, newRule, rulesSettled } from '../support/group-rules.ts';
import { createGroup } from '../support/groups.ts';
import { useService } from '../support/use-service.ts';
import { startAdministratorsSdk } from './node-sdk.ts';

const { service } = useService({ namespace: 'okta' });
const sdk = beforeTests(() => startAdministratorsSdk(service));

describe('the SDK', () => {
  test('makes a rule, activates it, changes it and ends it with its members', async () => {
    const { org } = service;
    const group = await createGroup(org, { name: 'By rule' });
    const groupRule: Record<string, unknown> = {
      ...newRule([group.id], 'user.department=="Engineering"'),
      conditions: {
        people: { users: { exclude: [] }, groups: { exclude: [] } },
        expression: { value: 'user.department=="Engineering"', type: 'urn:okta:expression:1.0' },
      },
    };
    const created = await sdk.call('groupApi.createGroupRule', { groupRule });
    expect(created).toMatchObject({ status: 'INACTIVE', name: groupRule['name'], type: 'group_rule' });
    const argument = { ruleId: created.id };
    expect(await sdk.models('groupApi.getGroupRule', argument)).toMatchObject([
      { item: 'GroupRule', members: { actions: 'GroupRuleAction', conditions: 'GroupRuleConditions' } },
    ]);
    const renamed = { ...argument, groupRule: { ...groupRule, name: 'Renamed by the SDK' } };
    expect(await sdk.call('groupApi.replaceGroupRule', renamed)).toMatchObject({ name: 'Renamed by the SDK' });
    const user = await org.createUser({ profile: { department: 'Engineering' } });
    await sdk.call('groupApi.activateGroupRule', argument);
    await rulesSettled(service, org);
    expect(await membersOf(org, group.id)).toEqual([user.id]);
    expect(await sdk.refusal('groupApi.replaceGroupRule', renamed)).toMatchObject({ status: 400 });
    const found = await sdk.collect('groupApi.listGroupRules', { search: 'renamed', expand: 'groupIdToGroupNameMap' });
    expect(found).toMatchObject([{ id: created.id, status: 'ACTIVE' }]);
    await sdk.call('groupApi.deactivateGroupRule', argument);
    await sdk.call('groupApi.deleteGroupRule', { ...argument, removeUsers: true });
    await rulesSettled(service, org);
    expect(await membersOf(org, group.id)).toEqual([]);
    expect(await sdk.refusal('groupApi.getGroupRule', argument)).toMatchObject({ status: 404, errorCode: 'E0000007' });
  });

  test('is told what is wrong with an expression', async () => {
    const group = await createGroup(service.org);
    const groupRule: Record<string, unknown> = {
      ...newRule([group.id]),
      conditions: { expression: { value: 'user.nothing == 1', type: 'urn:okta:expression:1.0' } },
    };
    expect(await sdk.refusal('groupApi.createGroupRule', { groupRule })).toMatchObject({
      status: 400,
      errorCode: 'E0000001',
    });
  });
});
