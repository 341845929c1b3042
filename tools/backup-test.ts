// `npx tsx tools/backup-test.ts [--seconds 4] [--writers 6] [--built]` makes a base backup while clients write, kills
// the server, and starts a server on the backup. It prints the maximum loss (RPO) and the downtime (RTO). The exit code
// is 1 if a check fails.
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findRunningCluster } from '../server/src/cli/running/running-cluster.ts';
import { createPool, type Pool } from '../server/src/platform/postgres/index.ts';
import { createTestClient } from '../server/test/support/client.ts';
import { baseBackup, settle } from './backup/base-backup.ts';
import { Journal, type JournaledUser } from './crash/journal.ts';
import { ledgerEvents } from './crash/ledger-events.ts';
import { chainFaults, untilGone } from './crash/rounds.ts';
import { FROM_BUILD, FROM_SOURCES, freePorts, ServiceProcess } from './crash/service-process.ts';
import { Writer } from './crash/writer.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    writers: { type: 'string', default: '6' },
    built: { type: 'boolean', default: false },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const launch = values.built ? FROM_BUILD : FROM_SOURCES;
const MOST_TOLD = 20;

async function serviceIn(dataDirectory: string): Promise<{ service: ServiceProcess; port: number }> {
  const [port = 0, managementPort = 0] = await freePorts(2);
  return { port, service: new ServiceProcess({ launch, dataDirectory, port, managementPort }) };
}

async function poolOf(dataDirectory: string): Promise<Pool> {
  const connection = await findRunningCluster(dataDirectory);
  if (connection === null) throw new Error(`no PostgreSQL runs in ${dataDirectory}`);
  return createPool({
    connection,
    maximumConnections: 1,
    applicationName: 'backup-test',
    statementTimeoutMilliseconds: 60_000,
  });
}

/** Invariants that hold at any moment. Each query returns the ids of rows that violate its invariant. */
const INVARIANTS: readonly (readonly [what: string, query: string])[] = [
  [
    'users without a row of sign-in',
    `select u.id from users u where not exists
    (select from user_sign_in s where s.org_id = u.org_id and s.user_id = u.id)`,
  ],
  [
    'users that search does not find by login',
    `select u.id from users u where not exists
    (select from user_attribute_values v where v.org_id = u.org_id and v.user_id = u.id and v.attribute_id = 100)`,
  ],
  [
    'search rows of nobody',
    `select v.user_id as id from user_attribute_values v where not exists
    (select from users u where u.org_id = v.org_id and u.id = v.user_id)`,
  ],
  ['events twice', 'select uuid::text as id from log_unsealed group by uuid having count(*) > 1'],
  [
    'events in two forms',
    `select e.uuid::text as id from log_unsealed e join log_segments s
     on s.org_id = e.org_id and e.position between s.first_position and s.last_position`,
  ],
  [
    'orgs without the group of everyone',
    `select o.id from orgs o where not exists
    (select from groups g where g.org_id = o.id and g.type = 'BUILT_IN')`,
  ],
];

const copyOf = ({ users }: Journal): JournaledUser[] =>
  [...users.values()].map((user) => ({ ...user, events: [...user.events] }));

/**
 * Returns faults for acknowledged changes that the backup lacks. Does not compare the status and nickname of users whom
 * clients changed after the backup.
 */
