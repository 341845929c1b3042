import { afterAll, beforeAll, expect, test } from 'vitest';
import { repeatingOutbound } from '../support/hook-receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { useEveryRoute } from './use-every-route.ts';

/**
 * Whoever holds a connection and waits for a second one waits for others who do the same: with as many of them as there
 * are connections nobody ever gets one. With one connection it takes one.
 */
let service: TestService;

beforeAll(async () => {
  service = await startTestService({ maximumConnections: 1, outbound: repeatingOutbound });
});
afterAll(() => service.close());

test('every operation, and every job that follows from one, has enough of one connection', async () => {
  await useEveryRoute(service);
  await service.drained();
  const waited = 'timeout exceeded when trying to connect';
  expect(service.logged()).not.toContain(waited);
  const { rows } = await service.database.pool.query('select kind, last_error from jobs where last_error like $1', [
    `%${waited}%`,
  ]);
  expect(rows).toEqual([]);
}, 120_000);
