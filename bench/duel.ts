import { CpuMeter, sumOf } from './cpu.ts';
import { type Gatehouse, newPlace, startGatehouse } from './gatehouse.ts';
import { type Caller, closedLoop, type Load, WarmUp } from './load.ts';
import { type Peer, startPeer } from './peer.ts';
import { type Result, type Side } from './result.ts';
import type { Row, RowOptions } from './row.ts';

export interface Arena {
  readonly gatehouse: Gatehouse;
  readonly peer: Peer;
}

/** Starts the product and the peer on one PostgreSQL. `close` stops both and removes their files. */
export async function openArena({
  build,
  node,
  plain,
  profileDirectory,
}: RowOptions): Promise<Arena & { close(): Promise<void> }> {
  const place = await newPlace();
  try {
    const gatehouse = await startGatehouse({ place, plain, profileDirectory, build, node });
    try {
      const peer = await startPeer(gatehouse, place, node);
      const close = async (): Promise<void> => {
        await peer.stop();
        await gatehouse.stop();
        await place.remove();
      };
      return { gatehouse, peer, close };
    } catch (error) {
      await gatehouse.stop();
      throw error;
    }
  } catch (error) {
    await place.remove();
    throw error;
  }
}

export async function withArena<Value>(options: RowOptions, use: (arena: Arena) => Promise<Value>): Promise<Value> {
  const arena = await openArena(options);
  try {
    return await use(arena);
  } finally {
    await arena.close();
  }
}

/**
 * A limit or peer with which the product is compared. `bound` is the target for the ratio of the product's rate to the
 * rate of the limit or peer. Null means that there is no target.
 */
export interface Beside {
  readonly name: string;
  readonly bound: number | null;
  readonly measure: () => Promise<Load>;
}

/** One kind of work of a row, with the limits and peers for comparison. */
export interface Contest {
  readonly work: string;
  readonly note?: string;
  readonly gatehouse: () => Promise<Load>;
  readonly besides: readonly Beside[];
}

/** A row whose sides take turns. */
export interface Duel {
  readonly name: string;
  readonly settings: (options: RowOptions) => string;
  readonly prepare: (arena: Arena, options: RowOptions) => Promise<Prepared>;
}

export interface Prepared {
  readonly contests: readonly Contest[];
  close?(): Promise<void>;
}

/**
 * Returns functions that make closed loops against the product or the peer. A loop warms up once for all its rounds.
 */
export function loopsOf({ gatehouse, peer }: Arena, { sizes }: RowOptions) {
  const { connections, seconds } = sizes;
  const loop = (endpoint: Arena['peer']['endpoint'], meter: CpuMeter) => {
    const warmUp = new WarmUp(sizes.warmUp);
    return (caller: (connection: number) => Caller) => () =>
      closedLoop(endpoint, { connections, seconds, warmUp, meter, caller });
  };
  return {
    /** Each call has its own warm-up, because different requests run different code. */
    gatehouse: (caller: (connection: number) => Caller) =>
      loop(gatehouse.endpoint, CpuMeter.ofProduct(gatehouse))(caller),
    peer: (caller: (connection: number) => Caller) =>
      loop(peer.endpoint, CpuMeter.ofPeer(peer.pid, gatehouse.pool))(caller),
  };
}

interface Turns {
  readonly gatehouse: Load[];
  readonly besides: readonly Load[][];
}

async function takeTurns(contest: Contest, rounds: number): Promise<Turns> {
  const turns: Turns = { gatehouse: [], besides: contest.besides.map(() => []) };
  // Other load on the machine affects all sides alike, because they take turns.
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { measure }] of contest.besides.entries()) turns.besides[index]?.push(await measure());
    turns.gatehouse.push(await contest.gatehouse());
  }
  return turns;
}

export function sideOf(name: string, loads: readonly Load[]): Side {
  const values = loads.map(({ perSecond }) => perSecond);
  const used = loads.flatMap(({ cpu }) => (cpu === undefined ? [] : [cpu]));
  const cpu = used.toSorted((one, other) => sumOf(one) - sumOf(other))[used.length >> 1];
  return { name, unit: 'per second', values, ...(cpu === undefined ? {} : { cpu }) };
}

function resultsOf({ besides, note, work }: Contest, turns: Turns): Result[] {
  const gatehouse = sideOf('Gatehouse', turns.gatehouse);
  return besides.map(({ bound, name }, index) => ({
    work: index === 0 ? work : `${work}, beside another`,
    gatehouse,
    beside: sideOf(name, turns.besides[index] ?? []),
    target: bound === null ? null : { bound, atLeast: true },
    ...(note === undefined ? {} : { note }),
  }));
}

export const duelRow = (duel: Duel): Row & { readonly duel: Duel } => ({
  name: duel.name,
  settings: duel.settings,
  duel,
  run: (options) =>
    withArena(options, async (arena) => {
      const prepared = await duel.prepare(arena, options);
      try {
        const results: Result[] = [];
        for (const contest of prepared.contests)
          results.push(...resultsOf(contest, await takeTurns(contest, options.sizes.rounds)));
        return results;
      } finally {
        await prepared.close?.();
      }
    }),
});

/** Returns the rate of work that consists of these parts, one after the other on the same core. */
export const oneAfterTheOther = (loads: readonly Load[]): Load => ({
  perSecond: 1 / loads.reduce((sum, { perSecond }) => sum + 1 / perSecond, 0),
  p50: Number.NaN,
  p99: Number.NaN,
});
