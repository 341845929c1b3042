import { setTimeout as delay } from 'node:timers/promises';
import { openConnection, requestBytes } from '../connection.ts';
import { authorizationOf, type Gatehouse, newPlace, type Place, startGatehouse } from '../gatehouse.ts';
import { assertGood } from '../load.ts';
import { type InstallationMemory, memoryOf } from '../memory.ts';
import type { Result, Side } from '../result.ts';
import type { Row, RowOptions } from '../row.ts';

/** The server needs its database to answer this request. */
async function answerOnce({ endpoint, token }: Gatehouse): Promise<void> {
  const connection = await openConnection(endpoint, 0);
  assertGood(await connection.send(requestBytes(endpoint, 'GET', '/api/v1/users/me', authorizationOf(token))));
  connection.close();
}

export async function secondsToAnswer({ build, node }: RowOptions, place: Place, asUser: boolean): Promise<number> {
  const gatehouse = await startGatehouse({ place, asUser, build, node });
  try {
    await answerOnce(gatehouse);
    return (performance.now() - gatehouse.startedAt) / 1_000;
  } finally {
    await gatehouse.stop();
  }
}

async function idleMemory({ build, node, sizes }: RowOptions, place: Place): Promise<InstallationMemory | null> {
  const gatehouse = await startGatehouse({ place, asUser: true, build, node });
  try {
    await answerOnce(gatehouse);
    await delay(sizes.idleSeconds * 1_000);
    return memoryOf(gatehouse.pid);
  } finally {
    await gatehouse.stop();
  }
}

const MEGABYTES_WITH_ONE_WORKER = 120;
const MEGABYTES_OF_FURTHER_WORKERS = 80;

const line = (work: string, unit: Side['unit'], values: readonly number[], bound: number): Result => ({
  work,
  gatehouse: { name: 'Gatehouse', unit, values },
  beside: null,
  target: { bound, atLeast: false },
});

async function run(options: RowOptions): Promise<readonly Result[]> {
  const { sizes } = options;
  const place = await newPlace();
  try {
    // The first start creates the installation. Only later starts are measured.
    await secondsToAnswer(options, place, true);
    const seconds: number[] = [];
    for (let start = 0; start < sizes.starts; start += 1) seconds.push(await secondsToAnswer(options, place, true));
    const warm = line('warm `npm start` to the first answer', 's', seconds, 1);
    const memory = await idleMemory(options, place);
    if (memory === null) return [warm];
    const { megabytes, workers } = memory;
    const bound = MEGABYTES_WITH_ONE_WORKER + (workers - 1) * MEGABYTES_OF_FURTHER_WORKERS;
    const work = `memory (PSS) of all processes, workers: ${workers}, ${sizes.idleSeconds} s after the start`;
    return [warm, line(work, 'MB', [megabytes], bound)];
  } finally {
    await place.remove();
  }
}

/** This row measures the start of an existing installation with `npm start`, and the memory of the idle server. */
export const start: Row = {
  name: 'start',
  settings: ({ sizes }) => `not pinned to a core, ${sizes.starts} starts`,
  run,
};
