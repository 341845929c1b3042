import { requestBytes } from '../connection.ts';
import { type Arena, duelRow, loopsOf, oneAfterTheOther } from '../duel.ts';
import { authorizationOf } from '../gatehouse.ts';
import { ask, askPeer } from '../requests.ts';
import { protocolOf } from '../row.ts';
import { cycling, transacting } from './callers.ts';

const PASSWORD = 'Correct-1-Horse';
/** The number of rules, of which only the last one matches the requested login. */
const ROUTING_RULES = 100;

export const HEADERS_LIMIT = 'bare Fastify with the same headers and asynchronous hooks';

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

/**
 * This row measures `POST /api/v1/authn` with the right password. The limit is the bare hash with the same parameters
 * and core, followed by two bare transactions.
 */
export const passwordSignIn = duelRow({
  name: 'password-sign-in',
  settings: protocolOf,
  prepare: async (arena, options) => {
    const { endpoint } = arena.gatehouse;
    const { connections, seconds } = options.sizes;
    const people = await createPeople(arena, connections * 2);
    const requests = people.map(({ login }) =>
      requestBytes(endpoint, 'POST', '/api/v1/authn', {}, { username: login, password: PASSWORD }),
    );
    const loops = loopsOf(arena, options);
    const transaction = loops.peer(() => transacting(arena, 'transaction'));
    const hash = () => askPeer(arena.peer.endpoint, `/hashes?seconds=${seconds}`);
    return {
      contests: [
        {
          work: 'sign-in with password',
          gatehouse: loops.gatehouse((index) => cycling(requests, index * 2)),
          besides: [
            {
              name: 'bare argon2id, same parameters and core, and two bare transactions',
              bound: 0.9,
              measure: async () => {
                const bare = await transaction();
                return oneAfterTheOther([await hash(), bare, bare]);
              },
            },
            { name: 'bare argon2id, same parameters and core', bound: null, measure: hash },
          ],
        },
      ],
    };
  },
});

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
 * This row measures `POST /api/v1/sessions/me/lifecycle/refresh` with a session cookie. The limit is one bare update,
 * with and without a second row.
 */
export const sessionRefresh = duelRow({
  name: 'session-refresh',
  settings: protocolOf,
  prepare: async (arena, options) => {
    const { gatehouse, peer } = arena;
    const { connections } = options.sizes;
    const ids = await openSessions(arena, connections * 4);
    const path = '/api/v1/sessions/me/lifecycle/refresh';
    const ours = ids.map((id) => requestBytes(gatehouse.endpoint, 'POST', path, { Cookie: `sid=${id}` }));
    const theirs = (kind: string) =>
      ids.map((_id, index) =>
        requestBytes(peer.endpoint, 'POST', `/${kind}/${gatehouse.orgId}/session${index}`, {}, {}),
      );
    // A session is refreshed by one connection only, so that no request waits for the lock of another.
    const ownOf = (requests: readonly Buffer[], index: number): readonly Buffer[] =>
      requests.filter((_, position) => position % connections === index);
    const loops = loopsOf(arena, options);
    const [logged, bare] = [theirs('logged-row'), theirs('update')];
    return {
      contests: [
        {
          work: 'session refresh, its event in the transaction',
          gatehouse: loops.gatehouse((index) => cycling(ownOf(ours, index))),
          besides: [
            {
              name: 'bare Fastify + 1 update and 0.5 kB row',
              bound: 0.6,
              measure: loops.peer((index) => cycling(ownOf(logged, index))),
            },
            {
              name: 'bare Fastify + 1 update',
              bound: null,
              measure: loops.peer((index) => cycling(ownOf(bare, index))),
            },
          ],
        },
      ],
    };
  },
});

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

/**
 * This row measures webfinger with many routing rules, of which only the last matches. The limit is a fixed response.
 */
export const webfinger = duelRow({
  name: 'webfinger',
  settings: protocolOf,
  prepare: async (arena, options) => {
    const { gatehouse, peer } = arena;
    await createRules(arena);
    const path = (index: number) =>
      `/.well-known/webfinger?resource=svc:acct:user${index}%40domain${ROUTING_RULES}.example`;
    const loops = loopsOf(arena, options);
    const answers = (name: string) => loops.peer(() => cycling([requestBytes(peer.endpoint, 'GET', name)]));
    return {
      contests: [
        {
          work: `webfinger with ${ROUTING_RULES} routing rules`,
          gatehouse: loops.gatehouse((index) => cycling([requestBytes(gatehouse.endpoint, 'GET', path(index))])),
          besides: [
            { name: HEADERS_LIMIT, bound: 0.5, measure: answers('/answer') },
            { name: 'bare Fastify hello', bound: null, measure: answers('/hello') },
          ],
        },
      ],
    };
  },
});
