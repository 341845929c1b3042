import { describe, expect, test } from 'vitest';
import { createServer, missing, refusedWith, SERVERS } from '../support/authorization-servers.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

interface Server {
  readonly id: string;
  readonly name: string;
}

const listOf = (id: string): string => `${SERVERS}/${id}/associatedServers`;
const trust = (id: string, trusted: unknown) => org.admin.post(listOf(id), { body: { trusted } });
const idsAt = async (path: string): Promise<string[]> =>
  (await org.admin.get(path)).body.map(({ id }: Server) => id).toSorted();

const newServers = async (...names: readonly string[]): Promise<Server[]> => {
  const servers: Server[] = [];
  for (const name of names) servers.push(await createServer(org, { name, audiences: [`api://${name}`] }));
  return servers;
};

const eventsOf = (id: string, what: 'add' | 'delete') =>
  org.systemLog(`eventType eq "app.oauth2.trusted_server.${what}" and target.id eq "${id}"`);

describe('a server', () => {
  test('is told to trust others, which are listed then', async () => {
    const [one, two, three] = await newServers('shop', 'stock', 'mail');
    const { body, status } = await trust(one?.id ?? '', [two?.id, three?.id]);
    expect({ status, ids: body.map(({ id }: Server) => id) }).toEqual({ status: 200, ids: [two?.id, three?.id] });
    expect(body[0]).toEqual((await org.admin.get(`${SERVERS}/${two?.id}`)).body);
    const list = listOf(one?.id ?? '');
    expect(await idsAt(list)).toEqual([two?.id, three?.id].toSorted());
    expect(await idsAt(`${list}?q=STOCK`)).toEqual([two?.id]);
    const others = await idsAt(`${list}?trusted=false`);
    expect(others).not.toContain(one?.id);
    expect(others).not.toContain(two?.id);
    // Trust is not mutual.
    expect(await idsAt(listOf(two?.id ?? ''))).toEqual([]);
    expect(await idsAt(`${listOf(two?.id ?? '')}?trusted=false&q=shop`)).toEqual([one?.id]);
    const [event] = await eventsOf(three?.id ?? '', 'add');
    expect(event).toMatchObject({
      outcome: { result: 'SUCCESS' },
      target: [
        { id: one?.id, type: 'AuthorizationServer', displayName: 'shop' },
        { id: three?.id, type: 'AuthorizationServer', displayName: 'mail' },
      ],
    });
  });

  test('is told again without a change, by the name of the default one too', async () => {
    const [one] = await newServers('again');
    const { body: standard } = await org.admin.get(`${SERVERS}/default`);
    expect((await trust(one?.id ?? '', ['default', standard.id])).body).toHaveLength(1);
    expect((await trust(one?.id ?? '', [standard.id])).status).toBe(200);
    expect(await eventsOf(one?.id ?? '', 'add')).toHaveLength(1);
    expect((await org.admin.del(`${listOf(one?.id ?? '')}/default`)).status).toBe(204);
    expect((await trust('default', [one?.id])).status).toBe(200);
  });

  test('trusts another one no longer', async () => {
    const [one, two] = await newServers('former', 'friend');
    await trust(one?.id ?? '', [two?.id]);
    const path = `${listOf(one?.id ?? '')}/${two?.id}`;
    const answers = await Promise.all([1, 2].map(() => org.admin.del(path)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404]);
    expect(await idsAt(listOf(one?.id ?? ''))).toEqual([]);
    expect(await eventsOf(two?.id ?? '', 'delete')).toHaveLength(1);
  });

  test('trusts none that is deleted, and takes its trust along', async () => {
    const [one, two, three] = await newServers('left', 'middle', 'right');
    await trust(one?.id ?? '', [two?.id]);
    await trust(two?.id ?? '', [three?.id]);
    expect((await org.admin.del(`${SERVERS}/${two?.id}`)).status).toBe(204);
    expect(await idsAt(listOf(one?.id ?? ''))).toEqual([]);
    const { rows } = await service.database.pool.query('select from authorization_server_trusts where server_id = $1', [
      two?.id,
    ]);
    expect(rows).toEqual([]);
  });

  test('and another one come to trust each other at once', async () => {
    const [one, two] = await newServers('east', 'west');
    const answers = await Promise.all([trust(one?.id ?? '', [two?.id]), trust(two?.id ?? '', [one?.id])]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('refused is', () => {
  test.each<[string, unknown]>([
    ['trusted: must name the authorization servers', undefined],
    ['trusted: must name the authorization servers', []],
    ['trusted: There is no authorization server aus0000000000000000', ['aus0000000000000000']],
    ['trusted: must have at most 100 entries', Array.from({ length: 101 }, (_, index) => `aus${index}`)],
  ])('%s', async (cause, trusted) => {
    expect(await trust('default', trusted)).toMatchObject(refusedWith(cause));
  });

  test('the server itself, and one of another org; nothing of the same request stays', async () => {
    const elsewhere = await service.newOrg();
    const foreign = await createServer(elsewhere);
    const [one, two] = await newServers('self', 'sound');
    for (const wrong of [one?.id, foreign.id]) {
      expect((await trust(one?.id ?? '', [two?.id, wrong])).status).toBe(400);
    }
    expect(await idsAt(listOf(one?.id ?? ''))).toEqual([]);
    const foreignList = await org.admin.get(listOf(foreign.id));
    expect(foreignList).toMatchObject(missing(foreign.id, 'AuthorizationServer'));
    expect((await elsewhere.admin.post(listOf(one?.id ?? ''), { body: { trusted: [foreign.id] } })).status).toBe(404);
  });

  test('a server that is not trusted, to be trusted no longer', async () => {
    const [one, two] = await newServers('nobody', 'somebody');
    for (const id of [two?.id, 'none']) {
      expect((await org.admin.del(`${listOf(one?.id ?? '')}/${id}`)).status).toBe(404);
    }
    expect((await org.admin.get(listOf('none'))).status).toBe(404);
  });
});
