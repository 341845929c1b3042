import { type Endpoint, requestBytes } from '../connection.ts';
import { withArena } from '../duel.ts';
import { authorizationOf } from '../gatehouse.ts';
import { median, oneByOne } from '../load.ts';
import type { Result } from '../result.ts';
import { type Row, type RowOptions } from '../row.ts';
import { fillOrg } from '../search-data.ts';

interface Asked {
  readonly name: string;
  /** `#` is replaced with a number that changes with every page. */
  readonly search: string;
  readonly sortBy?: string;
}

const WITH_TARGET: readonly (readonly [name: string, search: string])[] = [
  ['eq, one match', 'profile.employeeNumber eq "E0000#"'],
  ['eq, 1 user in 20', 'profile.department eq "Department #"'],
  ['eq, 1 user in 500', 'profile.city eq "City #"'],
  ['eq, attribute of the org, 1 user in 300', 'profile.badge eq "Badge #"'],
  ['sw, 1 user in 20', 'profile.lastName sw "Turing"'],
  ['sw, few', 'profile.login sw "user.12#"'],
  ['and, 1 user in 4,000', 'profile.department eq "Department #" and profile.title eq "Title #"'],
  ['and of eq and sw, 1 user in 800', 'profile.firstName eq "Ada" and profile.lastName sw "Tur"'],
  ['or of two eq', 'profile.city eq "City #" or profile.city eq "City 4#"'],
  ['co, few', 'profile.login co "er.12#4"'],
  ['or of eq and sw, two attributes', 'profile.department eq "Department #" or profile.lastName sw "Tur"'],
];

const WITHOUT_TARGET: readonly (readonly [name: string, search: string, sortBy?: string])[] = [
  ['and of two ranges, 1 user in 20', 'created gt "2020-03-01T00:00:00.000Z" and profile.lastName sw "Tur"'],
  ['eq, 1 user in 20, sorted', 'profile.department eq "Department #"', 'profile.lastName'],
  ['eq, 1 user in 500, sorted', 'profile.city eq "City #"', 'profile.lastName'],
  ['sw, 1 user in 20, sorted by the same', 'profile.lastName sw "Turing"', 'profile.lastName'],
  ['contradiction, sorted', 'profile.city eq "City #" and profile.city eq "City 4#"', 'profile.lastName'],
  ['not, 19 users in 20', 'not (profile.department eq "Department #")'],
  ['not, one match', 'not (status eq "STAGED")'],
];

const SEARCHES: readonly Asked[] = [...WITH_TARGET, ...WITHOUT_TARGET].map(([name, search, sortBy]) => ({
  name,
  search,
  ...(sortBy === undefined ? {} : { sortBy }),
}));

const numberOf = (index: number): string => String(10 + (index % 9));

interface Question {
  readonly endpoint: Endpoint;
  readonly path: (index: number) => string;
  readonly headers: Readonly<Record<string, string>>;
}

async function pageLatency({ endpoint, headers, path }: Question, { sizes }: RowOptions): Promise<number> {
  let asked = 0;
  const request = (): Buffer => {
    asked += 1;
    return requestBytes(endpoint, 'GET', path(asked), headers);
  };
  const count = { warmup: Math.ceil(sizes.searchPages / 3), measured: sizes.searchPages };
  return median(await oneByOne(endpoint, { request }, count));
}

/** Returns the id at which a page starts. Generated ids are hexadecimal too, so pages start all over the org. */
const somewhere = (index: number): string => `00u${((index * 7_919) % 65_536).toString(16).padStart(4, '0')}`;

const run = (options: RowOptions): Promise<readonly Result[]> =>
  withArena(options, async ({ gatehouse, peer }) => {
    const { rounds, searchUsers } = options.sizes;
    await fillOrg(gatehouse, searchUsers);
    const headers = authorizationOf(gatehouse.token);
    const list = '/api/v1/users?limit=200';
    const primaryKey = (index: number) => `/page/${gatehouse.orgId}/${somewhere(index)}`;
    const limits: number[] = [];
    const plain: number[] = [];
    const found = SEARCHES.map((): number[] => []);
    for (let round = 0; round < rounds; round += 1) {
      limits.push(await pageLatency({ endpoint: peer.endpoint, headers: {}, path: primaryKey }, options));
      plain.push(await pageLatency({ endpoint: gatehouse.endpoint, headers, path: () => list }, options));
      for (const [index, { search, sortBy }] of SEARCHES.entries()) {
        const sorted = sortBy === undefined ? '' : `&sortBy=${sortBy}`;
        const path = (asked: number) =>
          `${list}${sorted}&search=${encodeURIComponent(search.replaceAll('#', numberOf(asked)))}`;
        found[index]?.push(await pageLatency({ endpoint: gatehouse.endpoint, headers, path }, options));
      }
    }
    const beside = { name: 'bare Fastify + primary-key page', unit: 'ms', values: limits } as const;
    const line = (work: string, values: readonly number[], hasTarget: boolean): Result => ({
      work,
      gatehouse: { name: 'Gatehouse', unit: 'ms', values },
      beside,
      target: hasTarget ? { bound: 3, atLeast: false } : null,
    });
    return [
      line('page of 200 without a search, p50', plain, true),
      ...SEARCHES.map(({ name }, index) => line(`search ${name}, p50`, found[index] ?? [], index < WITH_TARGET.length)),
    ];
  });

/**
 * This row measures the first page of searches in one large org, compared with a page that bare Fastify reads by
 * primary key.
 */
export const search: Row = {
  name: 'search',
  settings: ({ plain, sizes }) =>
    `${sizes.searchUsers.toLocaleString('en-US')} users in one org, pages of 200, one connection, ` +
    `${plain ? 'plain HTTP' : 'HTTPS'} with keep-alive on both sides`,
  run,
};
