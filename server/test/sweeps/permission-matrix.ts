import { readFileSync } from 'node:fs';
import { allRoutes } from '../../src/app/declared-routes.ts';
import type { AnyRoute } from '../../src/platform/http/index.ts';
import type { TestClient, TestResponse } from '../support/client.ts';
import { addMember, createGroup } from '../support/groups.ts';
import type { TestOrg, TestService } from '../support/service.ts';
import { CREDENTIALS } from '../support/users.ts';
import { idsOfEverything } from './ids-of-everything.ts';
import { address, bodyOf } from './route-bodies.ts';

/** The part of a route's resources that a role can reach, according to the pages in docs/generated. */
export type Reach = 'all' | 'some' | 'own' | 'nothing';

const isReach = (word: string): word is Reach => /^(all|some|own|nothing)$/.test(word);

export const permittedRoutes = allRoutes.filter(
  ({ access, permission }) => access === 'authenticated' && permission !== undefined,
);

const nameOf = ({ method, url }: Pick<AnyRoute, 'method' | 'url'>): string => `${method} \`${url}\``;

/** Reads the table of a generated page. Maps the first cell of each row to the row's cells by column heading. */
export function readTable(file: string): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const text = readFileSync(new URL(`../../../docs/generated/${file}`, import.meta.url), 'utf8');
  const [head = [], , ...rows] = text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.slice(2, -2).split(' | '));
  return new Map(rows.map((row) => [row[0] ?? '', Object.fromEntries(head.map((name, at) => [name, row[at] ?? '']))]));
}

export type ReadTable = ReturnType<typeof readTable>;

export const missingIn = (table: ReadTable): string[] => permittedRoutes.map(nameOf).filter((name) => !table.has(name));

export const cellOf = (table: ReadTable, route: AnyRoute, column: string): string =>
  table.get(nameOf(route))?.[column] ?? '';

/** Reads a cell. A cell such as `all / targets` contains a word for a whole role, then one for a narrowed role. */
export function reachOfCell(cell: string, isNarrowed: boolean): Reach | null {
  if (cell === '') return null;
  const [whole = '', narrowed = whole] = cell.split(' / ');
  const word = (isNarrowed ? narrowed : whole).replace('targets', 'some');
  if (!isReach(word)) throw new Error(`the page says ${cell}`);
  return word;
}

type Ids = Readonly<Record<string, string>>;

export interface Place {
  readonly user: string;
  readonly group: string;
  readonly app: string;
  readonly ids: Ids;
}

export interface Places {
  readonly inside: Place;
  readonly outside: Place;
}

const placed = (ids: Ids, user: string, group: string, app: string): Place => ({
  user,
  group,
  app,
  ids: {
    ...ids,
    id: user,
    userId: user,
    userIdOrLogin: user,
    primaryUserId: user,
    ownerId: user,
    groupId: group,
    targetGroupId: group,
    appId: app,
    clientId: app,
  },
});

/**
 * Creates a user, a group and an app that narrowed roles will cover (`inside`), and three others that these roles will
 * not cover (`outside`).
 */
export async function createPlaces(service: TestService, org: TestOrg): Promise<Places> {
  const ids = await idsOfEverything(service, org);
  const { userId: owner } = await org.withRoles();
  const tokens = (await org.admin.get('/api/v1/api-tokens?limit=200')).body as { id: string; userId: string }[];
  const apiTokenId = tokens.find(({ userId }) => userId === owner)?.id ?? '';
  const credentials = CREDENTIALS;
  const [user, other] = [await org.createUser({ credentials }), await org.createUser({ credentials })];
  const group = await createGroup(org);
  await addMember(org, ids['groupId'] ?? '', user.id);
  await addMember(org, group.id, other.id);
  const bookmark = { name: 'bookmark', label: 'Out', signOnMode: 'BOOKMARK' };
  const settings = { app: { requestIntegration: false, url: 'https://out.example' } };
  const app = await org.admin.post('/api/v1/apps', { body: { ...bookmark, settings } });
  return {
    inside: placed({ ...ids, apiTokenId }, user.id, ids['groupId'] ?? '', ids['appId'] ?? ''),
    outside: placed({ ...ids, apiTokenId }, other.id, group.id, app.body.id),
  };
}

