import { beforeAll, describe, expect, test } from 'vitest';
import { activated, changeRule, createRule, newRule, RULES, rulePath, rulesSettled } from '../support/group-rules.ts';
import { createGroup, groupPath } from '../support/groups.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf } from '../support/users.ts';

const { service, org } = useService({ isShared: false });
let groupId: string;

beforeAll(async () => {
  groupId = (await createGroup(org)).id;
});

const GONE = { status: 404, body: { errorCode: 'E0000007' } };
const INVALID = { status: 400, body: { errorCode: 'E0000001' } };
const FORBIDDEN = { status: 403, body: { errorCode: 'E0000006' } };
const causeOf = ({ body }: { body: { errorCauses: { errorSummary: string }[] } }) => body.errorCauses[0]?.errorSummary;

describe('replace', () => {
  test('changes name, expression and exclusions, and tells before and after', async () => {
    const rule = await createRule(org, [groupId]);
    service.clock.advance(2_000);
    const conditions = {
      people: { users: { exclude: [org.adminUserId] }, groups: { exclude: [(await createGroup(org)).id] } },
      expression: { value: 'user.city == "Paris"', type: 'urn:svc:expression:1.0' },
    };
    const body = { ...rule, name: 'Another name', conditions, status: 'ACTIVE', id: 'x' };
    const answer = await org.admin.put(rulePath(rule.id), { body });
    expect(answer).toMatchObject({
      status: 200,
      body: { id: rule.id, status: 'INACTIVE', name: 'Another name', conditions, created: rule.created },
    });
    expect(Date.parse(answer.body.lastUpdated)).toBeGreaterThan(Date.parse(rule.lastUpdated));
    expect(await eventsOf(org, answer)).toMatchObject([
      {
        eventType: 'group.user_membership.rule.update',
        target: [
          {
            changeDetails: {
              from: { name: rule.name, excludedUserIds: [] },
              to: { name: 'Another name', excludedUserIds: [org.adminUserId] },
            },
          },
        ],
      },
    ]);
    const again = await org.admin.put(rulePath(rule.id), { body });
    expect(again.body).toEqual(answer.body);
    expect(await eventsOf(org, again)).toEqual([]);
  });

  test('refuses other groups, a name that is taken, and what is no rule', async () => {
    const [rule, taken] = [await createRule(org, [groupId]), await createRule(org, [groupId])];
    const other = await createGroup(org);
    for (const body of [
      { ...rule, actions: { assignUserToGroups: { groupIds: [groupId, other.id] } } },
      { ...rule, name: taken.name },
      { ...rule, conditions: { expression: { value: 'user.x', type: 'urn:svc:expression:1.0' } } },
      { name: 'a' },
    ]) {
      expect(await org.admin.put(rulePath(rule.id), { body })).toMatchObject(INVALID);
    }
    expect((await org.admin.get(rulePath(rule.id))).body).toEqual(rule);
  });

  test('refuses a rule that is active', async () => {
    const rule = await createRule(org, [groupId], 'false');
    await activated(service, org, rule.id);
    const answer = await org.admin.put(rulePath(rule.id), { body: { ...rule, name: 'New' } });
    expect(answer).toMatchObject(INVALID);
    expect(causeOf(answer)).toContain('INACTIVE');
    await changeRule(org, rule.id, 'deactivate');
    expect(await org.admin.put(rulePath(rule.id), { body: { ...rule, name: 'New' } })).toMatchObject({ status: 200 });
  });
});

describe('status', () => {
  test('is changed once, and repeated without an event', async () => {
    const { id } = await createRule(org, [groupId], 'false');
    for (const [action, eventType, status] of [
      ['deactivate', null, 'INACTIVE'],
      ['activate', 'group.user_membership.rule.trigger', 'ACTIVE'],
      ['activate', null, 'ACTIVE'],
      ['deactivate', 'group.user_membership.rule.deactivated', 'INACTIVE'],
      ['deactivate', null, 'INACTIVE'],
    ] as const) {
      const answer = await org.admin.post(`${rulePath(id)}/lifecycle/${action}`);
      expect(answer).toMatchObject({ status: 204, text: '' });
      const events = await eventsOf(org, answer);
      expect(events.map((event) => event.eventType)).toEqual(eventType === null ? [] : [eventType]);
      expect((await org.admin.get(rulePath(id))).body.status).toBe(status);
    }
    await rulesSettled(service, org);
  });

  test('is INVALID when a group is deleted: then the rule is only read and deleted', async () => {
    const [kept, gone] = [await createGroup(org), await createGroup(org)];
    const active = await createRule(org, [kept.id, gone.id], 'false');
    const inactive = await createRule(org, [gone.id]);
    await activated(service, org, active.id);
    const deleted = await org.admin.del(groupPath(gone.id));
    expect(deleted.status).toBe(204);
    const invalidations = (await eventsOf(org, deleted)).filter(({ eventType }) =>
      eventType.endsWith('rule.invalidate'),
    );
    expect(invalidations.map(({ target }) => target[0].id).toSorted()).toEqual([active.id, inactive.id].toSorted());
    for (const { id } of [active, inactive]) {
      const { body } = await org.admin.get(`${rulePath(id)}?expand=groupIdToGroupNameMap`);
      expect(body).toMatchObject({ status: 'INVALID', allGroupsValid: false });
      expect(Object.keys(body._embedded.groupIdToGroupNameMap)).not.toContain(gone.id);
      for (const action of ['activate', 'deactivate']) {
        const answer = await org.admin.post(`${rulePath(id)}/lifecycle/${action}`);
        expect(answer).toMatchObject(INVALID);
        expect(causeOf(answer)).toContain('Cannot activate or deactivate a Group Rule with the status INVALID');
      }
      expect(await org.admin.put(rulePath(id), { body })).toMatchObject(INVALID);
      expect(await org.admin.del(rulePath(id))).toMatchObject({ status: 202 });
    }
  });

  test('a group that members are left out of may go', async () => {
    const left = await createGroup(org);
    const rule = await createRule(org, [groupId], 'true', {
      conditions: {
        people: { groups: { exclude: [left.id] } },
        expression: { value: 'false', type: 'urn:svc:expression:1.0' },
      },
    });
    await org.admin.del(groupPath(left.id));
    const { body } = await org.admin.get(rulePath(rule.id));
    expect(body).toMatchObject({ status: 'INACTIVE', allGroupsValid: true });
    expect(body.conditions.people.groups.exclude).toEqual([]);
  });
});

