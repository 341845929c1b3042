import { randomInt } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createPool } from '../../server/src/platform/postgres/index.ts';
import { openExternalDatabase } from '../../server/src/process/database/database.ts';
import { loadConfig } from '../../server/src/settings/config.ts';
import { createTestClient, type TestClient } from '../../server/test/support/client.ts';
import { Journal } from '../crash/journal.ts';
import { LogReader } from '../crash/log-reader.ts';
import { chainFaults, logFaults, stateFaults } from '../crash/rounds.ts';
import { eventually, freePorts, type Launch } from '../crash/service-process.ts';
import { Writer } from '../crash/writer.ts';
import { type Balancer, openBalancer } from '../nodes/balancer.ts';
import { type Node, openSharedInstallation, type SharedInstallation } from '../nodes/installation.ts';
import { BLOWS, type Blow, type BlowName, type Targets } from './blows.ts';
import { type Machine, openNetwork } from './network.ts';
import { openPatroniCluster, type PatroniCluster } from './patroni-cluster.ts';

export interface FailoverOptions {
  readonly launch: Launch;
  readonly blows: readonly BlowName[];
  readonly writers: number;
  readonly print: (line: string) => void;
}

export interface FailoverRound {
  readonly blow: BlowName;
  /** The longest time without an acknowledged change. */
  readonly outageMilliseconds: number;
  readonly acknowledged: number;
  readonly doubtful: number;
  readonly refusals: number;
  readonly faults: readonly string[];
}

const FEWEST_CHANGES_BEFORE = 100;
const LONGEST_LOAD_MILLISECONDS = 1_000;
const LOAD_AFTER_MILLISECONDS = 1_000;
const RECOVERY_MILLISECONDS = 90_000;
const READ_MILLISECONDS = 50;

interface Arena {
  readonly installation: SharedInstallation;
  readonly cluster: PatroniCluster;
  readonly etcd: Machine;
  readonly nodes: readonly Node[];
  readonly nodeMachines: readonly Machine[];
  readonly journal: Journal;
  readonly client: TestClient;
  readonly writers: readonly Writer[];
  readonly reader: LogReader;
}

async function targetsOf({ cluster, etcd, nodeMachines, nodes }: Arena): Promise<Targets> {
  const roles = await cluster.untilWhole();
  const index = randomInt(nodes.length);
  const [node, nodeMachine] = [nodes[index], nodeMachines[index]];
  if (node === undefined || nodeMachine === undefined) throw new Error('two nodes');
  return { ...roles, etcd, node, nodeMachine, nodeMachines };
}

/** Starts something that repeats until the returned function is called. */
function repeat(step: () => Promise<void>): () => Promise<void> {
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) await step();
  })();
  return async () => {
    stopping.abort();
    await running;
  };
}

function startLoad({ reader, writers }: Arena): () => Promise<void> {
  const writing = Promise.all(writers.map((writer) => writer.run()));
  const stopReading = repeat(async () => {
    await reader.readOn();
    await delay(READ_MILLISECONDS);
  });
  return async () => {
    for (const writer of writers) writer.stop();
    await writing;
    await stopReading();
  };
}

const healed = async ({ heal }: Blow, targets: Targets): Promise<void> => heal?.(targets);

/** Strikes, and resolves when the blow is healed and a change was acknowledged that was requested after the blow. */
async function strike(arena: Arena, blow: Blow, targets: Targets): Promise<void> {
  arena.journal.watchPauses();
  await blow.strike(targets);
  const struckAt = performance.now();
  const healing = blow.healMilliseconds === undefined ? null : delay(blow.healMilliseconds);
  const ended = healing?.then(() => healed(blow, targets));
  await eventually('recovery', RECOVERY_MILLISECONDS, async () =>
    arena.journal.lastRequestBegunAt > struckAt ? true : null,
  );
  if (ended === undefined) await healed(blow, targets);
  else await ended;
}

