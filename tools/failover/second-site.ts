import { randomInt } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openDatabaseProxy } from '../../server/test/support/database-proxy.ts';
import { insistent } from '../crash/call.ts';
import { LogReader } from '../crash/log-reader.ts';
import { chainFaults, logFaults, stateFaults } from '../crash/rounds.ts';
import { eventually } from '../crash/service-process.ts';
import type { Balancer } from '../nodes/balancer.ts';
import type { Node } from '../nodes/installation.ts';
import { type Arena, type ArenaOptions, type Clients, openArena, openClients, openFront } from './arena.ts';
import { type Machine } from './network.ts';
import { DATABASE_PORT, openPatroniCluster, type PatroniCluster } from './patroni-cluster.ts';
import { startLoad } from './rounds.ts';
import { findLoss, type SiteLoss } from './site-loss.ts';

export interface SecondSiteOptions extends Pick<ArenaOptions, 'launch' | 'writers'> {
  /** The time that WAL takes from the first site to the second one. */
  readonly delayMilliseconds: number;
  /** The longest time for which the line between the sites stands still before the first one is lost. */
  readonly longestStillMilliseconds: number;
}

export interface SecondSiteRound extends SiteLoss {
  readonly acknowledged: number;
  readonly stillMilliseconds: number;
  /** The last value of `gatehouse_database_standby_lag_bytes` before the loss. */
  readonly lagBytes: number;
  /** The times from the promotion until the second site has a primary with a standby, and until the first change. */
  readonly wholeMilliseconds: number;
  readonly changeMilliseconds: number;
  /** The events that the poller had read, and that are lost. */
  readonly lostReadEvents: number;
  /** The events of the second site that the poller misses if it goes on with its cursor. */
  readonly missedEvents: number;
}

const FEWEST_CHANGES = 200;
const LONGEST_LOAD_MILLISECONDS = 3_000;
const PATIENCE_MILLISECONDS = 240_000;
const LOOK_MILLISECONDS = 100;

interface SecondSite {
  readonly cluster: PatroniCluster;
  readonly nodeMachines: readonly Machine[];
  readonly front: Machine;
  readonly line: Awaited<ReturnType<typeof openDatabaseProxy>>;
  readonly firstSite: readonly Machine[];
}

async function openSecondSite(arena: Arena, delayMilliseconds: number): Promise<SecondSite> {
  const { cluster, etcd, installation, network, nodeMachines } = arena;
  const { primary, standby } = await cluster.untilWhole();
  const line = await openDatabaseProxy({ host: primary.machine.address, port: DATABASE_PORT }, network.address);
  line.delayAnswers(delayMilliseconds);
  const directory = join(installation.directory, 'second-cluster');
  await mkdir(directory, { mode: 0o755 });
  const machines = { etcd: network.machine('etc2'), servers: ['d', 'e'].map((name) => network.machine(name)) };
  const { host = '', port = 0 } = line.connection;
  const second = await openPatroniCluster(directory, machines, { host, port });
  return {
    cluster: second,
    nodeMachines: ['o', 'q'].map((name) => network.machine(name)),
    front: network.machine('h'),
    line,
    // The primary comes first: while it lives, it acknowledges changes.
    firstSite: [primary.machine, standby.machine, etcd, ...nodeMachines],
  };
}

/** Returns the lag of the asynchronous standby, or null if the node does not tell. */
async function lagBytes({ address, managementPort }: Node): Promise<number | null> {
  const text = await fetch(`http://${address}:${managementPort}/metrics`).then(
    (response) => response.text(),
    () => '',
  );
  const found = /^gatehouse_database_standby_lag_bytes\{[^}]*sync="async"[^}]*\} (\S+)$/m.exec(text);
  return found === null ? null : Number(found[1]);
}

interface FirstSiteEnd {
  readonly lagBytes: number;
  readonly stillMilliseconds: number;
}

/** Loads the first site, then kills all of it at a random time. */
async function loseFirstSite(arena: Arena, second: SecondSite, longestStill: number): Promise<FirstSiteEnd> {
  const { journal, nodes } = arena;
  const [node] = nodes;
  if (node === undefined) throw new Error('no node');
  let lag = await eventually('the metric', PATIENCE_MILLISECONDS, () => lagBytes(node));
  const stopping = new AbortController();
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      lag = (await lagBytes(node)) ?? lag;
      await delay(LOOK_MILLISECONDS);
    }
  })();
  const stopLoad = startLoad(arena);
  await eventually('load', PATIENCE_MILLISECONDS, async () => (journal.acknowledged > FEWEST_CHANGES ? true : null));
  await delay(randomInt(LONGEST_LOAD_MILLISECONDS));
  const stillMilliseconds = longestStill === 0 ? 0 : randomInt(longestStill);
  if (stillMilliseconds > 0) second.line.standStill();
  await delay(stillMilliseconds);
  for (const machine of second.firstSite) machine.signal('SIGKILL');
  second.line.cut();
  stopping.abort();
  await Promise.all([stopLoad(), watching]);
  return { lagBytes: lag, stillMilliseconds };
}

