import { beforeAll, describe, expect, test } from 'vitest';
import {
  createPolicyPath,
  createRule,
  defaultPolicyPath,
  invalidWith,
  listRules,
  newSignOnRule,
  nextPage,
  SIGN_ON_TYPE,
} from '../support/policies.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });
let policy: string;

beforeAll(async () => {
  policy = await createPolicyPath(org);
});

describe('order', () => {
  const orderOf = async (of: TestOrg, place: string) =>
    (await listRules(of, place)).map(({ name, priority }) => `${priority} ${name}`).join(', ');

  test('moves the others, and the default rule stays the last', async () => {
    const own = await service.newOrg();
    const place = await defaultPolicyPath(own, SIGN_ON_TYPE);
    const made: Record<string, string> = {};
    for (const [name, priority] of [
      ['A', null],
      ['B', 1],
      ['C', 99],
    ] as const) {
      made[name] = (await createRule(own, place, newSignOnRule({ name, priority }))).id;
    }
    expect(await orderOf(own, place)).toBe('1 B, 2 A, 3 C, 4 Default Rule');
    const put = (name: string, priority: number) =>
      own.admin.put(`${place}/rules/${made[name]}`, { body: newSignOnRule({ name, priority }) });
    expect(await put('C', 1)).toMatchObject({ status: 200, body: { priority: 1 } });
    expect(await orderOf(own, place)).toBe('1 C, 2 B, 3 A, 4 Default Rule');
    expect(await put('C', 99)).toMatchObject({ status: 200, body: { priority: 3 } });
    expect(await orderOf(own, place)).toBe('1 B, 2 A, 3 C, 4 Default Rule');
    await own.admin.del(`${place}/rules/${made['B']}`);
    expect(await orderOf(own, place)).toBe('1 A, 2 C, 3 Default Rule');
  });

  test('without gaps also when many come and go at once', async () => {
    const own = await service.newOrg();
    const place = await createPolicyPath(own);
    const first = await Promise.all(
      Array.from({ length: 6 }, () => createRule(own, place, newSignOnRule({ priority: 1 }))),
    );
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => own.admin.post(`${place}/rules`, { body: newSignOnRule({ priority: 2 }) })),
      ...first.slice(0, 3).map(({ id }) => own.admin.del(`${place}/rules/${id}`)),
      ...first
        .slice(3)
        .map(({ id, name }) => own.admin.put(`${place}/rules/${id}`, { body: newSignOnRule({ name, priority: 1 }) })),
    ]);
    expect(answers.filter(({ status }) => status >= 300)).toEqual([]);
    expect((await listRules(own, place)).map(({ priority }) => priority)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test('the list is paged', async () => {
    const own = await service.newOrg();
    const place = await createPolicyPath(own);
    for (let made = 0; made < 3; made += 1) await createRule(own, place);
    const first = await own.admin.get(`${place}/rules?limit=2`);
    const second = await own.admin.get(nextPage(first) ?? '');
    expect([...first.body, ...second.body]).toEqual(await listRules(own, place));
  });
});

describe('replace', () => {
  test('changes all of it, and says what changed', async () => {
    const own = await service.newOrg();
    const place = await createPolicyPath(own);
    const rule = await createRule(own, place);
    service.clock.advance(5_000);
    const session = { maxSessionIdleMinutes: 30, maxSessionLifetimeMinutes: 60, usePersistentCookie: true };
    const body = newSignOnRule({ name: 'After', actions: { signon: { access: 'DENY', session } }, status: 'INACTIVE' });
    const replaced = await own.admin.put(`${place}/rules/${rule.id}`, { body });
    expect(replaced).toMatchObject({
      status: 200,
      body: { id: rule.id, name: 'After', status: 'INACTIVE', actions: { signon: { access: 'DENY', session } } },
    });
    expect(replaced.body.lastUpdated > rule.lastUpdated).toBe(true);
    const events = await own.systemLog('eventType sw "policy.rule"');
    expect(events.map(({ eventType }) => eventType)).toEqual([
      'policy.rule.add',
      'policy.rule.update',
      'policy.rule.deactivate',
    ]);
    expect(events[1]?.target).toMatchObject([
      { type: 'Policy' },
      {
        id: rule.id,
        type: 'Rule',
        changeDetails: {
          from: { name: rule.name, status: 'ACTIVE', actions: { signon: { access: 'ALLOW' } } },
          to: { name: 'After', status: 'INACTIVE', actions: { signon: { access: 'DENY' } } },
        },
      },
    ]);
  });

  test('by what was read changes nothing and logs nothing', async () => {
    const own = await service.newOrg();
    const place = await createPolicyPath(own);
    const rule = await createRule(own, place);
    service.clock.advance(5_000);
    const answer = await own.admin.put(`${place}/rules/${rule.id}`, { body: rule });
    expect(answer).toMatchObject({ status: 200, body: rule });
    expect(await own.systemLog('eventType sw "policy.rule"')).toHaveLength(1);
  });

  test('of the default rule of sign-on only session limits change', async () => {
    const own = await service.newOrg();
    const place = await defaultPolicyPath(own, SIGN_ON_TYPE);
    const [rule] = (await own.admin.get(`${place}/rules`)).body;
    const path = `${place}/rules/${rule.id}`;
    const session = { ...rule.actions.signon.session, maxSessionIdleMinutes: 30, maxSessionLifetimeMinutes: 480 };
    const limited = { ...rule, actions: { signon: { ...rule.actions.signon, session } } };
    expect(await own.admin.put(path, { body: limited })).toMatchObject({
      status: 200,
      body: { system: true, actions: { signon: { session } } },
    });
    for (const change of [
      { name: 'Other' },
      { priority: 5 },
      { status: 'INACTIVE' },
      { conditions: { people: { users: { exclude: [own.adminUserId] } } } },
      { actions: { signon: { ...rule.actions.signon, access: 'DENY' } } },
      { actions: { signon: { access: 'ALLOW', session: { ...session, usePersistentCookie: true } } } },
    ]) {
      expect(await own.admin.put(path, { body: { ...limited, ...change } })).toMatchObject(
        invalidWith('cannot be changed in the default rule'),
      );
    }
    expect((await own.admin.get(path)).body.actions.signon.session).toEqual(session);
  });

  test('of the default routing rule nothing changes', async () => {
    const own = await service.newOrg();
    const place = await defaultPolicyPath(own, 'IDP_DISCOVERY');
    const [rule] = (await own.admin.get(`${place}/rules`)).body;
    const path = `${place}/rules/${rule.id}`;
    expect(await own.admin.put(path, { body: rule })).toMatchObject({ status: 200, body: rule });
    const userIdentifier = { patterns: [{ matchType: 'EQUALS', value: 'x' }] };
    expect(await own.admin.put(path, { body: { ...rule, conditions: { userIdentifier } } })).toMatchObject(
      invalidWith('cannot be changed in the default rule'),
    );
  });
});

