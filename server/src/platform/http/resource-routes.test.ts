import { Type } from '@sinclair/typebox';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { Context } from '../../kernel/context.ts';
import { flag, paging, text } from './request/query-fields.ts';
import { resourceRoutes } from './resource-routes.ts';
import type { AnyRoute, HandlerInput } from './route.ts';

interface Lamp {
  readonly id: string;
  readonly revision: number;
}

const Lamps = Type.Array(Type.Object({ id: Type.String() }));
const LampBody = Type.Object({ watts: Type.Integer() });
const lampOfRoom = {
  tag: 'Lamp',
  name: 'Lamp',
  one: 'a lamp',
  all: 'all lamps of a room',
  scope: 'lamps',
  url: '/api/v1/rooms/:roomId/lamps/:lampId',
  of: Type.Object({ roomId: Type.String() }),
  params: Type.Object({ roomId: Type.String(), lampId: Type.String() }),
  schema: Lamps.items,
  wire: ({ id }: Lamp, { baseUrl }: Context, { params }: { params: { roomId: string } }) => ({
    id,
    at: `${baseUrl}/${params.roomId}`,
  }),
};
const lamps = resourceRoutes({
  ...lampOfRoom,
  version: ({ id, revision }: Lamp) => ({ kind: 'lamp', id, revision }),
});

const lamp: Lamp = { id: 'l1', revision: 7 };
const shown = { id: 'l1', at: 'https://acme.test/r1' };
const version = { kind: 'lamp', ...lamp };

const input: HandlerInput<unknown, unknown, unknown> = {
  context: { baseUrl: 'https://acme.test' } as Context,
  grant: { kind: 'all' },
  params: { roomId: 'r1', lampId: 'l1' },
  query: { limit: 20 },
  body: { watts: 5 },
  headers: {},
  rawQuery: [],
};
const answerOf = (route: AnyRoute | undefined) => route?.handler(input as HandlerInput<never, never, never>);

describe('the declaration of an operation', () => {
  const list = lamps.list({ query: paging({ default: 20, maximum: 200 }), schema: Lamps, use: async () => [lamp] });
  const create = lamps.create({ body: LampBody, status: 201, use: async () => lamp });
  const get = lamps.get({ use: async () => lamp });
  const replace = lamps.replace({ body: LampBody, errors: ['E0000006'], use: async () => lamp });
  const update = lamps.update({ body: LampBody, use: async () => lamp });
  const remove = lamps.delete({ query: { quietly: flag('Without a mail.', false) }, use: async () => undefined });
  const lifecycle = lamps.lifecycle({ use: async () => lamp });

  test.each<[AnyRoute, string, string, string]>([
    [list, 'listLamps', 'List all lamps of a room', 'GET /api/v1/rooms/:roomId/lamps'],
    [create, 'createLamp', 'Create a lamp', 'POST /api/v1/rooms/:roomId/lamps'],
    [get, 'getLamp', 'Retrieve a lamp', 'GET /api/v1/rooms/:roomId/lamps/:lampId'],
    [replace, 'replaceLamp', 'Replace a lamp', 'PUT /api/v1/rooms/:roomId/lamps/:lampId'],
    [update, 'updateLamp', 'Update a lamp', 'POST /api/v1/rooms/:roomId/lamps/:lampId'],
    [remove, 'deleteLamp', 'Delete a lamp', 'DELETE /api/v1/rooms/:roomId/lamps/:lampId'],
  ])('%# has an id, a summary and an address', (route, operationId, summary, address) => {
    expect([route.operationId, route.summary, `${route.method} ${route.url}`]).toEqual([operationId, summary, address]);
  });

  test('of the lifecycle stands for two routes', () => {
    expect(lifecycle.map(({ method, operationId, summary, url }) => [method, operationId, summary, url])).toEqual([
      ['POST', 'activateLamp', 'Activate a lamp', `${lampOfRoom.url}/lifecycle/activate`],
      ['POST', 'deactivateLamp', 'Deactivate a lamp', `${lampOfRoom.url}/lifecycle/deactivate`],
    ]);
  });

  test('requires what its verb requires', () => {
    const reading = { access: 'authenticated', scopes: ['lamps.read'], permission: 'lamps.read' };
    const managing = { access: 'authenticated', scopes: ['lamps.manage'], permission: 'lamps.manage' };
    for (const route of [list, get]) expect(route).toMatchObject(reading);
    for (const route of [create, replace, update, remove, ...lifecycle]) expect(route).toMatchObject(managing);
    const ofRooms = resourceRoutes({ ...lampOfRoom, permission: 'rooms', appliesGrant: true });
    expect(ofRooms.get({ use: async () => lamp })).toMatchObject({
      scopes: ['lamps.read'],
      permission: 'rooms.read',
      appliesGrant: true,
    });
    expect(get.appliesGrant).toBeUndefined();
  });

  test('is conditional where it changes one resource, and idempotent where it makes one', () => {
    const conditional = [replace, update, remove, ...lifecycle];
    expect(conditional.every((route) => route.conditional === true)).toBe(true);
    expect([list, create, get].some((route) => route.conditional === true)).toBe(false);
    expect(create.idempotent).toBe(true);
    expect(lamps.delete({ conditional: false, use: async () => undefined }).errors).toEqual(['E0000007']);
  });

  test('has the errors that follow from its parts, and its own', () => {
    expect(list.errors).toEqual(['E0000001', 'E0000007', 'E0000037']);
    expect(create.errors).toEqual(['E0000001', 'E0000007', 'E0000195']);
    expect(get.errors).toEqual(['E0000007']);
    expect(replace.errors).toEqual(['E0000001', 'E0000007', 'E0000006', 'E0000231', 'E0000242']);
    expect(remove.errors).toEqual(['E0000007', 'E0000037', 'E0000231', 'E0000242']);
    const filtered = lamps.list({ query: { filter: text('Filter.') }, schema: Lamps, use: async () => [lamp] });
    expect(filtered.errors).toEqual(['E0000001', 'E0000007', 'E0000031', 'E0000053']);
  });

  test('at an address without parameters lacks them and their error', () => {
    const { of: _of, params: _params, ...rest } = lampOfRoom;
    const others = resourceRoutes({ ...rest, url: '/api/v1/lamps/default', wire: ({ id }: Lamp) => ({ id }) });
    const all = others.list({ schema: Lamps, use: async () => [lamp] });
    expect(all).toMatchObject({ url: '/api/v1/lamps', errors: [] });
    expect(all.params).toBeUndefined();
    expect(others.get({ use: async () => lamp })).toMatchObject({ url: '/api/v1/lamps/default', errors: [] });
  });
});

