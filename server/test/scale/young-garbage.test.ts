import { getHeapSpaceStatistics } from 'node:v8';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toOrgId } from '../../src/kernel/words/ids.ts';
import { namespaceOf } from '../../src/kernel/words/namespace.ts';
import {
  createPool,
  createUnitOfWork,
  type Pool,
  prepared,
  readerOver,
  readTogether,
  sendAhead,
} from '../../src/platform/postgres/index.ts';
import { systemContext } from '../../src/system-log/index.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';

// The objects of a request are garbage at once. This test measures how many bytes of them the collector of young
// objects keeps all the same, until the next full collection (ADR 0086). The values of the calls are 4 kB long.

const CALLERS = 16;
const CALLS = 6_000;
const WARM_UP = 1_000;
const LONGEST_KEPT_BYTES = 3_000;

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await openTestDatabase();
  pool = createPool({
    connection: database.connection,
    maximumConnections: 8,
    applicationName: 'young-garbage',
    statementTimeoutMilliseconds: 15_000,
  });
});
afterAll(async () => {
  await pool.end();
  await database.close();
});

const oldBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? 0;

let count = 0;
function value(): string {
  count += 1;
  return Array.from({ length: 200 }, (_, index) => `${count} ${index} and twelve more`).join(',');
}

async function callTimes(times: number, call: () => Promise<unknown>): Promise<void> {
  let left = times;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, work));
}

/** Full collections make the old space smaller, so only its growth counts. */
async function keptBytes(call: () => Promise<unknown>): Promise<number> {
  await callTimes(WARM_UP, call);
  let before = oldBytes();
  let kept = 0;
  const look = (): void => {
    const now = oldBytes();
    kept += Math.max(0, now - before);
    before = now;
  };
  for (let done = 0; done < CALLS; done += 100) {
    await callTimes(100, call);
    look();
  }
  return kept / CALLS;
}

const LENGTH = 'select length($1::text)';
const context = systemContext({
  orgId: toOrgId('00o1'),
  namespace: namespaceOf('svc'),
  name: 'test',
  now: new Date(0),
});

const work = () =>
  createUnitOfWork<{ eventType: string }>({
    pool,
    constraints: {},
    reactions: {},
    outbox: () => ({ name: 'young_outbox', text: LENGTH, values: [value()] }),
    committed: () => undefined,
  });

test.each([
  ['a unit of work that reads', () => work()(context, (tx) => prepared(tx, 'young_read', LENGTH, [value()]))],
  [
    'a unit of work that changes something, with an event',
    () =>
      work()(context, async (tx, record) => {
        record({ eventType: 'young' });
        sendAhead(tx, { name: 'young_change', text: LENGTH, values: [value()] });
      }),
  ],
  ['a read without a transaction', () => prepared(readerOver(pool), 'young_read', LENGTH, [value()])],
  [
    'reads that leave together',
    () =>
      readTogether(readerOver(pool), (db) =>
        Promise.all([prepared(db, 'young_read', LENGTH, [value()]), prepared(db, 'young_too', LENGTH, [value()])]),
      ),
  ],
])('%s leaves nothing to the full collection', async (_, call) => {
  expect(await keptBytes(call)).toBeLessThan(LONGEST_KEPT_BYTES);
});
