import { describe, expect, test } from 'vitest';
import { createHook, HOOKS, newHook, SECRET } from '../support/hook-receiver.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });

const URI = 'https://hooks.example/in';
const secretive = { type: 'HEADER', key: 'Authorization', value: SECRET };
const channelOf = (config: Readonly<Record<string, unknown>>) => ({
  channel: { type: 'HTTP', version: '1.0.0', config: { uri: URI, ...config } },
});
const pathOf = ({ id }: { id: string }): string => `${HOOKS}/${id}`;
const events = (of: TestOrg) => of.systemLog('eventType sw "event_hook"');

describe('create', () => {
  test('answers the object as recorded, without the secret, and logs it without the secret', async () => {
    const own = await service.newOrg();
    const headers = [{ key: 'x-api-key', value: 'a-key-of-theirs' }];
    const hook = await createHook(
      own,
      newHook(URI, channelOf({ headers, authScheme: secretive, uri: `${URI}?k=hidden` })),
    );
    const address = `${own.baseUrl}${HOOKS}/${hook.id}`;
    expect(hook).toEqual({
      id: expect.stringMatching(/^who[0-9A-Za-z]{17}$/),
      status: 'ACTIVE',
      verificationStatus: 'UNVERIFIED',
      name: 'made by a test',
      description: null,
      created: expect.stringMatching(/\.000Z$/),
      createdBy: own.adminUserId,
      lastUpdated: hook.created,
      events: { type: 'EVENT_TYPE', items: ['user.lifecycle.create'], filter: null },
      channel: {
        type: 'HTTP',
        version: '1.0.0',
        config: {
          uri: `${URI}?k=hidden`,
          headers,
          method: 'POST',
          authScheme: { type: 'HEADER', key: 'Authorization' },
        },
      },
      _links: {
        self: { href: address },
        verify: { href: `${address}/lifecycle/verify`, hints: { allow: ['POST'] } },
        deactivate: { href: `${address}/lifecycle/deactivate`, hints: { allow: ['POST'] } },
      },
    });
    expect((await own.admin.get(pathOf(hook))).body).toEqual(hook);
    expect((await own.admin.get(HOOKS)).body).toEqual([hook]);
    const [created] = await events(own);
    expect(created).toMatchObject({
      eventType: 'event_hook.created',
      target: [
        {
          id: hook.id,
          type: 'EventHook',
          displayName: 'made by a test',
          changeDetails: {
            from: {},
            to: {
              name: 'made by a test',
              events: ['user.lifecycle.create'],
              uri: `${URI}?...`,
              headers: ['x-api-key'],
              authValue: expect.stringMatching(/^\(set [\da-f]{8}\)$/),
            },
          },
        },
      ],
    });
    for (const hidden of [SECRET, 'a-key-of-theirs', 'k=hidden']) expect(JSON.stringify(created)).not.toContain(hidden);
  });

  test('the secret is sealed for its place', async () => {
    const { id } = await createHook(org, newHook(URI));
    const { rows } = await service.application.pool.query(
      'select event_hooks::text as row from event_hooks where org_id = $1 and id = $2',
      [org.id, id],
    );
    expect(rows).toHaveLength(1);
    for (const form of [SECRET, Buffer.from(SECRET).toString('hex')]) expect(rows[0].row).not.toContain(form);
    expect(service.logged()).not.toContain(SECRET);
  });

  test('two hooks may have one name; a repeated key makes one hook', async () => {
    const own = await service.newOrg();
    const body = newHook(URI);
    const headers = { 'idempotency-key': 'one' };
    const [first, second] = [
      await own.admin.post(HOOKS, { body, headers }),
      await own.admin.post(HOOKS, { body, headers }),
    ];
    expect(second.body).toEqual(first.body);
    await createHook(own, body);
    expect((await own.admin.get(HOOKS)).body).toHaveLength(2);
  });

  const filtered = (eventFilterMap: unknown) => ({
    events: { type: 'EVENT_TYPE', items: ['user.lifecycle.create'], filter: { eventFilterMap } },
  });
  test.each<[string, Record<string, unknown>]>([
    ['name', { name: ' ' }],
    ['name', { name: 'a'.repeat(256) }],
    ['description', { description: 'a'.repeat(1_025) }],
    ['events.type', { events: { type: 'FLOW', items: ['user.lifecycle.create'] } }],
    ['events.items', { events: { type: 'EVENT_TYPE', items: [] } }],
    ['events.items[0]', { events: { type: 'EVENT_TYPE', items: ['*'] } }],
    ['events.items[0]', { events: { type: 'EVENT_TYPE', items: ['event_hook.delivery'] } }],
    [
      'events.filter.eventFilterMap[0].event',
      filtered([{ event: 'user.session.start', condition: { expression: 'actor.id pr' } }]),
    ],
    [
      'events.filter.eventFilterMap[0].condition.expression',
      filtered([
        { event: 'user.lifecycle.create', condition: { expression: "event.target.?[type eq 'User'].size()>0" } },
      ]),
    ],
    ['channel.type', { channel: { type: 'PIGEON', version: '1.0.0', config: { uri: URI } } }],
    ['channel.version', { channel: { type: 'HTTP', version: '9', config: { uri: URI } } }],
    ['channel.config.uri', channelOf({ uri: 'http://hooks.example/' })],
    ['channel.config.uri', channelOf({ uri: `https://hooks.example/${'a'.repeat(1_004)}` })],
    ['channel.config.method', channelOf({ method: 'DELETE' })],
    ['channel.config.headers[0].key', channelOf({ headers: [{ key: 'Host', value: 'evil.example' }] })],
    ['channel.config.headers[0].value', channelOf({ headers: [{ key: 'x', value: 'a\r\nHost: evil.example' }] })],
    ['channel.config.authScheme.value', channelOf({ authScheme: { type: 'HEADER', key: 'Authorization' } })],
  ])('is refused by the field %s: %j', async (field, given) => {
    const before = (await org.admin.get(HOOKS)).body.length;
    const refused = await org.admin.post(HOOKS, { body: newHook(URI, given) });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(refused.body.errorCauses[0].errorSummary.split(': ')[0]).toBe(field);
    expect((await org.admin.get(HOOKS)).body).toHaveLength(before);
  });

  test.each([
    { name: 5 },
    { events: null },
    { channel: { type: 'HTTP' } },
    { events: { type: 'EVENT_TYPE', items: [5] } },
  ])('is refused for its shape: %j', async (given) => {
    expect(await org.admin.post(HOOKS, { body: newHook(URI, given) })).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000001' },
    });
  });

  test('300 types fit in, as far as there are as many', async () => {
    const items = ['user.lifecycle.create', 'user.session.start', 'system.api_token.create'];
    const hook = await createHook(org, newHook(URI, { events: { type: 'EVENT_TYPE', items } }));
    expect(hook.events.items).toEqual(items);
    const many = Array.from({ length: 301 }, () => 'user.lifecycle.create');
    const refused = await org.admin.post(HOOKS, {
      body: newHook(URI, { events: { type: 'EVENT_TYPE', items: many } }),
    });
    expect(refused.body.errorCauses).toEqual([{ errorSummary: 'events.items: must have at most 300 event types.' }]);
  });

  test('25 fit into an org, however many are made at once', async () => {
    const own = await service.newOrg();
    const made = await Promise.all(Array.from({ length: 30 }, () => own.admin.post(HOOKS, { body: newHook(URI) })));
    expect(made.filter(({ status }) => status === 200)).toHaveLength(25);
    for (const { body } of made.filter(({ status }) => status !== 200)) {
      expect(body.errorCauses).toEqual([{ errorSummary: 'name: An org may have at most 25 event hooks.' }]);
    }
    expect((await own.admin.get(HOOKS)).body).toHaveLength(25);
  });
});

