import { setTimeout as delay } from 'node:timers/promises';
import {
  connectionsOver,
  type ExportRequest,
  exportPages,
  planExport,
  readTail,
  verifyOrg,
} from '../../src/system-log/index.ts';
import type { Use } from './asking.ts';
import { useSecondPages } from './use-org-routes.ts';

const URL = '/api/v1/logs/checkpoints';
const A_DAY_AND_MORE = 90_000_000;
const AN_HOUR = 3_600_000;

async function checkpoint({ ask, org, service }: Use, count: number): Promise<void> {
  service.clock.advance(A_DAY_AND_MORE);
  await org.createUser();
  await service.drained();
  for (let tries = 0; tries < 1_200; tries += 1) {
    await service.application.jobs.runDue();
    if ((await ask('GET', `${URL}?limit=2`)).length >= count) return;
    await delay(25);
    // A failed job can wait a long time for its next attempt, so the service's clock is moved forward.
    if (tries % 100 === 99) service.clock.advance(AN_HOUR);
  }
  throw new Error('no checkpoint was signed');
}

const RANGES: readonly Partial<ExportRequest>[] = [
  { fromPosition: 2, proof: true },
  { since: new Date(0), format: 'csv', filter: 'actor.id pr' },
];

/** Uses the routes of the log's checkpoints, and the functions with which the command line reads the log. */
export async function useLogRoutes(use: Use): Promise<void> {
  const { org, service } = use;
  await checkpoint(use, 1);
  await checkpoint(use, 2);
  await useSecondPages(use, [`${URL}?limit=1`]);
  const connections = connectionsOver(service.database.pool);
  const { fault } = await verifyOrg(connections, org.id);
  if (fault !== null) throw new Error(`the log does not hold: ${JSON.stringify(fault)}`);
  await readTail(connections, org.id, { count: 3, filter: null });
  for (const range of RANGES) {
    const positions = { fromPosition: null, toPosition: null };
    const request = {
      format: 'ndjson',
      proof: false,
      filter: null,
      since: null,
      until: null,
      ...positions,
      ...range,
    } as const;
    const plan = await planExport({ connections, db: service.database.db }, org.id, request);
    for await (const page of exportPages(connections, org.id, request, plan)) {
      if (page.place.position > plan.to) throw new Error('an export goes beyond its end');
    }
  }
}
