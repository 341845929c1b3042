import { requestBytes } from '../connection.ts';
import { type Arena, rateResult, type Sides, takeTurns, withArena } from '../duel.ts';
import { authorizationOf, newUserBody, type SeededUser, seedUsers, tagIn } from '../gatehouse.ts';
import { type Caller, closedLoop } from '../load.ts';
import { protocolOf, type Row, type RowOptions } from '../row.ts';
import { fillOrg } from '../search-data.ts';

const SELECT_LIMIT = 'bare Fastify + 1 point select';
const TRANSACTION_LIMIT = 'bare Fastify + begin, select, insert, commit';

function loop(arena: Arena, side: keyof Sides, { sizes }: RowOptions, caller: (connection: number) => Caller) {
  const { connections, seconds, warmupSeconds } = sizes;
  const endpoint = side === 'limit' ? arena.peer.endpoint : arena.gatehouse.endpoint;
  return closedLoop(endpoint, { connections, seconds, warmupSeconds, caller });
}

/** Fills the org with users before anything is measured. */
const withFullOrg: typeof withArena = (options, use) =>
  withArena(options, async (arena) => {
    await fillOrg(arena.gatehouse, options.sizes.searchUsers);
    return use(arena);
  });

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

/** Sends the given requests in turn. */
function cycling(requests: readonly Buffer[], start: number): Caller {
  let next = start;
  return {
    request: () => {
      next += 1;
      return requests[next % requests.length] ?? Buffer.alloc(0);
    },
  };
}

/** Measures `GET /api/v1/users/{id}` with an API token, compared with one select of the same row by bare Fastify. */
export const usersRead: Row = {
  name: 'users-read',
  settings: settingsOf,
  run: (options) =>
    withFullOrg(options, async (arena) => {
      const { gatehouse, peer } = arena;
      const users = await someUsers(gatehouse, options.sizes.usersRead);
      const apart = Math.ceil(users.length / options.sizes.connections);
      const headers = authorizationOf(gatehouse.token);
      const ours = users.map((id) => requestBytes(gatehouse.endpoint, 'GET', `/api/v1/users/${id}`, headers));
      const theirs = users.map((id) => requestBytes(peer.endpoint, 'GET', `/select/${gatehouse.orgId}/${id}`));
      const rates = await takeTurns(options.sizes.rounds, {
        limit: () => loop(arena, 'limit', options, (index) => cycling(theirs, index * apart)),
        gatehouse: () => loop(arena, 'gatehouse', options, (index) => cycling(ours, index * apart)),
      });
      return [rateResult('GET /api/v1/users/{id} with an API token', SELECT_LIMIT, 0.75, rates)];
    }),
};

const transacting = ({ gatehouse, peer }: Arena): Caller => ({
  request: () => requestBytes(peer.endpoint, 'POST', `/transaction/${gatehouse.orgId}`, {}, newUserBody()),
});

const creating = ({ gatehouse }: Arena, activate: boolean): Caller => {
  const headers = authorizationOf(gatehouse.token);
  const path = `/api/v1/users?activate=${activate}`;
  return { request: () => requestBytes(gatehouse.endpoint, 'POST', path, headers, newUserBody()) };
};

/**
 * Measures the creation of users without a password, with the events in the same transaction. The limit is the bare
 * transaction.
 */
export const usersCreate: Row = {
  name: 'users-create',
  settings: settingsOf,
  run: (options) =>
    withFullOrg(options, async (arena) => {
      await seedUsers(arena.gatehouse, options.sizes.users);
      const limit = () => loop(arena, 'limit', options, () => transacting(arena));
      const turns = (activate: boolean) =>
        takeTurns(options.sizes.rounds, {
          limit,
          gatehouse: () => loop(arena, 'gatehouse', options, () => creating(arena, activate)),
        });
      return [
        rateResult('create user without password, one event', TRANSACTION_LIMIT, 0.5, await turns(false), 'STAGED'),
        rateResult(
          'create user without password, two events, activation token and mail',
          TRANSACTION_LIMIT,
          null,
          await turns(true),
          'PROVISIONED',
        ),
      ];
    }),
};

/**
 * Updates the given users one after the other. Each request has the entity tag from the latest answer about that user.
 */
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

/** Gives each connection separate users, so that `If-Match` always matches. */
export function updaters(arena: Pick<Arena, 'gatehouse'>, users: readonly SeededUser[], connections: number): Caller[] {
  return Array.from({ length: connections }, (_, index) =>
    updating(
      arena,
      users.filter((_user, position) => position % connections === index),
    ),
  );
}

/**
 * Measures `POST /api/v1/users/{id}` with `If-Match` and the event in the same transaction. The limit is the bare
 * transaction.
 */
export const usersUpdate: Row = {
  name: 'users-update',
  settings: settingsOf,
  run: (options) =>
    withFullOrg(options, async (arena) => {
      const { connections, rounds } = options.sizes;
      const callers = updaters(arena, await seedUsers(arena.gatehouse, options.sizes.users), connections);
      const rates = await takeTurns(rounds, {
        limit: () => loop(arena, 'limit', options, () => transacting(arena)),
        gatehouse: () =>
          loop(arena, 'gatehouse', options, (index) => callers[index] ?? { request: () => Buffer.alloc(0) }),
      });
      return [rateResult('update user with If-Match, one event', TRANSACTION_LIMIT, 0.6, rates)];
    }),
};
