import { type Gatehouse, newPlace, startGatehouse } from './gatehouse.ts';
import type { Load } from './load.ts';
import { type Peer, startPeer } from './peer.ts';
import type { Result } from './result.ts';
import type { RowOptions } from './row.ts';

export interface Arena {
  readonly gatehouse: Gatehouse;
  readonly peer: Peer;
}

/**
 * Starts the product and the limit program on one core with one PostgreSQL. `close` stops both and removes their files.
 */
export async function openArena({ plain, profileDirectory }: RowOptions): Promise<Arena & { close(): Promise<void> }> {
  const place = await newPlace();
  try {
    const gatehouse = await startGatehouse({ place, plain, profileDirectory });
    try {
      const peer = await startPeer(gatehouse, place);
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

/** Opens an arena, passes it to `use`, and closes it afterward. */
export async function withArena<Value>(options: RowOptions, use: (arena: Arena) => Promise<Value>): Promise<Value> {
  const arena = await openArena(options);
  try {
    return await use(arena);
  } finally {
    await arena.close();
  }
}

export interface Sides {
  readonly gatehouse: () => Promise<Load>;
  readonly limit: () => Promise<Load>;
}

export interface Rates {
  readonly gatehouse: readonly Load[];
  readonly limit: readonly Load[];
}

/** Runs both sides alternately in every round, so that other load on the machine affects both. */
export async function takeTurns(rounds: number, sides: Sides): Promise<Rates> {
  const gatehouse: Load[] = [];
  const limit: Load[] = [];
  for (let round = 0; round < rounds; round += 1) {
    limit.push(await sides.limit());
    gatehouse.push(await sides.gatehouse());
  }
  return { gatehouse, limit };
}

/** Makes one line of the result table from the requests per second of both sides. */
export const rateResult = (
  work: string,
  beside: string,
  bound: number | null,
  rates: Rates,
  note?: string,
): Result => ({
  work,
  gatehouse: { name: 'Gatehouse', unit: 'per second', values: rates.gatehouse.map((load) => load.perSecond) },
  beside: { name: beside, unit: 'per second', values: rates.limit.map((load) => load.perSecond) },
  target: bound === null ? null : { bound, atLeast: true },
  ...(note === undefined ? {} : { note }),
});
