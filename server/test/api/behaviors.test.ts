import { describe, expect, test } from 'vitest';
import type { TestResponse } from '../support/client.ts';
import { invalidWith, nextPage } from '../support/policies.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

type Given = Readonly<Record<string, unknown>>;

const { service, org } = useService();

const BEHAVIORS = '/api/v1/behaviors';
const DATE = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.0$/;
let names = 0;
const newBehavior = (given: Given = {}): Given => {
  names += 1;
  return { name: `Behavior ${names}`, type: 'ANOMALOUS_DEVICE', ...given };
};
const create = (body: Given = newBehavior(), of: TestOrg = org): Promise<TestResponse> =>
  of.admin.post(BEHAVIORS, { body });

describe('CRUD', () => {
  test('as recorded: made, read, replaced, deactivated, activated, deleted, and each is logged', async () => {
    const own = await service.newOrg();
    const settings = {
      minEventsNeededForEvaluation: 0,
      maxEventsUsedForEvaluation: 50,
      granularity: 'LAT_LONG',
      radiusKilometers: 20,
    };
    const made = await create({ name: 'Far away', type: 'ANOMALOUS_LOCATION', status: 'ACTIVE', settings }, own);
    const path = `${BEHAVIORS}/${made.body.id}`;
    const address = own.baseUrl + path;
    expect(made).toMatchObject({
      status: 200,
      body: {
        id: expect.stringMatching(/^bhv[0-9A-Za-z]{17}$/),
        name: 'Far away',
        status: 'ACTIVE',
        type: 'ANOMALOUS_LOCATION',
        created: expect.stringMatching(DATE),
        lastUpdated: made.body.created,
        _links: {
          self: { href: address, hints: { allow: ['GET', 'PUT', 'DELETE'] } },
          deactivate: { href: `${address}/lifecycle/deactivate`, hints: { allow: ['POST'] } },
        },
      },
    });
    expect(made.body.settings).toEqual(settings);
    expect((await own.admin.get(path)).body).toEqual(made.body);
    expect(await own.admin.put(path, { body: made.body })).toMatchObject({ status: 200, body: made.body });
    const nearer = { ...made.body, name: 'Near', settings: { ...settings, radiusKilometers: 5 } };
    expect(await own.admin.put(path, { body: nearer })).toMatchObject({ status: 200, body: { name: 'Near' } });
    const off = await own.admin.post(`${path}/lifecycle/deactivate`);
    expect(off).toMatchObject({ status: 200, body: { status: 'INACTIVE', _links: { activate: {} } } });
    expect(await own.admin.post(`${path}/lifecycle/deactivate`)).toMatchObject({ status: 200 });
    expect(await own.admin.post(`${path}/lifecycle/activate`)).toMatchObject({
      status: 200,
      body: { status: 'ACTIVE' },
    });
    expect(await own.admin.del(path)).toMatchObject({ status: 204 });
    expect(await own.admin.get(path)).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
    const events = await own.systemLog('eventType sw "security.behavior"');
    expect(events.map(({ eventType, target }) => [eventType.split('.').at(-1), target[0].changeDetails.to])).toEqual([
      ['create', { name: 'Far away', status: 'ACTIVE', settings }],
      ['update', { name: 'Near', settings: { ...settings, radiusKilometers: 5 } }],
      ['update', { status: 'INACTIVE' }],
      ['update', { status: 'ACTIVE' }],
      ['delete', {}],
    ]);
  });

  test('a body switches a behavior on and off', async () => {
    const own = await service.newOrg();
    const made = await create({ name: 'Far away', type: 'ANOMALOUS_IP' }, own);
    const path = `${BEHAVIORS}/${made.body.id}`;
    for (const status of ['INACTIVE', 'ACTIVE']) {
      const answer = await own.admin.put(path, { body: { ...made.body, status } });
      expect(answer).toMatchObject({ status: 200, body: { status } });
      expect((await own.admin.get(path)).body.status).toBe(status);
    }
  });

  test.each([
    ['ANOMALOUS_DEVICE', undefined, { minEventsNeededForEvaluation: 0, maxEventsUsedForEvaluation: 20 }],
    ['ANOMALOUS_IP', {}, { minEventsNeededForEvaluation: 0, maxEventsUsedForEvaluation: 50 }],
    ['ANOMALOUS_ASN', null, { minEventsNeededForEvaluation: 0, maxEventsUsedForEvaluation: 20 }],
    ['VELOCITY', {}, { velocityKph: 805 }],
    [
      'ANOMALOUS_LOCATION',
      { granularity: 'CITY', minEventsNeededForEvaluation: 3 },
      { granularity: 'CITY', minEventsNeededForEvaluation: 3, maxEventsUsedForEvaluation: 20 },
    ],
  ])('%s with %j', async (type, settings, expected) => {
    const made = await create(newBehavior({ type, settings, status: 'INACTIVE' }));
    expect(made).toMatchObject({ status: 200, body: { type, status: 'ACTIVE', _links: { deactivate: {} } } });
    expect(made.body.settings).toEqual(expected);
  });

  test('lists have pages', async () => {
    const own = await service.newOrg();
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.push((await create(newBehavior(), own)).body.id);
    const first = await own.admin.get(`${BEHAVIORS}?limit=2`);
    const second = await own.admin.get(nextPage(first) ?? '');
    expect([...first.body, ...second.body].map(({ id }: { id: string }) => id)).toEqual(ids.toSorted());
    expect(await own.admin.get(`${BEHAVIORS}?after=abc`)).toMatchObject({ status: 400 });
  });

  test('a repeated Idempotency-Key makes one', async () => {
    const options = { body: newBehavior(), headers: { 'idempotency-key': 'create-behavior-1' } };
    const [first, second] = [await org.admin.post(BEHAVIORS, options), await org.admin.post(BEHAVIORS, options)];
    expect(second).toMatchObject({ status: 200, body: { id: first.body.id } });
  });
});

