import type { RawRow } from '../formats/raw-rows.ts';

/** Consecutive rows of a file. The same file and `BatchSize` always give the same batches. */
export interface Batch {
  readonly number: number;
  readonly rows: readonly RawRow[];
}

export interface BatchSize {
  readonly rows: number;
  readonly bytes: number;
}

const sizeOf = (row: RawRow): number => ('text' in row ? row.text.length : 0);

export async function* batchesOf(
  pages: AsyncIterable<readonly RawRow[]>,
  size: BatchSize,
): AsyncGenerator<Batch, void, undefined> {
  let rows: RawRow[] = [];
  let bytes = 0;
  let number = 0;
  for await (const page of pages) {
    for (const row of page) {
      rows.push(row);
      bytes += sizeOf(row);
      if (rows.length < size.rows && bytes < size.bytes) continue;
      yield { number, rows };
      number += 1;
      rows = [];
      bytes = 0;
    }
  }
  if (rows.length > 0) yield { number, rows };
}

interface Flight {
  readonly keys: ReadonlySet<string>;
  readonly ended: Promise<void>;
}

/**
 * Processes up to `lanes` items concurrently, but items that share a key one after the other. If `use` fails, starts no
 * more items, waits for the running ones, and throws the first failure.
 */
export async function inLanes<Item>(
  items: AsyncIterable<Item>,
  lanes: number,
  keysOf: (item: Item) => ReadonlySet<string>,
  use: (item: Item) => Promise<void>,
): Promise<void> {
  const flights = new Set<Flight>();
  const failures: unknown[] = [];
  const launch = (item: Item, keys: ReadonlySet<string>): void => {
    const ended = use(item).catch((error: unknown) => void failures.push(error));
    const flight: Flight = { keys, ended };
    flights.add(flight);
    void ended.then(() => flights.delete(flight));
  };
  for await (const item of items) {
    const keys = keysOf(item);
    const meets = (flight: Flight): boolean => [...keys].some((key) => flight.keys.has(key));
    while (flights.size >= lanes) await Promise.race([...flights].map(({ ended }) => ended));
    await Promise.all([...flights].filter(meets).map(({ ended }) => ended));
    if (failures.length > 0) break;
    launch(item, keys);
  }
  await Promise.all([...flights].map(({ ended }) => ended));
  if (failures.length > 0) throw failures[0];
}
