import { requestBytes } from '../connection.ts';
import { type Arena, rateResult, takeTurns, withArena } from '../duel.ts';
import { authorizationOf } from '../gatehouse.ts';
import { type Caller, closedLoop, type Load } from '../load.ts';
import { ask, askPeer } from '../requests.ts';
import { protocolOf, type Row, type RowOptions } from '../row.ts';

const PASSWORD = 'Correct-1-Horse';
/** The number of routing rules. Only the last one matches the requested login. */
const ROUTING_RULES = 100;

interface Person {
  readonly login: string;
}

async function createPeople({ gatehouse }: Arena, count: number): Promise<Person[]> {
  const people: Person[] = [];
  for (let index = 0; index < count; index += 1) {
    const login = `person.${process.pid}.${index}@example.com`;
    const profile = { firstName: 'Ada', lastName: 'Lovelace', login, email: login };
    const body = { profile, credentials: { password: { value: PASSWORD } } };
    await ask(gatehouse.endpoint, 'POST', '/api/v1/users', authorizationOf(gatehouse.token), body);
    people.push({ login });
  }
  return people;
}

const loop = (arena: Arena, side: 'limit' | 'gatehouse', { sizes }: RowOptions, caller: (index: number) => Caller) => {
  const { connections, seconds, warmupSeconds } = sizes;
  const endpoint = side === 'limit' ? arena.peer.endpoint : arena.gatehouse.endpoint;
  return closedLoop(endpoint, { connections, seconds, warmupSeconds, caller });
};

const asLoad = (perSecond: number): Load => ({ perSecond, p50: Number.NaN, p99: Number.NaN });

/**
 * Measures `POST /api/v1/authn` with the correct password. The limit is the password hash with the same parameters on
 * the same core.
 */
export const passwordSignIn: Row = {
  name: 'password-sign-in',
  settings: protocolOf,
  run: (options) =>
    withArena(options, async (arena) => {
      const { endpoint } = arena.gatehouse;
      const people = await createPeople(arena, options.sizes.connections * 2);
      const requests = people.map(({ login }) =>
        requestBytes(endpoint, 'POST', '/api/v1/authn', {}, { username: login, password: PASSWORD }),
      );
      const caller = (index: number): Caller => {
        let next = index * 2;
        return {
          request: () => {
            next += 1;
            return requests[next % requests.length] ?? Buffer.alloc(0);
          },
        };
      };
      const rates = await takeTurns(options.sizes.rounds, {
        limit: async () => asLoad(await askPeer(arena.peer.endpoint, `/hashes?seconds=${options.sizes.seconds}`)),
        gatehouse: () => loop(arena, 'gatehouse', options, caller),
      });
      return [rateResult('sign-in with password', 'bare argon2id, same parameters and core', 0.9, rates)];
    }),
};

export async function openSessions(arena: Arena, count: number): Promise<string[]> {
  const { endpoint } = arena.gatehouse;
  const ids: string[] = [];
  for (const { login } of await createPeople(arena, count)) {
    const signedIn = await ask(endpoint, 'POST', '/api/v1/authn', {}, { username: login, password: PASSWORD });
    const { sessionToken } = signedIn as { sessionToken: string };
    const session = (await ask(endpoint, 'POST', '/api/v1/sessions', {}, { sessionToken })) as { id: string };
    ids.push(session.id);
  }
  return ids;
}

/**
 * Measures `POST /api/v1/sessions/me/lifecycle/refresh` with a session cookie, compared with one update by bare
 * Fastify.
 */
export const sessionRefresh: Row = {
  name: 'session-refresh',
  settings: protocolOf,
  run: (options) =>
    withArena(options, async (arena) => {
      const { gatehouse, peer } = arena;
      const ids = await openSessions(arena, options.sizes.connections * 4);
      const path = '/api/v1/sessions/me/lifecycle/refresh';
      const ours = ids.map((id) => requestBytes(gatehouse.endpoint, 'POST', path, { Cookie: `sid=${id}` }));
      const theirs = ids.map((_id, index) =>
        requestBytes(peer.endpoint, 'POST', `/update/${gatehouse.orgId}/session${index}`, {}, {}),
      );
      const cycling = (requests: readonly Buffer[], index: number): Caller => {
        let next = 0;
        const own = requests.filter((_, position) => position % options.sizes.connections === index);
        return {
          request: () => {
            next += 1;
            return own[next % own.length] ?? Buffer.alloc(0);
          },
        };
      };
      const rates = await takeTurns(options.sizes.rounds, {
        limit: () => loop(arena, 'limit', options, (index) => cycling(theirs, index)),
        gatehouse: () => loop(arena, 'gatehouse', options, (index) => cycling(ours, index)),
      });
      return [rateResult('session refresh, its event in the transaction', 'bare Fastify + 1 update', 0.6, rates)];
    }),
};

async function createRules({ gatehouse }: Arena): Promise<void> {
  const { endpoint, token } = gatehouse;
  const headers = authorizationOf(token);
  const policies = (await ask(endpoint, 'GET', '/api/v1/policies?type=IDP_DISCOVERY', headers)) as { id: string }[];
  const path = `/api/v1/policies/${policies[0]?.id ?? ''}/rules`;
  for (let index = 1; index <= ROUTING_RULES; index += 1) {
    await ask(endpoint, 'POST', path, headers, {
      type: 'IDP_DISCOVERY',
      name: `domain ${index}`,
      conditions: {
        userIdentifier: { type: 'IDENTIFIER', patterns: [{ matchType: 'SUFFIX', value: `domain${index}.example` }] },
      },
      actions: { idp: { providers: [{ type: 'SVC' }] } },
    });
  }
}

/** Measures webfinger when only the last of 100 routing rules matches, compared with a fixed text from bare Fastify. */
export const webfinger: Row = {
  name: 'webfinger',
  settings: protocolOf,
  run: (options) =>
    withArena(options, async (arena) => {
      const { gatehouse, peer } = arena;
      await createRules(arena);
      const path = (index: number) =>
        `/.well-known/webfinger?resource=svc:acct:user${index}%40domain${ROUTING_RULES}.example`;
      const hello = requestBytes(peer.endpoint, 'GET', '/hello');
      const rates = await takeTurns(options.sizes.rounds, {
        limit: () => loop(arena, 'limit', options, () => ({ request: () => hello })),
        gatehouse: () =>
          loop(arena, 'gatehouse', options, (index) => {
            const request = requestBytes(gatehouse.endpoint, 'GET', path(index));
            return { request: () => request };
          }),
      });
      return [rateResult(`webfinger with ${ROUTING_RULES} routing rules`, 'bare Fastify hello', 0.5, rates)];
    }),
};