describe('delete', () => {
  test('answers 202, twice 404, and logs once', async () => {
    const { id } = await createRule(org, [groupId]);
    const answer = await org.admin.del(rulePath(id));
    expect(answer).toMatchObject({ status: 202, body: {} });
    expect(await org.admin.del(rulePath(id))).toMatchObject(GONE);
    expect(await org.admin.get(rulePath(id))).toMatchObject(GONE);
    expect(await eventsOf(org, answer)).toMatchObject([{ eventType: 'group.user_membership.rule.delete' }]);
    expect((await org.admin.del(`${rulePath(id)}?removeUsers=perhaps`)).status).toBe(400);
  });
});

describe('entity tags', () => {
  test('name a revision: of two who change what both have read, one is told so', async () => {
    const rule = await createRule(org, [groupId]);
    const path = rulePath(rule.id);
    const read = await org.admin.get(path);
    const etag = String(read.headers['etag']);
    expect(etag).toMatch(/^W\/"[0-9a-f]{64}"$/);
    const headers = { 'if-match': etag };
    const answers = await Promise.all(
      ['One', 'Two'].map((name) => org.admin.put(path, { body: { ...rule, name: `${name} ${rule.id}` }, headers })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412]);
    const stored = await org.admin.get(path);
    const done = answers.find(({ status }) => status === 200);
    expect(stored.body).toEqual(done?.body);
    expect(stored.headers['etag']).toBe(done?.headers['etag']);
    for (const [method, suffix] of [
      ['POST', '/lifecycle/activate'],
      ['DELETE', ''],
    ] as const) {
      expect(await org.admin.send(method, path + suffix, { headers })).toMatchObject({
        status: 412,
        body: { errorCode: 'E0000231' },
      });
      const odd = await org.admin.send(method, path + suffix, { headers: { 'if-match': 'odd' } });
      expect(odd).toMatchObject({ status: 400, body: { errorCode: 'E0000242' } });
    }
    const current = { 'if-match': String(stored.headers['etag']) };
    expect(await org.admin.del(path, { headers: current })).toMatchObject({ status: 202 });
  });
});

describe('who may', () => {
  test('reads with groups.read, changes with groups.manage, and only over all groups', async () => {
    const rule = await createRule(org, [groupId]);
    const reader = await org.withRoles('READ_ONLY_ADMIN');
    expect((await reader.get(rulePath(rule.id))).status).toBe(200);
    for (const client of [reader, await org.withRoles(), await org.withRoles('HELP_DESK_ADMIN')]) {
      expect(await client.post(RULES, { body: newRule([groupId]) })).toMatchObject(FORBIDDEN);
      expect(await client.del(rulePath(rule.id))).toMatchObject(FORBIDDEN);
    }
    const manager = await org.withRoles('USER_ADMIN');
    expect((await manager.post(RULES, { body: newRule([groupId]) })).status).toBe(200);
  });

  test('no rule gives a group that gives administrator roles, made so before or after', async () => {
    const powerful = await createGroup(org);
    const assigned = await org.admin.post(`${groupPath(powerful.id)}/roles`, { body: { type: 'HELP_DESK_ADMIN' } });
    expect(assigned.status).toBe(201);
    const answer = await org.admin.post(RULES, { body: newRule([powerful.id], 'true') });
    expect(answer).toMatchObject(INVALID);
    expect(causeOf(answer)).toContain('administrator roles');
    const plain = await createGroup(org);
    await createRule(org, [plain.id], 'true');
    const refused = await org.admin.post(`${groupPath(plain.id)}/roles`, { body: { type: 'HELP_DESK_ADMIN' } });
    expect(refused).toMatchObject({ status: 400 });
  });
});
