// `npx tsx tools/citus-load.ts [--orgs 400] [--requests 8000] [--clients 16] [--port 6500] [--built]` measures a Citus
// cluster with two workers beside a single PostgreSQL of the same version: the CPU time of a request on each server,
// and how requests spread over the workers. Then it moves orgs to another worker while clients write. Citus must be
// installed (docs/operate/citus.md). The exit code is 1 if a client gets another answer than 200 or 503.
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { cpuMicroseconds } from '../bench/cpu.ts';
import { startCitusCluster } from './citus/cluster.ts';
import { askServer, type LoadedInstallation, openLoadedInstallation } from './citus/installation.ts';
import { CALLS, runLoad } from './citus/load.ts';
import { movesUnderLoad } from './citus/moves.ts';
import { ServerCpu } from './citus/server-cpu.ts';
import { FROM_BUILD, FROM_SOURCES } from './crash/service-process.ts';

const { values } = parseArgs({
  options: {
    orgs: { type: 'string', default: '400' },
    requests: { type: 'string', default: '8000' },
    clients: { type: 'string', default: '16' },
    port: { type: 'string', default: '6500' },
    built: { type: 'boolean', default: false },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const launch = values.built ? FROM_BUILD : FROM_SOURCES;
const orgs = Array.from({ length: Number(values.orgs) }, (_, index) => index + 1);
const clients = Number(values.clients);
const requests = Number(values.requests);
const WORKERS = 2;
const SHARDS = 32;

const cluster = await startCitusCluster({
  parent: tmpdir(),
  workers: WORKERS,
  port: Number(values.port),
  shards: SHARDS,
  isDurable: true,
});
const [coordinator = 0, ...workers] = cluster.directories.keys();
const nameOf = (port: number): string => (port === coordinator ? 'coordinator' : `worker ${port - coordinator}`);

const commitsOf = async (port: number, database: string): Promise<number> => {
  const [row] = await askServer<{ commits: string }>(
    port,
    'postgres',
    'select xact_commit::text as commits from pg_stat_database where datname = $1',
    [database],
  );
  return Number(row?.commits ?? 0);
};

/** Prints the rate of each call, and the CPU time of a request on each server. */
async function measure(place: LoadedInstallation, database: string, servers: readonly number[]): Promise<void> {
  const cpu = new ServerCpu(new Map(servers.map((port) => [nameOf(port), cluster.directories.get(port) ?? ''])));
  for (const [name, call] of Object.entries(CALLS)) {
    await runLoad(place, { clients, orgs, call, isWanted: (sent) => sent < requests / 2 });
    const before = await Promise.all(servers.map((port) => commitsOf(port, database)));
    const node = cpuMicroseconds(place.node.service.pid);
    cpu.start();
    const { answers, faults, perSecond, refusals } = await runLoad(place, {
      clients,
      orgs,
      call,
      isWanted: (sent) => sent < requests,
    });
    const used = [['node', cpuMicroseconds(place.node.service.pid) - node] as const, ...cpu.read()];
    const after = await Promise.all(servers.map((port) => commitsOf(port, database)));
    const each = used.map(([server, microseconds]) => `${server} ${Math.round(microseconds / answers)}`).join(', ');
    const commits = servers.map((port, index) => `${nameOf(port)} ${(after[index] ?? 0) - (before[index] ?? 0)}`);
    print(
      `${database}: ${name}: ${Math.round(perSecond)}/s; CPU us a request: ${each}; commits: ${commits.join(', ')}`,
    );
    if (faults.length + refusals > 0) throw new Error(`${refusals} refusals; ${faults.slice(0, 3).join('; ')}`);
  }
}

async function onPlainPostgres(): Promise<void> {
  const place = await openLoadedInstallation({
    cluster,
    database: 'plain',
    isDistributed: false,
    launch,
    orgs: orgs.length,
  });
  try {
    await measure(place, 'plain', [coordinator]);
  } finally {
    await place.close();
  }
}

async function onCitus(): Promise<boolean> {
  const database = 'distributed';
  const place = await openLoadedInstallation({ cluster, database, isDistributed: true, launch, orgs: orgs.length });
  try {
    await measure(place, database, [coordinator, ...workers]);
    return await movesUnderLoad(place, { orgs, clients, print });
  } finally {
    await place.close();
  }
}

try {
  await onPlainPostgres();
  if (!(await onCitus())) process.exitCode = 1;
} catch (error) {
  print(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
} finally {
  await cluster.stop();
}