describe('lifecycle and delete', () => {
  test('answer 204 without a body; what is so already stays, without an event', async () => {
    const own = await service.newOrg();
    const place = await createPolicyPath(own);
    const { id } = await createRule(own, place);
    const path = `${place}/rules/${id}`;
    for (const [action, status] of [
      ['deactivate', 'INACTIVE'],
      ['deactivate', 'INACTIVE'],
      ['activate', 'ACTIVE'],
      ['activate', 'ACTIVE'],
    ]) {
      expect(await own.admin.post(`${path}/lifecycle/${action}`)).toMatchObject({ status: 204, text: '' });
      expect((await own.admin.get(path)).body).toMatchObject({ status });
    }
    expect(await own.admin.del(path)).toMatchObject({ status: 204, text: '' });
    expect(await own.admin.get(path)).toMatchObject({
      status: 404,
      body: { errorSummary: `Not found: Resource not found: ${id} (PolicyRule)` },
    });
    const events = await own.systemLog('eventType sw "policy.rule"');
    expect(events.map(({ eventType }) => eventType)).toEqual([
      'policy.rule.add',
      'policy.rule.deactivate',
      'policy.rule.activate',
      'policy.rule.delete',
    ]);
    for (const event of events) expect(event.target).toMatchObject([{ type: 'Policy' }, { id, type: 'Rule' }]);
  });

  test('default rules are neither deleted nor deactivated', async () => {
    for (const type of [SIGN_ON_TYPE, 'IDP_DISCOVERY']) {
      const place = await defaultPolicyPath(org, type);
      const { id } = (await listRules(org, place)).find(({ system }) => system) ?? { id: '' };
      expect(await org.admin.del(`${place}/rules/${id}`)).toMatchObject(invalidWith('cannot be deleted'));
      expect(await org.admin.post(`${place}/rules/${id}/lifecycle/deactivate`)).toMatchObject(
        invalidWith('cannot be deactivated'),
      );
      expect(await org.admin.post(`${place}/rules/${id}/lifecycle/activate`)).toMatchObject({ status: 204 });
    }
  });

  test("another policy's, another org's and an unknown rule answer alike", async () => {
    const other = await service.newOrg();
    const foreignPolicy = await createPolicyPath(other);
    const foreign = await createRule(other, foreignPolicy);
    const { id } = await createRule(org, await createPolicyPath(org));
    for (const path of [
      `${policy}/rules/${id}`,
      `${policy}/rules/0prUnknown`,
      `${foreignPolicy}/rules/${foreign.id}`,
    ]) {
      for (const [method, more] of [
        ['GET', ''],
        ['PUT', ''],
        ['DELETE', ''],
        ['POST', '/lifecycle/activate'],
        ['POST', '/lifecycle/deactivate'],
      ] as const) {
        const answer = await org.admin.send(
          method,
          `${path}${more}`,
          method === 'PUT' ? { body: newSignOnRule() } : {},
        );
        expect([path, method, answer.status, answer.body.errorCode]).toEqual([path, method, 404, 'E0000007']);
      }
    }
  });

  test('who only reads changes nothing', async () => {
    const reader = await org.withRoles('READ_ONLY_ADMIN');
    const { id } = await createRule(org, policy);
    expect(await reader.get(`${policy}/rules/${id}`)).toMatchObject({ status: 200 });
    for (const answer of [
      await reader.post(`${policy}/rules`, { body: newSignOnRule() }),
      await reader.put(`${policy}/rules/${id}`, { body: newSignOnRule() }),
      await reader.del(`${policy}/rules/${id}`),
      await reader.post(`${policy}/rules/${id}/lifecycle/deactivate`),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
    }
  });
});
