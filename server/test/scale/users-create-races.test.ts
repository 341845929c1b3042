import { describe, expect, test } from 'vitest';
import type { TestResponse } from '../support/client.ts';
import { newLogin } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { filterPath, newProfile, userPath } from '../support/users.ts';

const { service, org } = useService();

const url = '/api/v1/users';
const TAKEN = 'login: An object with this field already exists in the current organization';
const create = (profile: Record<string, unknown>, headers: Record<string, string> = {}, of = org) =>
  of.admin.post(url, { body: { profile }, headers });
const statusesOf = (responses: readonly TestResponse[]): number[] =>
  responses.map(({ status }) => status).toSorted((left, right) => left - right);

describe('one login, one user', () => {
  test.each([
    ['the same', 'zoe@example.com', 'zoe@example.com'],
    ['in capitals', 'ada.case@example.com', 'ADA.Case@EXAMPLE.com'],
    ['composed and decomposed', 'jos\u00e9@example.com', 'jose\u0301@example.com'],
    ['without its accent', 'ren\u00e9e@example.com', 'renee@example.com'],
    ['in full width', 'wide@example.com', '\uff57\uff49\uff44\uff45@example.com'],
    ['with a ligature', 'office@example.com', 'o\ufb03ce@example.com'],
    ['with a sharp s', 'strasse@example.com', 'stra\u00dfe@example.com'],
  ])('%s', async (_, login, twin) => {
    const own = await service.newOrg();
    const email = 'someone@example.com';
    expect(await create({ ...newProfile(), login, email }, {}, own)).toMatchObject({ status: 200 });
    expect(await create({ ...newProfile(), login: twin, email }, {}, own)).toMatchObject({
      status: 400,
      body: {
        errorCode: 'E0000001',
        errorSummary: 'Api validation failed: login',
        errorCauses: [{ errorSummary: TAKEN }],
      },
    });
    const { body } = await own.admin.get(userPath(twin));
    expect(body.profile.login).toBe(login);
  });

  test('another org has its own', async () => {
    const profile = newProfile();
    const other = await service.newOrg();
    expect(statusesOf([await create(profile), await create(profile, {}, other)])).toEqual([200, 200]);
  });

  test('e-mail addresses may be shared', async () => {
    const email = 'team@example.com';
    const answers = [await create(newProfile({ email })), await create(newProfile({ email }))];
    expect(statusesOf(answers)).toEqual([200, 200]);
  });

  test.each([2, 50])('%d at once: one is made, and its event', async (racers) => {
    const own = await service.newOrg();
    const profile = newProfile();
    const answers = await Promise.all(Array.from({ length: racers }, () => create(profile, {}, own)));
    expect(statusesOf(answers)).toEqual([200, ...Array.from({ length: racers - 1 }, () => 400)]);
    for (const { body, status } of answers) if (status === 400) expect(body.errorCauses[0].errorSummary).toBe(TAKEN);
    const found = await own.admin.get(filterPath(`profile.login eq "${String(profile['login'])}"`));
    expect(found.body).toHaveLength(1);
    const events = await own.systemLog(`target.id eq "${found.body[0].id}" and eventType eq "user.lifecycle.create"`);
    expect(events).toHaveLength(1);
  });

  test('50 different ones at once are all made', async () => {
    const own = await service.newOrg();
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(newProfile(), {}, own)));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(50);
  });
});

describe('Idempotency-Key', () => {
  const keyed = (key: string) => ({ 'idempotency-key': key });

  test('the same request again answers the user that the first one made', async () => {
    const profile = newProfile();
    const [first, second] = [await create(profile, keyed('a-1')), await create(profile, keyed('a-1'))];
    expect(statusesOf([first, second])).toEqual([200, 200]);
    expect(second.body).toEqual(first.body);
    expect(
      await org.systemLog(`target.id eq "${first.body.id}" and eventType eq "user.lifecycle.create"`),
    ).toHaveLength(1);
  });

  test('another body is a conflict and makes nobody', async () => {
    await create(newProfile(), keyed('a-2'));
    const login = newLogin();
    expect(await create(newProfile({ login }), keyed('a-2'))).toMatchObject({
      status: 409,
      body: { errorCode: 'E0000195' },
    });
    expect(await org.admin.get(userPath(login))).toMatchObject({ status: 404 });
  });

  test('another query of the request is a conflict too', async () => {
    const profile = newProfile();
    const headers = keyed('a-3');
    await org.admin.post(`${url}?activate=true`, { body: { profile }, headers });
    expect(await org.admin.post(`${url}?activate=false`, { body: { profile }, headers })).toMatchObject({
      status: 409,
    });
  });

  test('20 at once make one', async () => {
    const profile = newProfile();
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(profile, keyed('a-4'))));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });

  test('a key belongs to its org', async () => {
    const other = await service.newOrg();
    const first = await create(newProfile(), keyed('a-5'));
    const second = await create(newProfile(), keyed('a-5'), other);
    expect(second).toMatchObject({ status: 200 });
    expect(second.body.id).not.toBe(first.body.id);
  });

  test('a refused request leaves its key free', async () => {
    const profile = newProfile();
    expect(await create({ ...profile, email: 'nobody' }, keyed('a-6'))).toMatchObject({ status: 400 });
    expect(await create(profile, keyed('a-6'))).toMatchObject({ status: 200 });
  });
});