async function round(arena: Arena, name: BlowName): Promise<FailoverRound> {
  const { cluster, journal, nodes, writers } = arena;
  const before = { ...countsOf(journal) };
  const targets = await targetsOf(arena);
  const stopLoad = startLoad(arena);
  await eventually('load', RECOVERY_MILLISECONDS, async () =>
    journal.acknowledged - before.acknowledged > FEWEST_CHANGES_BEFORE ? true : null,
  );
  await delay(randomInt(LONGEST_LOAD_MILLISECONDS));
  await strike(arena, BLOWS[name], targets);
  await delay(LOAD_AFTER_MILLISECONDS);
  await cluster.untilWhole();
  const { longestPauseMilliseconds: outageMilliseconds } = journal;
  await stopLoad();
  for (const { service } of nodes) await service.untilReady();
  for (const writer of writers) await writer.settle();
  const [node] = nodes;
  const chain = node === undefined ? ['no node'] : await chainFaults(node.service);
  const faults = [...journal.faults.splice(0), ...(await stateFaults(arena)), ...(await logFaults(arena)), ...chain];
  const { acknowledged, doubtful, refusals } = countsOf(journal);
  return {
    blow: name,
    outageMilliseconds,
    acknowledged: acknowledged - before.acknowledged,
    doubtful: doubtful - before.doubtful,
    refusals: refusals - before.refusals,
    faults,
  };
}

const countsOf = ({ acknowledged, doubtful, refusals }: Journal) => ({ acknowledged, doubtful, refusals });

async function openClients(
  installation: SharedInstallation,
  { port }: Balancer,
  writerCount: number,
): Promise<Pick<Arena, 'client' | 'journal' | 'reader' | 'writers'>> {
  const { apiToken, baseUrl, caFile } = await installation.bootstrap();
  const ca = await readFile(caFile, 'utf8');
  const { hostname } = new URL(baseUrl);
  const headers = { authorization: `SSWS ${apiToken}` };
  const newClient = (): TestClient => createTestClient({ port, hostname, ca, headers });
  const journal = new Journal();
  const writers = Array.from({ length: writerCount }, () => new Writer(newClient(), journal, { settlesLater: true }));
  return { client: newClient(), journal, writers, reader: new LogReader(newClient(), baseUrl, new Date()) };
}

/** Runs the rounds until the first one with a fault, and tells each to `print`. */
export async function runFailovers(options: FailoverOptions): Promise<readonly FailoverRound[]> {
  const network = openNetwork();
  const etcd = network.machine('etcd');
  const servers = ['a', 'b', 'c'].map((name) => network.machine(name));
  const nodeMachines = ['n', 'm'].map((name) => network.machine(name));
  let cluster: PatroniCluster | null = null;
  const installation = await openSharedInstallation(async (directory) => {
    const database = join(directory, 'cluster');
    await mkdir(database, { mode: 0o755 });
    const opened = await openPatroniCluster(database, { etcd, servers });
    cluster = opened;
    const { url } = opened;
    const { sizing } = loadConfig({});
    const { connection } = await openExternalDatabase({ dataDirectory: join(directory, 'tool'), sizing }, url);
    const pool = createPool({
      connection,
      maximumConnections: 2,
      applicationName: 'tool',
      statementTimeoutMilliseconds: 60_000,
    });
    return {
      url,
      pool,
      close: async () => {
        await pool.end();
        opened.close();
      },
    };
  });
  const [port = 0] = await freePorts(1);
  const environment = { GATEHOUSE_PUBLIC_PORT: String(port), GATEHOUSE_WORKERS: '2' };
  const nodes: Node[] = [];
  let balancer: Balancer | null = null;
  try {
    if (cluster === null) throw new Error('no cluster');
    for (const machine of nodeMachines) {
      const node = await installation.node(machine.name, options.launch, { environment, place: machine });
      nodes.push(node);
      await node.service.start();
    }
    balancer = await openBalancer(nodes, port, { closesUnready: true });
    const clients = await openClients(installation, balancer, options.writers);
    const arena: Arena = { installation, cluster, etcd, nodes, nodeMachines, ...clients };
    const rounds: FailoverRound[] = [];
    for (const [index, name] of options.blows.entries()) {
      const done = await round(arena, name);
      rounds.push(done);
      options.print(lineOf(index + 1, done));
      if (done.faults.length > 0) break;
    }
    return rounds;
  } catch (error) {
    // The error must not be hidden by one of the closing.
    options.print(`ended: ${error instanceof Error ? error.message : String(error)}`);
    throw error;
  } finally {
    for (const node of nodes) await node.service.end('SIGKILL');
    await balancer?.close();
    network.close();
    await installation.close();
  }
}

function lineOf(number: number, { acknowledged, blow, doubtful, faults, outageMilliseconds, refusals }: FailoverRound) {
  const verdict = faults.length === 0 ? 'good' : `${faults.length} FAULTS`;
  const counts = `${acknowledged} changes, ${doubtful} in doubt, ${refusals} refused`;
  return `round ${number} ${blow}: no change for ${Math.round(outageMilliseconds)} ms, ${counts}, ${verdict}`;
}
