import type pg from 'pg';

// This module drops the ledger's indexes before the ledger is filled, and creates them again one week at a time.

interface IndexDefinition {
  readonly name: string;
  readonly definition: string;
  readonly constraintDefinition: string | null;
}

const FIND = `select c.relname as name, pg_get_indexdef(i.indexrelid) as definition,
    pg_get_constraintdef(k.oid) as "constraintDefinition"
  from pg_index i join pg_class c on c.oid = i.indexrelid left join pg_constraint k on k.conindid = i.indexrelid
  where i.indrelid = $1::regclass and not ($2 and i.indisprimary) order by i.indexrelid`;

const dropOf = (table: string, { constraintDefinition, name }: IndexDefinition): string =>
  constraintDefinition === null ? `drop index ${name}` : `alter table ${table} drop constraint ${name}`;

/**
 * Returns the statement that creates the index on a partition or on the whole table. PostgreSQL adopts the indexes that
 * partitions already have.
 */
function createOf({ constraintDefinition, definition, name }: IndexDefinition, table: string): string {
  if (constraintDefinition !== null) {
    return `alter table ${table} add constraint ${table}_${name} ${constraintDefinition}`;
  }
  return definition.replace(
    /^CREATE (UNIQUE )?INDEX \S+ ON (ONLY )?\S+/,
    `create $1index ${table}_${name} on ${table}`,
  );
}

async function createOnTable(indexer: pg.Client, table: string, indexes: readonly IndexDefinition[]): Promise<void> {
  for (const index of indexes) await indexer.query(createOf(index, table));
  for (const { constraintDefinition, name } of indexes) {
    const made = `${table}_${name}`;
    await indexer.query(
      constraintDefinition === null
        ? `alter index ${made} rename to ${name}`
        : `alter table ${table} rename constraint ${made} to ${name}`,
    );
  }
}

/**
 * Runs `fill` without indexes. `fill` reports each complete partition and continues while `indexer` indexes that
 * partition. Returns the seconds spent on indexes.
 */
export async function withIndexesAfterwards(
  indexer: pg.Client,
  table: string,
  fill: (index: (partition: string) => Promise<void>) => Promise<void>,
): Promise<number> {
  const { rows: indexes } = await indexer.query<IndexDefinition>(FIND, [table, false]);
  let milliseconds = 0;
  const timed = async (work: () => Promise<void>): Promise<void> => {
    const started = performance.now();
    await work();
    milliseconds += performance.now() - started;
  };
  for (const index of indexes) await indexer.query(dropOf(table, index));
  let before: Promise<void> = Promise.resolve();
  await fill(async (partition) => {
    // Partitions are indexed one at a time, while their rows are still in memory.
    await before;
    before = timed(async () => {
      for (const index of indexes) await indexer.query(createOf(index, partition));
    });
    // The next `await before` throws the error; this line only marks it as handled.
    before.catch(() => undefined);
  });
  await before;
  await timed(() => createOnTable(indexer, table, indexes));
  return milliseconds / 1_000;
}

/** Runs `fill` while the table has its primary key only, which sealing needs. The rows must have left afterwards. */
export async function withKeyOnly(indexer: pg.Client, table: string, fill: () => Promise<void>): Promise<void> {
  const { rows: indexes } = await indexer.query<IndexDefinition>(FIND, [table, true]);
  for (const index of indexes) await indexer.query(dropOf(table, index));
  await fill();
  await createOnTable(indexer, table, indexes);
}
