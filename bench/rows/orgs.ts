import { createHash } from 'node:crypto';
import { type Connection, openConnection, requestBytes } from '../connection.ts';
import { authorizationOf, type Gatehouse, newPlace, type Place, startGatehouse } from '../gatehouse.ts';
import { assertGood, median } from '../load.ts';
import type { Result } from '../result.ts';
import type { Row, RowOptions } from '../row.ts';
import { secondsToAnswer } from './start.ts';

const WARMUP = 500;
const REQUESTS = 4_000;

const tokenOf = (number: number): string => `00bench${String(number).padStart(35, '0')}`;

/** More orgs like the first: user type, head of the log, an administrator with a role and a token. */
const STATEMENTS = [
  `create temp table bench_orgs as select n,
     '00obench' || lpad(n::text, 12, '0') as org_id, '00ubench' || lpad(n::text, 12, '0') as user_id,
     'otybench' || lpad(n::text, 12, '0') as type_id, 'oscbench' || lpad(n::text, 12, '0') as schema_id
   from generate_series(1, $1::integer) n`,
  `insert into orgs (id, subdomain, company_name, created_at, last_updated_at)
   select org_id, 'bench' || n, 'Bench', now(), now() from bench_orgs where $1::integer > 0`,
  `insert into user_types (org_id, id, schema_id, name, display_name, is_default, created_at, created_by,
     last_updated_at, last_updated_by)
   select org_id, type_id, schema_id, 'user', 'User', true, now(), 'bench', now(), 'bench'
   from bench_orgs where $1::integer > 0`,
  `insert into log_heads (org_id) select org_id from bench_orgs where $1::integer > 0`,
  `insert into users (org_id, id, type_id, status, login, login_key, short_login_key, normal_form_version, profile,
     provider_type, provider_name, has_password, created_at, last_updated_at)
   select org_id, user_id, type_id, 'ACTIVE', 'admin@example.com', 'admin@example.com', 'admin', 1,
     '{"login": "admin@example.com", "email": "admin@example.com", "firstName": "A", "lastName": "B"}',
     'INTERNAL', 'INTERNAL', false, now(), now()
   from bench_orgs where $1::integer > 0`,
  `insert into user_sign_in (org_id, user_id) select org_id, user_id from bench_orgs where $1::integer > 0`,
  `insert into user_role_assignments (org_id, user_id, id, role_type, created_at, last_updated_at)
   select org_id, user_id, 'ra1bench' || lpad(n::text, 12, '0'), 'SUPER_ADMIN', now(), now()
   from bench_orgs where $1::integer > 0`,
];
const INSERT_TOKENS = `insert into api_tokens (org_id, id, user_id, name, client_name, token_hash, created_at,
    last_updated_at, last_used_at)
  select b.org_id, '00Tbench' || lpad(b.n::text, 12, '0'), b.user_id, 'bench', 'bench', t.hash, now(), now(), now()
  from bench_orgs b join unnest($1::integer[], $2::bytea[]) as t (n, hash) on t.n = b.n`;

async function addOrgs({ pool }: Gatehouse, count: number): Promise<void> {
  const client = await pool.connect();
  try {
    for (const statement of STATEMENTS) await client.query(statement, [count]);
    const numbers = Array.from({ length: count }, (_, index) => index + 1);
    const hashes = numbers.map((number) => createHash('sha256').update(tokenOf(number)).digest());
    await client.query(INSERT_TOKENS, [numbers, hashes]);
    await client.query('analyze');
  } finally {
    client.release();
  }
}

/** Latencies in ms of reading one's own user, over one connection, the requests in turn. */
async function latenciesOf(gatehouse: Gatehouse, requests: readonly Buffer[]): Promise<number[]> {
  const connection: Connection = await openConnection(gatehouse.endpoint, 0);
  const latencies: number[] = [];
  for (let index = 0; index < WARMUP + REQUESTS; index += 1) {
    const started = performance.now();
    const answer = await connection.send(requests[index % requests.length] ?? Buffer.alloc(0));
    if (index >= WARMUP) latencies.push(performance.now() - started);
    assertGood(answer);
  }
  connection.close();
  return latencies;
}

const own = ({ endpoint, token }: Gatehouse): Buffer =>
  requestBytes(endpoint, 'GET', '/api/v1/users/me', authorizationOf(token));

/** The same request of many orgs. The certificate names the first one alone; the host is each org's own. */
const spread = ({ endpoint }: Gatehouse, orgs: number): Buffer[] =>
  Array.from({ length: orgs }, (_, index) => {
    const target = { ...endpoint, hostname: `bench${index + 1}.localhost` };
    return requestBytes(target, 'GET', '/api/v1/users/me', authorizationOf(tokenOf(index + 1)));
  });

interface Figures {
  readonly seconds: readonly number[];
  readonly one: readonly number[];
  readonly many: readonly number[];
}

async function figuresOf(place: Place, options: RowOptions, busyOrgs: number): Promise<Figures> {
  const { rounds, starts } = options.sizes;
  const figures = { seconds: [] as number[], one: [] as number[], many: [] as number[] };
  for (let start = 0; start < starts; start += 1) figures.seconds.push(await secondsToAnswer(place, false));
  for (let round = 0; round < rounds; round += 1) {
    const gatehouse = await startGatehouse({ place, plain: options.plain });
    try {
      figures.one.push(median(await latenciesOf(gatehouse, [own(gatehouse)])));
      if (busyOrgs > 0) figures.many.push(median(await latenciesOf(gatehouse, spread(gatehouse, busyOrgs))));
    } finally {
      await gatehouse.stop();
    }
  }
  return figures;
}

const line = (
  work: string,
  unit: 's' | 'ms',
  many: readonly number[],
  one: readonly number[],
  judged = true,
): Result => ({
  work,
  gatehouse: { name: 'many orgs', unit, values: many },
  beside: { name: '1 org', unit, values: one },
  target: judged ? { bound: 1.1, atLeast: false } : null,
});

async function run(options: RowOptions): Promise<readonly Result[]> {
  const { busyOrgs, orgs: count } = options.sizes;
  const place = await newPlace();
  try {
    // The first start makes the installation.
    await secondsToAnswer(place, false);
    const one = await figuresOf(place, options, 0);
    const gatehouse = await startGatehouse({ place });
    try {
      await addOrgs(gatehouse, count - 1);
    } finally {
      await gatehouse.stop();
    }
    const many = await figuresOf(place, options, busyOrgs);
    const orgs = count.toLocaleString('en-US');
    return [
      line(`start to the first answer with ${orgs} orgs`, 's', many.seconds, one.seconds),
      line(`latency (p50) of one org among ${orgs}`, 'ms', many.one, one.one),
      line(`latency (p50) of requests spread over ${busyOrgs} of ${orgs} orgs`, 'ms', many.many, one.one, false),
    ];
  } finally {
    await place.remove();
  }
}

/** An installation with many orgs beside the same one with its first org alone. */
export const orgs: Row = {
  name: 'orgs',
  settings: ({ plain }) => `${plain ? 'plain HTTP' : 'HTTPS'} with keep-alive, one connection, GET /api/v1/users/me`,
  run,
};
