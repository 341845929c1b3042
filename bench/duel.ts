import { type Gatehouse, newPlace, startGatehouse } from './gatehouse.ts';
import type { Load } from './load.ts';
import { type Peer, startPeer } from './peer.ts';
import type { Result } from './result.ts';
import type { RowOptions } from './row.ts';

export interface Arena {
  readonly gatehouse: Gatehouse;
  readonly peer: Peer;
}

/** The product and the limit, side by side on one core and one PostgreSQL; `close` ends both. */
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

/** Opens an arena for as long as `use` takes. */
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

/** Lets both sides take turns, so that other load on the machine affects both. */
export async function takeTurns(rounds: number, sides: Sides): Promise<Rates> {
  const gatehouse: Load[] = [];
  const limit: Load[] = [];
  for (let round = 0; round < rounds; round += 1) {
    limit.push(await sides.limit());
    gatehouse.push(await sides.gatehouse());
  }
  return { gatehouse, limit };
}

/** Requests per second of both sides, as one line of the table. */
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
