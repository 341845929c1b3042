import { expect, test } from 'vitest';
import { type ConnectionSettings, createPool, readerOver } from '../platform/postgres/index.ts';
import { createHousekeeping } from './housekeeping.ts';

test('a step of the sweep that fails skips none of those behind it', async () => {
  const pool = createPool({
    connection: { host: '127.0.0.1', port: 1 } satisfies ConnectionSettings,
    maximumConnections: 1,
    applicationName: 'none',
    statementTimeoutMilliseconds: 100,
  });
  const { sweep } = createHousekeeping({
    db: readerOver(pool),
    clock: { now: () => new Date('2026-11-20T12:00:00Z') },
    limiter: { pendingDeltas: () => [], applyTotals: () => undefined },
    edgeEvents: { flush: async () => undefined },
    routingEvents: { flush: async () => undefined },
    apiTokens: { flushLastUsed: async () => undefined },
    logTrace: { settled: async () => undefined },
    kept: [],
    databaseLog: { failed: () => undefined },
  });
  const failure: unknown = await sweep().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(AggregateError);
  expect(failure).toHaveProperty('errors.length', 12);
  await pool.end();
});