describe('the answer', () => {
  test('of one resource has its entity tag and the declared status', async () => {
    expect(await answerOf(lamps.get({ use: async () => lamp }))).toEqual({ status: 200, body: shown, version });
    const create = lamps.create({ status: 201, use: async () => lamp });
    expect(create.response.status).toBe(201);
    expect(await answerOf(create)).toEqual({ status: 201, body: shown, version });
  });

  test('has neither tag nor headers unless the resource has them', async () => {
    const untagged = resourceRoutes(lampOfRoom);
    expect(await answerOf(untagged.get({ use: async () => lamp }))).toEqual({ status: 200, body: shown });
    const linked = resourceRoutes({ ...lampOfRoom, headers: ({ id }) => ({ Link: `<${id}>` }) });
    expect(await answerOf(linked.get({ use: async () => lamp }))).toMatchObject({ headers: { Link: '<l1>' } });
  });

  test('of a list is a page, all rows, or an object around them', async () => {
    const links = [{ rel: 'self' as const, query: [] }];
    const paged = lamps.list({ schema: Lamps, use: async () => ({ rows: [lamp], links }) });
    expect(await answerOf(paged)).toEqual({ status: 200, body: [shown], links });
    const whole = lamps.list({ schema: Lamps, use: async () => [lamp] });
    expect(await answerOf(whole)).toEqual({ status: 200, body: [shown] });
    const wrapped = lamps.list({
      schema: Lamps,
      use: async () => ({ rows: [lamp], links, room: 'r1' }),
      envelope: (items, { room }, { baseUrl }) => ({ items, room: `${baseUrl}/rooms/${room}` }),
    });
    const body = { items: [shown], room: 'https://acme.test/rooms/r1' };
    expect(await answerOf(wrapped)).toEqual({ status: 200, body });
  });

  test('of a deletion is empty', async () => {
    const remove = lamps.delete({ use: async () => lamp });
    expect(remove.response).toEqual({ status: 204, schema: null });
    expect(await answerOf(remove)).toEqual({ status: 204, body: null });
  });

  test('of an action is the resource or nothing', async () => {
    const asked: string[] = [];
    const use = async (_input: unknown, action: string) => {
      asked.push(action);
      return lamp;
    };
    const [activate, deactivate] = lamps.lifecycle({ use });
    expect(await answerOf(activate)).toEqual({ status: 200, body: shown, version });
    const [, silent] = lamps.lifecycle({ answers: 'nothing', use });
    expect(silent?.response).toEqual({ status: 204, schema: null });
    expect(await answerOf(silent)).toEqual({ status: 204, body: null });
    await answerOf(deactivate);
    expect(asked).toEqual(['activate', 'deactivate', 'deactivate']);
  });
});

test('the use case is given what its operation declares, and nothing else', async () => {
  const replace = lamps.replace({
    body: LampBody,
    query: { room: text('The room.') },
    use: async ({ params, body, query }) => {
      expectTypeOf(params).toEqualTypeOf<{ roomId: string; lampId: string }>();
      expectTypeOf(query).toEqualTypeOf<{ readonly room: string | undefined }>();
      return { id: `${params.roomId} ${params.lampId}`, revision: body.watts };
    },
  });
  expect(await answerOf(replace)).toMatchObject({ body: { id: 'r1 l1' }, version: { revision: 5 } });
});