interface Promoted {
  readonly nodes: readonly Node[];
  readonly balancer: Balancer;
  readonly clients: Clients;
  readonly wholeMilliseconds: number;
  readonly changeMilliseconds: number;
}

/** Promotes the second site, starts nodes on it and writes to it. */
async function promote(arena: Arena, second: SecondSite, nodes: Node[], options: SecondSiteOptions): Promise<Promoted> {
  const { installation, port } = arena;
  const promotedAt = performance.now();
  second.cluster.promote();
  await second.cluster.untilWhole();
  const wholeMilliseconds = performance.now() - promotedAt;
  const environment = {
    ...arena.environment,
    GATEHOUSE_DATABASE_URL: second.cluster.url,
    GATEHOUSE_TRUSTED_PROXIES: second.front.address,
  };
  const dataDirectory = join(installation.directory, 'second');
  for (const place of second.nodeMachines) {
    const node = await installation.node(place.name, options.launch, { environment, dataDirectory, place });
    nodes.push(node);
    await node.service.start();
  }
  const balancer = await openFront(installation, nodes, port, second.front);
  const clients = await openClients(installation, balancer, options.writers);
  const stopLoad = startLoad(clients);
  await eventually('a change', PATIENCE_MILLISECONDS, async () => (clients.journal.acknowledged > 0 ? true : null));
  const changeMilliseconds = performance.now() - promotedAt;
  await eventually('changes', PATIENCE_MILLISECONDS, async () =>
    clients.journal.acknowledged > FEWEST_CHANGES ? true : null,
  );
  await stopLoad();
  return { nodes, balancer, clients, wholeMilliseconds, changeMilliseconds };
}

/** Reads on with a cursor of the first site, and from the beginning. */
async function comparePollers(arena: Arena, { clients }: Promoted) {
  const { baseUrl } = await arena.installation.bootstrap();
  const fresh = new LogReader(clients.client, baseUrl, arena.since);
  const early = new Set(arena.reader.uuids);
  arena.reader.moveTo(clients.client);
  for (const reader of [fresh, arena.reader])
    await eventually('the log', PATIENCE_MILLISECONDS, async () => ((await reader.readOn()) ? true : null));
  return {
    fresh,
    lostReadEvents: [...early].filter((uuid) => !fresh.uuids.has(uuid)).length,
    missedEvents: [...fresh.uuids].filter((uuid) => !arena.reader.uuids.has(uuid)).length,
  };
}

async function settledFaults({ clients, nodes }: Promoted): Promise<readonly string[]> {
  const [node] = nodes;
  for (const writer of clients.writers) await writer.settle();
  return [
    ...clients.journal.faults,
    ...(await stateFaults(clients)),
    ...(await logFaults(clients)),
    ...(node === undefined ? ['no node'] : await chainFaults(node.service)),
  ];
}

/** Opens two sites, loses the first one under load, and promotes the second one. */
export async function runSecondSite(options: SecondSiteOptions): Promise<SecondSiteRound> {
  const arena = await openArena({ ...options, servers: 2 });
  const nodes: Node[] = [];
  let second: SecondSite | null = null;
  try {
    second = await openSecondSite(arena, options.delayMilliseconds);
    const end = await loseFirstSite(arena, second, options.longestStillMilliseconds);
    const promoted = await promote(arena, second, nodes, options);
    const faults = await settledFaults(promoted);
    const { fresh, ...pollers } = await comparePollers(arena, promoted);
    for (const id of promoted.clients.journal.users.keys()) fresh.byUser.delete(id);
    const loss = await findLoss(arena.journal, fresh, insistent(promoted.clients.client));
    const { changeMilliseconds, wholeMilliseconds } = promoted;
    const { acknowledged } = arena.journal;
    const allFaults = [...arena.journal.faults, ...faults, ...loss.faults];
    return { ...loss, ...end, ...pollers, acknowledged, wholeMilliseconds, changeMilliseconds, faults: allFaults };
  } finally {
    for (const { service } of nodes) await service.end('SIGKILL');
    await second?.line.close();
    await arena.close();
    second?.cluster.close();
  }
}
