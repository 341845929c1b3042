import { describe, expect, test } from 'vitest';
import {
  createPool,
  type Db,
  prepared,
  readerOver,
  readTogether,
  requestReaderOver,
} from '../../src/platform/postgres/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';

// Reads that start together leave in one packet, which PostgreSQL runs in one transaction (ADR 0086).

const database = beforeTests(() => openTestDatabase());

const placeOf = (db: Db, name: string) =>
  prepared<{ pid: number; begun: string }>(db, name, 'select pg_backend_pid() as pid, now()::text as begun', []);
const failing = (db: Db) => prepared(db, 'reads_failing', 'select 1 / $1::integer as quotient', [0]);

describe('reads that start together', () => {
  test('run in one transaction, which differs from that of the next reads', async () => {
    const both = () =>
      readTogether(readerOver(database.pool), (db) =>
        Promise.all([placeOf(db, 'reads_one'), placeOf(db, 'reads_other')]),
      );
    const [[one], [other]] = await both();
    expect(one).toEqual(other);
    const [[next]] = await both();
    expect(next?.begun).not.toEqual(one?.begun);
  });

  test('fail with the error of the first that fails', async () => {
    const reading = readTogether(readerOver(database.pool), (db) =>
      Promise.all([placeOf(db, 'reads_one'), failing(db), placeOf(db, 'reads_other')]),
    );
    await expect(reading).rejects.toMatchObject({ code: '22012' });
    expect(await placeOf(readerOver(database.pool), 'reads_one')).toHaveLength(1);
  });

  test('are refused if they start later, because the packet has left', async () => {
    const reading = readTogether(readerOver(database.pool), async (db) => {
      await placeOf(db, 'reads_one');
      return placeOf(db, 'reads_other');
    });
    await expect(reading).rejects.toThrow('the packet has been sent');
  });

  test('fail with 503 for a request if the database cannot be reached', async () => {
    const pool = createPool({
      connection: { ...database.connection, host: '127.0.0.1', port: 1 },
      maximumConnections: 1,
      applicationName: 'nowhere',
      statementTimeoutMilliseconds: 1_000,
    });
    const both = (db: Db) => Promise.all([placeOf(db, 'reads_one'), placeOf(db, 'reads_other')]);
    await expect(readTogether(requestReaderOver(pool), both)).rejects.toMatchObject({ code: 'E0000181', status: 503 });
    await expect(readTogether(readerOver(pool), both)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await pool.end();
  });
});