/** Makes changes fail when their events are recorded, so that a sweep changes nothing. */
export async function failEveryChange({ database, isShared }: TestService): Promise<void> {
  if (isShared) throw new Error('every change fails in a service of one file alone');
  await database.pool.query(`create function fail_change() returns trigger language plpgsql as $$
    begin
      if new.event_type in ('security.access.deny', 'system.log.read') then
        return new;
      end if;
      raise exception 'swept';
    end $$`);
  // Citus allows triggers only with this setting, which means nothing elsewhere.
  const client = await database.pool.connect();
  try {
    await client.query('set citus.enable_unsafe_triggers to on');
    await client.query(
      'create trigger fail_change before insert on log_inputs for each row execute function fail_change()',
    );
  } finally {
    client.release(true);
  }
}

const isRefused = ({ body, status }: TestResponse): boolean => status === 403 && body.errorCode === 'E0000006';
const kindOfList = ({ url }: AnyRoute): 'user' | 'group' | 'app' => {
  if (url.startsWith('/api/v1/apps') || url === '/oauth2/v1/clients') return 'app';
  return url.startsWith('/api/v1/groups') ? 'group' : 'user';
};

/** A new owner of a group must be a user in the same place. */
const bodyAt = (route: AnyRoute, { user }: Place, org: TestOrg) =>
  route.operationId === 'assignGroupOwner' ? { body: { id: user, type: 'USER' } } : bodyOf(route, org);

/** A new user joins the group of the place. */
const insideBody = (route: AnyRoute, { group }: Place, org: TestOrg) => {
  const { body } = bodyOf(route, org);
  const given = body as { readonly profile: Readonly<Record<string, unknown>> };
  const profile = { ...given.profile, login: 'inside@example.com', email: 'inside@example.com' };
  return { body: route.operationId === 'createUser' ? { profile, groupIds: [group] } : body };
};

function sees(route: AnyRoute, { text }: TestResponse, { inside, outside }: Places): string {
  const kind = kindOfList(route);
  return `inside ${text.includes(inside[kind])}, outside ${text.includes(outside[kind])}`;
}

export interface Sweep {
  readonly client: TestClient;
  readonly userId: string;
  readonly places: Places;
  readonly org: TestOrg;
  /** Returns the expected reach, or null if the route is not tried. */
  readonly reach: (route: AnyRoute) => Reach | null;
  /** Operations whose new objects the role covers. For example, a role for single groups does not cover a new group. */
  readonly makesInside?: ReadonlySet<string>;
}

async function tryList({ client, places, reach, userId }: Sweep, route: AnyRoute): Promise<[string, string]> {
  const response = await client.get(route.url);
  if (reach(route) === 'own') {
    const seen = response.status === 200 ? response.body.map(({ id }: { id: string }) => id) : [response.status];
    return [JSON.stringify(seen), JSON.stringify([userId])];
  }
  return [`${response.status} ${sees(route, response, places)}`, '200 inside true, outside false'];
}

/** Returns pairs of actual and expected results; none if the route is not tried. */
async function tryRoute(sweep: Sweep, route: AnyRoute): Promise<readonly (readonly [is: string, should: string])[]> {
  const { client, makesInside, org, places, reach } = sweep;
  const expected = reach(route);
  if (expected === null) return [];
  const isSingle = route.url.includes('/:');
  const isNarrow = expected === 'some' || expected === 'own';
  if (isNarrow && !isSingle && route.method === 'GET') return [await tryList(sweep, route)];
  const ask = async (place: Place, options = bodyAt(route, place, org)): Promise<string> => {
    const response = await client.send(route.method, address(route, place.ids), options);
    if (response.status === 401) return `401 ${response.text}`;
    return isRefused(response) ? 'refused' : 'allowed';
  };
  if (expected !== 'some') {
    return [[await ask(places.inside), expected === 'all' ? 'allowed' : 'refused']];
  }
  if (isSingle) {
    return [
      [`inside ${await ask(places.inside)}`, 'inside allowed'],
      [`outside ${await ask(places.outside)}`, 'outside refused'],
    ];
  }
  const canLieInside = makesInside?.has(route.operationId) === true;
  const made = await ask(places.inside, insideBody(route, places.inside, org));
  return [[`made ${made}`, `made ${canLieInside ? 'allowed' : 'refused'}`]];
}

const AT_ONCE = 4;

/** Returns the differences between the service and the generated page. */
export async function differences(sweep: Sweep): Promise<readonly string[]> {
  const waiting = [...permittedRoutes];
  const found: string[] = [];
  const work = async (): Promise<void> => {
    for (let route = waiting.shift(); route !== undefined; route = waiting.shift()) {
      for (const [is, should] of await tryRoute(sweep, route)) {
        if (is !== should) found.push(`${nameOf(route)}: ${is}, and the page says: ${should}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found.toSorted();
}