describe('is refused', () => {
  test.each([
    [{ name: ' ' }, 'name: '],
    [{ name: 'x'.repeat(129) }, 'name: '],
    [{ type: 'ANOMALOUS_MOOD' }, 'type: must be one of'],
    [{ settings: { maxEventsUsedForEvaluation: 101 } }, 'settings.maxEventsUsedForEvaluation: '],
    [{ settings: { minEventsNeededForEvaluation: 1.5 } }, 'settings.minEventsNeededForEvaluation: '],
    [{ settings: { velocityKph: 5 } }, 'settings.velocityKph: does not belong to the type ANOMALOUS_DEVICE'],
    [{ type: 'VELOCITY', settings: { velocityKph: 0 } }, 'settings.velocityKph: '],
    [{ type: 'ANOMALOUS_LOCATION' }, 'settings.granularity: must be one of'],
    [{ type: 'ANOMALOUS_LOCATION', settings: { granularity: 'LAT_LONG' } }, 'settings.radiusKilometers: '],
    [
      { type: 'ANOMALOUS_LOCATION', settings: { granularity: 'CITY', radiusKilometers: 5 } },
      'settings.radiusKilometers: does not belong',
    ],
  ])('%j', async (given, text) => {
    expect(await create(newBehavior(given))).toMatchObject(invalidWith(text));
  });

  test('with one cause per fault', async () => {
    const settings = {
      granularity: 'PLANET',
      maxEventsUsedForEvaluation: 0,
      minEventsNeededForEvaluation: 'x',
      toString: 1,
    };
    const refused = await create(newBehavior({ type: 'ANOMALOUS_LOCATION', settings }));
    expect(refused.body.errorCauses).toHaveLength(4);
  });

  test('a name that the org has, another type, and past a hundred', async () => {
    const own = await service.newOrg();
    const { body } = await create(newBehavior({ name: 'One' }), own);
    expect(await create(newBehavior({ name: 'One' }), own)).toMatchObject(invalidWith('already exists'));
    expect(await create(newBehavior({ name: 'One' }), await service.newOrg())).toMatchObject({ status: 200 });
    const other = await own.admin.put(`${BEHAVIORS}/${body.id}`, { body: { name: 'One', type: 'VELOCITY' } });
    expect(other).toMatchObject(invalidWith('cannot be changed'));
    for (let count = 1; count < 100; count += 1) await create(newBehavior(), own);
    expect(await create(newBehavior(), own)).toMatchObject(invalidWith('at most 100'));
  });

  test('to those who may not, and of another org', async () => {
    const { id } = (await create()).body;
    const other = await service.newOrg();
    const body = newBehavior();
    for (const [method, path, given] of [
      ['GET', `/${id}`, {}],
      ['PUT', `/${id}`, { body }],
      ['DELETE', `/${id}`, {}],
      ['POST', `/${id}/lifecycle/deactivate`, {}],
    ] as const) {
      expect(await other.admin.send(method, BEHAVIORS + path, given)).toMatchObject({ status: 404 });
    }
    const reader = await org.withRoles('READ_ONLY_ADMIN');
    expect(await reader.get(BEHAVIORS)).toMatchObject({ status: 200 });
    expect(await reader.post(BEHAVIORS, { body })).toMatchObject({ status: 403 });
    expect(await (await org.withRoles()).get(BEHAVIORS)).toMatchObject({ status: 403 });
  });

  test('at once: one name, one behavior; all others are told', async () => {
    const own = await service.newOrg();
    const body = newBehavior({ name: 'Raced' });
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(body, own)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(7).fill(400)]);
  });
});
