import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canPin, spawnFree, spawnSubject } from '../cores.ts';
import type { EventWriteRates, EventWriteSettings } from '../event-write-program.ts';
import { newPlace } from '../gatehouse.ts';
import type { Result, Side } from '../result.ts';
import type { Row, RowOptions } from '../row.ts';

const PROGRAM = fileURLToPath(new URL('../event-write-program.ts', import.meta.url));

async function runProgram(
  settings: EventWriteSettings,
  spawn: typeof spawnSubject,
  { node, profileDirectory }: RowOptions,
): Promise<EventWriteRates> {
  const profile = profileDirectory === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDirectory}`];
  const given = [...profile, '--import', 'tsx', PROGRAM, JSON.stringify(settings)];
  const child = spawn(node, given, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  const answer = await Promise.race([once(child, 'message'), exited.then(() => null)]);
  if (answer === null) throw new Error('the program of the event write row failed');
  await exited;
  return answer[0] as EventWriteRates;
}

const side = (name: string, values: readonly number[]): Side => ({ name, unit: 'per second', values });

async function ratesOn(spawn: typeof spawnSubject, options: RowOptions): Promise<EventWriteRates> {
  const place = await newPlace();
  try {
    const { rounds, seconds, warmUp, writers } = options.sizes;
    const dataDirectory = join(place.directory, 'data');
    return await runProgram({ dataDirectory, writers, rounds, seconds, warmUp }, spawn, options);
  } finally {
    await place.remove();
  }
}

const BESIDE = 'the same without the event';

async function run(options: RowOptions): Promise<readonly Result[]> {
  const one = await ratesOn(spawnSubject, options);
  const beside = side(BESIDE, one.without);
  const results: Result[] = [
    {
      work: 'business write + event',
      gatehouse: side('Gatehouse', one.withEvent),
      beside,
      target: { bound: 0.5, atLeast: true },
    },
    {
      work: 'business write + event, until the last one is in the ledger',
      gatehouse: side('Gatehouse', one.intoLedger),
      beside,
      target: null,
    },
  ];
  if (!canPin) return results;
  const all = await ratesOn(spawnFree, options);
  return [
    ...results,
    {
      work: 'business write + event, on all cores',
      gatehouse: side('Gatehouse', all.withEvent),
      beside: side(BESIDE, all.without),
      target: null,
    },
  ];
}

/**
 * This row measures a transaction that writes one business row and one event, compared with the same transaction
 * without the event.
 */
export const eventWrite: Row = {
  name: 'event-write',
  settings: ({ sizes }) => `unit of work, outbox and relay in one process, no HTTP, ${sizes.writers} writers`,
  run,
};
