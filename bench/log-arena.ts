import { type Arena, openArena } from './duel.ts';
import { fillLog, type LogData } from './log-data.ts';
import type { RowOptions } from './row.ts';

export interface LogArena extends Arena {
  readonly data: LogData;
}

interface Open {
  readonly key: string;
  readonly arena: Promise<LogArena & { close(): Promise<void> }>;
}

let open: Open | null = null;

async function fill(options: RowOptions) {
  const { logEvents, logPeople, logSmallOrgEvents, logSmallOrgs } = options.sizes;
  const arena = await openArena(options);
  try {
    const made = { events: logEvents, people: logPeople, smallOrgs: logSmallOrgs, smallOrgEvents: logSmallOrgEvents };
    const data = await fillLog(arena.gatehouse, { ...made, days: 89 }, { isCopied: true });
    const [all, sealed] = [data.allEvents, data.sealedEvents].map((events) => events.toLocaleString('en-US'));
    console.log(`    ${all} events made in ${Math.round(data.seconds)} s, ${sealed} of them sealed`);
    console.log(`    sealing or indexes took ${Math.round(data.afterSeconds)} s`);
    return { ...arena, data };
  } catch (error) {
    await arena.close();
    throw error;
  }
}

/** The benchmark rows that read a large log share this arena, because filling it takes minutes. */
export function logArena(options: RowOptions): Promise<LogArena> {
  const key = JSON.stringify([options.sizes.name, options.plain, options.build, options.node]);
  if (open?.key !== key) open = { key, arena: fill(options) };
  return open.arena;
}

export async function closeLogArena(): Promise<void> {
  const opened = open;
  open = null;
  const arena = await opened?.arena.catch(() => null);
  await arena?.close();
}
