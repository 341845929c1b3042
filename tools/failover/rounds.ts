import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Journal } from '../crash/journal.ts';
import { chainFaults, logFaults, stateFaults } from '../crash/rounds.ts';
import { eventually } from '../crash/service-process.ts';
import { type Arena, type ArenaOptions, type Clients, openArena } from './arena.ts';
import { BLOWS, type Blow, type BlowName, type Targets } from './blows.ts';

export interface FailoverOptions extends ArenaOptions {
  readonly blows: readonly BlowName[];
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
/** This is long, because the machine may be busy with other things. */
const RECOVERY_MILLISECONDS = 180_000;
const READ_MILLISECONDS = 50;

async function targetsOf({
  cluster,
  etcd,
  installation,
  nodeMachines,
  nodes,
  proxies,
  sealer,
}: Arena): Promise<Targets> {
  const roles = await cluster.untilWhole();
  const index = randomInt(nodes.length);
  const [node, nodeMachine] = [nodes[index], nodeMachines[index]];
  if (node === undefined || nodeMachine === undefined) throw new Error('two nodes');
  const { pool } = installation;
  return { ...roles, etcd, node, nodeMachine, nodeMachines, proxies, pool, sealer };
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

/** Makes the writers write and the poller read until the returned function is called. */
export function startLoad({ reader, writers }: Clients): () => Promise<void> {
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
  const { cluster, journal, nodes, sealer, writers } = arena;
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
  const faults = [
    ...journal.faults.splice(0),
    ...sealer.faults.splice(0),
    ...(await stateFaults(arena)),
    ...(await logFaults(arena)),
    ...chain,
  ];
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

/** Runs the rounds until the first one with a fault, and tells each to `print`. */
export async function runFailovers(options: FailoverOptions): Promise<readonly FailoverRound[]> {
  const arena = await openArena({ ...options, isSealing: options.blows.includes('killSealer') });
  try {
    const rounds: FailoverRound[] = [];
    for (const [index, name] of options.blows.entries()) {
      const done = await round(arena, name);
      rounds.push(done);
      options.print(`round ${index + 1} ${lineOf(done)}`);
      if (done.faults.length > 0) break;
    }
    if (arena.sealer.segments > 0) options.print(`segments ${arena.sealer.segments}`);
    return rounds;
  } catch (error) {
    // The error must not be hidden by one of the closing.
    options.print(`ended: ${error instanceof Error ? error.message : String(error)}`);
    throw error;
  } finally {
    await arena.close();
  }
}

function lineOf({ acknowledged, blow, doubtful, faults, outageMilliseconds, refusals }: FailoverRound) {
  const verdict = faults.length === 0 ? 'good' : `${faults.length} FAULTS`;
  const counts = `${acknowledged} changes, ${doubtful} in doubt, ${refusals} refused`;
  return `${blow}: no change for ${Math.round(outageMilliseconds)} ms, ${counts}, ${verdict}`;
}
