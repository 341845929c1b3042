import { beforeAll, describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import {
  createPolicy,
  invalidWith,
  listPolicies,
  newPolicy,
  nextPage,
  POLICIES,
  SIGN_ON_TYPE,
} from '../support/policies.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

const orderOf = async (of: TestOrg) => (await listPolicies(of)).map(({ name, priority }) => [priority, name]);

describe('order', () => {
  test('who comes in at a place moves the others, and the default stays the last', async () => {
    const own = await service.newOrg();
    await createPolicy(own, { name: 'A' });
    await createPolicy(own, { name: 'B', priority: 99 });
    expect(await createPolicy(own, { name: 'C', priority: 1 })).toMatchObject({ priority: 1 });
    expect(await createPolicy(own, { name: 'D', priority: 2 })).toMatchObject({ priority: 2 });
    expect(await orderOf(own)).toEqual([
      [1, 'C'],
      [2, 'D'],
      [3, 'A'],
      [4, 'B'],
      [5, 'Default Policy'],
    ]);
  });

  test('replace moves up, down and to the end; delete closes the gap', async () => {
    const own = await service.newOrg();
    const made: Record<string, string> = {};
    for (const name of ['A', 'B', 'C', 'D']) made[name] = (await createPolicy(own, { name })).id;
    const move = async (name: string, priority: number) => {
      const body = { type: SIGN_ON_TYPE, name, priority };
      const answer = await own.admin.put(`${POLICIES}/${made[name]}`, { body });
      expect(answer.status).toBe(200);
      return (await orderOf(own)).map(([, one]) => one).join(' ');
    };
    expect(await move('D', 1)).toBe('D A B C Default Policy');
    expect(await move('D', 3)).toBe('A B D C Default Policy');
    expect(await move('A', 50)).toBe('B D C A Default Policy');
    expect(await move('A', 4)).toBe('B D C A Default Policy');
    expect(await own.admin.del(`${POLICIES}/${made['D']}`)).toMatchObject({ status: 204 });
    expect(await orderOf(own)).toEqual([
      [1, 'B'],
      [2, 'C'],
      [3, 'A'],
      [4, 'Default Policy'],
    ]);
  });

  test('without gaps also when many come, move and go at once', async () => {
    const own = await service.newOrg();
    const first = await Promise.all(Array.from({ length: 8 }, (_, n) => createPolicy(own, { priority: 1 + (n % 3) })));
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => own.admin.post(POLICIES, { body: newPolicy({ priority: 2 }) })),
      ...first.slice(0, 3).map(({ id }) => own.admin.del(`${POLICIES}/${id}`)),
      ...first
        .slice(3)
        .map(({ id, name }, n) =>
          own.admin.put(`${POLICIES}/${id}`, { body: { type: SIGN_ON_TYPE, name, priority: n + 1 } }),
        ),
    ]);
    expect(answers.filter(({ status }) => status >= 300)).toEqual([]);
    const policies = await listPolicies(own);
    expect(policies.map(({ priority }) => priority)).toEqual(Array.from({ length: 10 }, (_, n) => n + 1));
    expect(policies.at(-1)).toMatchObject({ system: true });
  });
});

