import { requestBytes } from '../connection.ts';
import { type Arena, duelRow, loopsOf } from '../duel.ts';
import { authorizationOf, newUserBody, type SeededUser, seedUsers, tagIn } from '../gatehouse.ts';
import type { Caller } from '../load.ts';
import { protocolOf, type RowOptions } from '../row.ts';
import { fillOrg } from '../search-data.ts';
import { cycling, transacting } from './callers.ts';

const SELECT_LIMIT = 'bare Fastify + 1 point select';
const TRANSACTION_LIMIT = 'bare Fastify + begin, select, insert, commit';
const LOGGED_LIMIT = 'bare Fastify + begin, select, insert, 0.5 kB row, commit';
const LOGGED_UPDATE_LIMIT = 'bare Fastify + begin, select, update, 0.5 kB row, commit';

const settingsOf = (options: RowOptions): string =>
  `${protocolOf(options)}, ${options.sizes.searchUsers.toLocaleString('en')} users in the org`;

/** Returns users from all over the org, so that not only cached rows are read. */
async function someUsers({ orgId, pool }: Arena['gatehouse'], count: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    'select id from users where org_id = $1 order by md5(id) limit $2',
    [orgId, count],
  );
  return rows.map(({ id }) => id);
}

/** This row measures `GET /api/v1/users/{id}` with an API token. The limit is one point select of the same user. */
export const usersRead = duelRow({
  name: 'users-read',
  settings: settingsOf,
  prepare: async (arena, options) => {
    const { gatehouse, peer } = arena;
    await fillOrg(gatehouse, options.sizes.searchUsers);
    const users = await someUsers(gatehouse, options.sizes.usersRead);
    const apart = Math.ceil(users.length / options.sizes.connections);
    const headers = authorizationOf(gatehouse.token);
    const ours = users.map((id) => requestBytes(gatehouse.endpoint, 'GET', `/api/v1/users/${id}`, headers));
    const theirs = users.map((id) => requestBytes(peer.endpoint, 'GET', `/select/${gatehouse.orgId}/${id}`));
    const loops = loopsOf(arena, options);
    const limit = loops.peer((index) => cycling(theirs, index * apart));
    return {
      contests: [
        {
          work: 'GET /api/v1/users/{id} with an API token',
          gatehouse: loops.gatehouse((index) => cycling(ours, index * apart)),
          besides: [{ name: SELECT_LIMIT, bound: 0.75, measure: limit }],
        },
      ],
    };
  },
});

export const creating = ({ gatehouse }: Arena, activate: boolean): Caller => {
  const headers = authorizationOf(gatehouse.token);
  const path = `/api/v1/users?activate=${activate}`;
  return { request: () => requestBytes(gatehouse.endpoint, 'POST', path, headers, newUserBody()) };
};

/**
 * This row measures `POST /api/v1/users` without a password. The limits are transactions that insert one or two rows.
 */
export const usersCreate = duelRow({
  name: 'users-create',
  settings: settingsOf,
  prepare: async (arena, options) => {
    await fillOrg(arena.gatehouse, options.sizes.searchUsers);
    await seedUsers(arena.gatehouse, options.sizes.users);
    const loops = loopsOf(arena, options);
    const bare = loops.peer(() => transacting(arena, 'transaction'));
    const logged = loops.peer(() => transacting(arena, 'logged-transaction'));
    return {
      contests: [
        {
          work: 'create user without password, one event',
          note: 'STAGED',
          gatehouse: loops.gatehouse(() => creating(arena, false)),
          besides: [
            { name: LOGGED_LIMIT, bound: 0.5, measure: logged },
            { name: TRANSACTION_LIMIT, bound: null, measure: bare },
          ],
        },
        {
          work: 'create user without password, two events, activation token and mail',
          note: 'PROVISIONED',
          gatehouse: loops.gatehouse(() => creating(arena, true)),
          besides: [{ name: LOGGED_LIMIT, bound: null, measure: logged }],
        },
      ],
    };
  },
});

/** Updates the given users in turn, each with the entity tag from the latest response for that user. */
export function updating({ gatehouse }: Pick<Arena, 'gatehouse'>, users: readonly SeededUser[]): Caller {
  const { endpoint, token } = gatehouse;
  const tags = new Map(users.map(({ id, tag }) => [id, tag]));
  const authorization = authorizationOf(token);
  let sent = 0;
  let current = '';
  return {
    request: () => {
      current = users[sent % users.length]?.id ?? '';
      sent += 1;
      const headers = { ...authorization, 'If-Match': tags.get(current) ?? '' };
      const profile = { department: `Department ${sent}`, title: `Title ${sent}` };
      return requestBytes(endpoint, 'POST', `/api/v1/users/${current}`, headers, { profile });
    },
    answered: ({ head }) => {
      tags.set(current, tagIn(head));
    },
  };
}

/** Each connection has separate users, so that `If-Match` always matches. */
export function updaters(arena: Pick<Arena, 'gatehouse'>, users: readonly SeededUser[], connections: number): Caller[] {
  return Array.from({ length: connections }, (_, index) =>
    updating(
      arena,
      users.filter((_user, position) => position % connections === index),
    ),
  );
}

/** This row measures `POST /api/v1/users/{id}` with If-Match. The limits are bare transactions. */
export const usersUpdate = duelRow({
  name: 'users-update',
  settings: settingsOf,
  prepare: async (arena, options) => {
    const { connections, searchUsers, users } = options.sizes;
    await fillOrg(arena.gatehouse, searchUsers);
    const callers = updaters(arena, await seedUsers(arena.gatehouse, users), connections);
    const loops = loopsOf(arena, options);
    return {
      contests: [
        {
          work: 'update user with If-Match, one event',
          gatehouse: loops.gatehouse((index) => callers[index] ?? { request: () => Buffer.alloc(0) }),
          besides: [
            { name: LOGGED_UPDATE_LIMIT, bound: 0.6, measure: loops.peer(() => transacting(arena, 'logged-update')) },
            { name: TRANSACTION_LIMIT, bound: null, measure: loops.peer(() => transacting(arena, 'transaction')) },
          ],
        },
      ],
    };
  },
});