async function keptFaults(pool: Pool, then: readonly JournaledUser[], end: Journal): Promise<string[]> {
  const { rows } = await pool.query<{ id: string; nickName: string; status: string }>(
    `select id, coalesce(profile ->> 'nickName', '') as "nickName", status from users`,
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  const { rows: events } = await pool.query<{ id: string }>(
    `select transaction_id as id from log_outbox
     union all select split_part(input, E'\\n', 3)::jsonb ->> 4 from log_inputs`,
  );
  const numbered = (await ledgerEvents(pool)).map(({ transactionId }) => transactionId);
  const transactions = new Set([...events.map(({ id }) => id), ...numbered]);
  return then.flatMap((user) => {
    const row = found.get(user.id);
    if (row === undefined) return [`${user.id} is gone`];
    const lost = user.events.filter(({ requestId }) => requestId !== null && !transactions.has(requestId));
    const faults = lost.map(({ eventType }) => `${user.id}: the event ${eventType} is gone`);
    const isChangedLater = (end.users.get(user.id)?.events.length ?? 0) > user.events.length;
    const isSame = row.nickName === user.state.nickName && row.status === user.state.status;
    if (!isSame && !isChangedLater)
      faults.push(`${user.id}: ${JSON.stringify(row)} instead of ${JSON.stringify(user.state)}`);
    return faults;
  });
}

async function invariantFaults(pool: Pool): Promise<string[]> {
  const faults: string[] = [];
  for (const [what, query] of INVARIANTS) {
    const { rows } = await pool.query<{ id: string }>(query);
    if (rows.length > 0) faults.push(`${rows.length} ${what}, such as ${rows[0]?.id}`);
  }
  return faults;
}

async function untilNumbered(pool: Pool): Promise<void> {
  for (let round = 0; round < 400; round += 1) {
    const { rows } = await pool.query<{ waiting: boolean }>('select waiting > 0 as waiting from log_backlog(0)');
    if (rows[0]?.waiting === false) return;
    await delay(50);
  }
}

interface Loaded {
  readonly journal: Journal;
  readonly stop: () => Promise<void>;
}

async function load(service: ServiceProcess, port: number): Promise<Loaded> {
  const { apiToken, caFile } = await service.bootstrap();
  const ca = await readFile(caFile, 'utf8');
  const headers = { authorization: `SSWS ${apiToken}` };
  const journal = new Journal();
  const writers = Array.from(
    { length: Number(values.writers) },
    () => new Writer(createTestClient({ port, hostname: 'localhost', ca, headers }), journal),
  );
  const running = Promise.all(writers.map((writer) => writer.run()));
  return {
    journal,
    stop: async () => {
      for (const writer of writers) writer.stop();
      await running;
    },
  };
}

async function tryBackup(directory: string): Promise<readonly string[]> {
  const [from, to] = [join(directory, 'first', 'data'), join(directory, 'second', 'data')];
  const first = await serviceIn(from);
  await first.service.start();
  const { journal, stop } = await load(first.service, first.port);
  const loadMilliseconds = Number(values.seconds) * 1_000;
  await delay(loadMilliseconds);
  const connection = await findRunningCluster(from);
  if (connection === null) throw new Error('no PostgreSQL runs');
  let then: readonly JournaledUser[] = [];
  let acknowledgedThen = 0;
  let endedAt = 0;
  const begunAt = performance.now();
  await baseBackup(connection, from, to, () => {
    then = copyOf(journal);
    acknowledgedThen = journal.acknowledged;
    endedAt = performance.now();
  });
  print(
    `backup of ${acknowledgedThen} acknowledged changes in ${Math.round(performance.now() - begunAt)} ms, under load`,
  );
  await delay(loadMilliseconds);
  const postmaster = await first.service.postmasterPid();
  const acknowledged = journal.acknowledged;
  const toldBefore = [...journal.faults];
  const struckAt = performance.now();
  await first.service.end('SIGKILL');
  await untilGone(postmaster);
  // Awaiting `stop` here would block, because the writers repeat requests until they get a response.
  void stop();
  await rm(from, { recursive: true, force: true });

  await settle(to);
  const second = await serviceIn(to);
  await second.service.start();
  const recovered = Math.round(performance.now() - struckAt);
  const pool = await poolOf(to);
  try {
    await untilNumbered(pool);
    const faults = [
      ...toldBefore,
      ...(acknowledgedThen === 0 ? ['no change was acknowledged before the backup ended'] : []),
      ...(acknowledged === acknowledgedThen ? ['no change was acknowledged after the backup ended'] : []),
      ...(await keptFaults(pool, then, journal)),
      ...(await invariantFaults(pool)),
      ...(await chainFaults(second.service)),
    ];
    const window = Math.round(struckAt - endedAt);
    print(`RPO: the ${acknowledged - acknowledgedThen} changes of the ${window} ms since the backup ended, at most`);
    print(`RTO: ${recovered} ms from the kill to ready`);
    return faults;
  } finally {
    await pool.end();
    const pid = await second.service.postmasterPid();
    await second.service.end('SIGTERM');
    await untilGone(pid);
  }
}

const directory = await mkdtemp(join(tmpdir(), 'gatehouse-backup-'));
// If this process runs as root, PostgreSQL runs as another user, which must be able to enter the folder.
await chmod(directory, 0o755);
let faults: readonly string[] = [];
try {
  faults = await tryBackup(directory);
} finally {
  await rm(directory, { recursive: true, force: true });
}
for (const fault of faults.slice(0, MOST_TOLD)) print(`  ${fault}`);
print(`faults ${faults.length}`);
// The exit is explicit, because writers keep sending requests to the stopped service.
process.exit(faults.length === 0 ? 0 : 1);