describe('the life of a hook', () => {
  test('is inactive, active, inactive again, gone; what is done twice is done once', async () => {
    const own = await service.newOrg();
    const hook = await createHook(own, newHook(URI));
    const path = pathOf(hook);
    const refused = await own.admin.del(path);
    expect(refused).toMatchObject({ status: 403, body: { errorCode: 'E0000038' } });
    for (const [action, status] of [
      ['deactivate', 'INACTIVE'],
      ['deactivate', 'INACTIVE'],
      ['activate', 'ACTIVE'],
      ['activate', 'ACTIVE'],
      ['deactivate', 'INACTIVE'],
    ]) {
      expect(await own.admin.post(`${path}/lifecycle/${action}`)).toMatchObject({ status: 200, body: { status } });
    }
    expect((await own.admin.get(path)).body._links).toEqual({
      self: { href: `${own.baseUrl}${path}` },
      activate: { href: `${own.baseUrl}${path}/lifecycle/activate`, hints: { allow: ['POST'] } },
      delete: { href: `${own.baseUrl}${path}`, hints: { allow: ['DELETE'] } },
    });
    expect(await own.admin.post(`${path}/lifecycle/verify`)).toMatchObject({ status: 400 });
    const gone = await Promise.all([own.admin.del(path), own.admin.del(path)]);
    expect(gone.map(({ status }) => status).toSorted()).toEqual([204, 404]);
    expect((await events(own)).map(({ eventType }) => eventType)).toEqual([
      'event_hook.created',
      'event_hook.deactivated',
      'event_hook.activated',
      'event_hook.deactivated',
      'event_hook.deleted',
    ]);
  });

  test('is nobody else’s: other orgs 404, other roles 403', async () => {
    const other = await service.newOrg();
    const hook = await createHook(other, newHook(URI));
    const path = pathOf(hook);
    const reader = await other.withRoles('READ_ONLY_ADMIN');
    const helper = await other.withRoles('HELP_DESK_ADMIN');
    for (const [method, address, body] of [
      ['GET', path, undefined],
      ['PUT', path, newHook(URI)],
      ['DELETE', path, undefined],
      ['POST', `${path}/lifecycle/activate`, undefined],
      ['POST', `${path}/lifecycle/deactivate`, undefined],
      ['POST', `${path}/lifecycle/verify`, undefined],
      ['GET', `${path}/deliveries`, undefined],
      ['POST', `${path}/lifecycle/replay`, { position: 1 }],
    ] as const) {
      const given = body === undefined ? {} : { body };
      expect(await org.admin.send(method, address, given)).toMatchObject({ status: 404 });
      expect(await helper.send(method, address, given)).toMatchObject({ status: 403 });
      expect((await reader.send(method, address, given)).status).toBe(method === 'GET' ? 200 : 403);
    }
    expect((await other.admin.get(path)).body).toEqual(hook);
    expect((await org.admin.get(HOOKS)).body.map(({ id }: { id: string }) => id)).not.toContain(hook.id);
  });
});