describe('lifecycle and delete', () => {
  test('answer 204 without a body; what is so already stays, without an event', async () => {
    const own = await service.newOrg();
    const { id } = await createPolicy(own);
    for (const [action, status] of [
      ['deactivate', 'INACTIVE'],
      ['deactivate', 'INACTIVE'],
      ['activate', 'ACTIVE'],
      ['activate', 'ACTIVE'],
    ]) {
      expect(await own.admin.post(`${POLICIES}/${id}/lifecycle/${action}`)).toMatchObject({ status: 204, text: '' });
      expect((await own.admin.get(`${POLICIES}/${id}`)).body).toMatchObject({ status });
    }
    expect(await own.admin.del(`${POLICIES}/${id}`)).toMatchObject({ status: 204, text: '' });
    const events = await own.systemLog('eventType sw "policy."');
    expect(events.map(({ eventType }) => eventType)).toEqual([
      'policy.lifecycle.create',
      'policy.lifecycle.deactivate',
      'policy.lifecycle.activate',
      'policy.lifecycle.delete',
    ]);
    for (const event of events) expect(event.target).toMatchObject([{ id, type: 'Policy' }]);
  });

  test('what is deleted is gone, and its rules with it', async () => {
    const { id } = await createPolicy(org);
    const rule = { type: 'SIGN_ON', name: 'R', actions: { signon: { access: 'DENY' } } };
    const { body } = await org.admin.post(`${POLICIES}/${id}/rules`, { body: rule });
    expect(await org.admin.del(`${POLICIES}/${id}`)).toMatchObject({ status: 204 });
    for (const path of ['', '/rules', `/rules/${body.id}`]) {
      expect(await org.admin.get(`${POLICIES}/${id}${path}`)).toMatchObject({
        status: 404,
        body: { errorCode: 'E0000007', errorSummary: `Not found: Resource not found: ${id} (Policy)` },
      });
    }
    expect(await org.admin.del(`${POLICIES}/${id}`)).toMatchObject({ status: 404 });
  });

  test("another org's answers as an unknown one", async () => {
    const { id } = await createPolicy(await service.newOrg());
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/lifecycle/activate'],
      ['POST', '/lifecycle/deactivate'],
      ['GET', '/rules'],
      ['POST', '/rules'],
    ] as const) {
      const body = { type: SIGN_ON_TYPE, name: 'x' };
      const answer = await org.admin.send(
        method,
        `${POLICIES}/${id}${path}`,
        method === 'PUT' || path === '/rules' ? { body } : {},
      );
      expect([method, path, answer.status, answer.body.errorCode]).toEqual([method, path, 404, 'E0000007']);
    }
  });

  test('who only reads changes nothing, and who has no role sees nothing', async () => {
    const reader = await org.withRoles('READ_ONLY_ADMIN');
    const nobody = await org.withRoles();
    const { id } = await createPolicy(org);
    expect(await reader.get(`${POLICIES}/${id}`)).toMatchObject({ status: 200 });
    expect(await reader.get(`${POLICIES}?type=${SIGN_ON_TYPE}`)).toMatchObject({ status: 200 });
    for (const answer of [
      await reader.del(`${POLICIES}/${id}`),
      await reader.post(POLICIES, { body: newPolicy() }),
      await reader.post(`${POLICIES}/${id}/lifecycle/deactivate`),
      await nobody.get(`${POLICIES}/${id}`),
      await nobody.get(`${POLICIES}?type=${SIGN_ON_TYPE}`),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
    }
    expect(await org.anonymous.get(`${POLICIES}/${id}`)).toMatchObject({ status: 401 });
  });
});

describe('list', () => {
  const own = beforeTests(() => service.newOrg());
  beforeAll(async () => {
    for (const [name, status] of [
      ['Zoe', 'ACTIVE'],
      ['Ada', 'INACTIVE'],
      ['Adam', 'ACTIVE'],
    ]) {
      await createPolicy(own, { name, status });
    }
  });
  const namesOf = async (query: string) => (await listPolicies(own, query)).map(({ name }) => name);

  test('comes in the order in which policies are asked, or by name', async () => {
    expect(await namesOf(`type=${SIGN_ON_TYPE}`)).toEqual(['Zoe', 'Ada', 'Adam', 'Default Policy']);
    expect(await namesOf(`type=${SIGN_ON_TYPE}&sortBy=name`)).toEqual(['Ada', 'Adam', 'Default Policy', 'Zoe']);
  });

  test('is narrowed by status and by the beginning of the name; empty parameters mean nothing', async () => {
    expect(await namesOf(`type=${SIGN_ON_TYPE}&status=INACTIVE`)).toEqual(['Ada']);
    expect(await namesOf(`type=${SIGN_ON_TYPE}&q=Ada`)).toEqual(['Ada', 'Adam']);
    expect(await namesOf(`type=${SIGN_ON_TYPE}&q=da`)).toEqual([]);
    expect(await namesOf(`type=${SIGN_ON_TYPE}&status=&q=&sortBy=&expand=&resourceId=`)).toHaveLength(4);
  });

  test.each(['', '&sortBy=name'])('is paged%s', async (sort) => {
    const whole = await namesOf(`type=${SIGN_ON_TYPE}${sort}`);
    const first = await own.admin.get(`${POLICIES}?type=${SIGN_ON_TYPE}${sort}&limit=2`);
    const second = await own.admin.get(nextPage(first) ?? '');
    expect([...first.body, ...second.body].map(({ name }) => name)).toEqual(whole);
    expect(nextPage(second)).toBeNull();
  });

  test.each([
    ['', 'type: '],
    ['type=', 'There is no policy type'],
    ['type=SIGN_ON', 'There is no policy type'],
    ['type=OTHER', 'There is no policy type OTHER'],
    [`type=${SIGN_ON_TYPE}&status=GONE`, 'status: '],
    [`type=${SIGN_ON_TYPE}&sortBy=priority`, 'sortBy: '],
    [`type=${SIGN_ON_TYPE}&limit=0`, 'limit'],
    [`type=${SIGN_ON_TYPE}&after=abc`, ''],
  ])('refuses ?%s', async (query, text) => {
    expect(await own.admin.get(`${POLICIES}?${query}`)).toMatchObject(invalidWith(text));
  });
});
