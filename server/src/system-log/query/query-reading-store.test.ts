import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Connections } from '../relay/connections.ts';
import { QueryTimeoutError, withReading } from './query-reading-store.ts';

/** Connections that note each statement, and find nothing. */
function noted(): { readonly connections: Connections; readonly texts: string[] } {
  const texts: string[] = [];
  const query = async (text: string) => {
    texts.push(text);
    return { rows: [], command: '' };
  };
  return { connections: { withConnection: (use) => use({ query }) }, texts };
}

test('a query whose time limit ends between two statements sends no further one', async () => {
  const { connections, texts } = noted();
  const reading = withReading({ connections, timeoutMilliseconds: 0 }, null, ({ connection }) =>
    connection.query('select from log_segments'),
  );
  await expect(reading).rejects.toThrow(QueryTimeoutError);
  expect(texts).toEqual([]);
});

test('all statements of a query share one transaction, and the last statement commits', async () => {
  const { connections, texts } = noted();
  await withReading({ connections, timeoutMilliseconds: 30_000 }, sql`select 1`, async (reading) => {
    await reading.run(sql`select 2`);
    await reading.connection.query('select 3');
    await reading.runLast(sql`select 4`);
  });
  expect(texts.filter((text) => !text.startsWith('set local'))).toEqual([
    'begin isolation level repeatable read, read only',
    'select 1',
    'select 2',
    'select 3',
    'select 4',
    'commit',
  ]);
});
