import { setTimeout as delay } from 'node:timers/promises';
import { openConnection, requestBytes } from '../connection.ts';
import { authorizationOf, type Gatehouse, newPlace, type Place, startGatehouse } from '../gatehouse.ts';
import { assertGood } from '../load.ts';
import type { Result, Side } from '../result.ts';
import type { Row, RowOptions } from '../row.ts';

/** Sends one request with a credential. The server needs its database to answer it. */
async function answerOnce({ endpoint, token }: Gatehouse): Promise<void> {
  const connection = await openConnection(endpoint, 0);
  assertGood(await connection.send(requestBytes(endpoint, 'GET', '/api/v1/users/me', authorizationOf(token))));
  connection.close();
}

/** Returns the resident memory of the server process in MB, as the server reports it to Prometheus. */
export async function residentMegabytes({ managementPort }: Gatehouse): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${managementPort}/metrics`);
  const bytes = Number(/^process_resident_memory_bytes (\S+)/m.exec(await response.text())?.[1]);
  return bytes / 1_000_000;
}

/** Starts the program and returns the seconds until its first answer. The server is stopped again. */
export async function secondsToAnswer(place: Place, asUser: boolean): Promise<number> {
  const gatehouse = await startGatehouse({ place, asUser });
  try {
    await answerOnce(gatehouse);
    return (performance.now() - gatehouse.startedAt) / 1_000;
  } finally {
    await gatehouse.stop();
  }
}

const line = (work: string, unit: Side['unit'], values: readonly number[], bound: number): Result => ({
  work,
  gatehouse: { name: 'Gatehouse', unit, values },
  beside: null,
  target: { bound, atLeast: false },
});

async function run({ sizes }: RowOptions): Promise<readonly Result[]> {
  const place = await newPlace();
  try {
    // The first start creates the installation. Only later starts are measured.
    await secondsToAnswer(place, true);
    const seconds: number[] = [];
    const megabytes: number[] = [];
    for (let start = 0; start < sizes.starts; start += 1) seconds.push(await secondsToAnswer(place, true));
    const gatehouse = await startGatehouse({ place, asUser: true });
    try {
      await answerOnce(gatehouse);
      await delay(sizes.idleSeconds * 1_000);
      megabytes.push(await residentMegabytes(gatehouse));
    } finally {
      await gatehouse.stop();
    }
    return [
      line('warm `npm start` to the first answer', 's', seconds, 1),
      line(`memory of the idle server process, ${sizes.idleSeconds} s after the start`, 'MB', megabytes, 120),
    ];
  } finally {
    await place.remove();
  }
}

/** Measures the start of an existing installation with `npm start`, and the memory of the idle server. */
export const start: Row = {
  name: 'start',
  settings: ({ sizes }) => `not pinned to a core, ${sizes.starts} starts`,
  run,
};
