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
  where i.indrelid = 'log_events'::regclass order by i.indexrelid`;

const dropOf = ({ constraintDefinition, name }: IndexDefinition): string =>
  constraintDefinition === null ? `drop index ${name}` : `alter table log_events drop constraint ${name}`;

/**
 * Returns the statement that creates the index on one partition, or on the whole table if `partition` is null.
 * PostgreSQL adopts the indexes that partitions already have.
 */
function createOf({ constraintDefinition, definition, name }: IndexDefinition, partition: string | null): string {
  const table = partition ?? 'log_events';
  if (constraintDefinition !== null) {
    return `alter table ${table} add constraint ${table}_${name} ${constraintDefinition}`;
  }
  return definition.replace(
    /^CREATE (UNIQUE )?INDEX \S+ ON (ONLY )?\S+/,
    `create $1index ${table}_${name} on ${table}`,
  );
}

/**
 * Runs `fill` without indexes. `fill` reports each complete partition and continues while `indexer` indexes that
 * partition. Returns the seconds spent on indexes.
 */
export async function withIndexesAfterwards(
  indexer: pg.Client,
  fill: (index: (partition: string) => Promise<void>) => Promise<void>,
): Promise<number> {
  const { rows: indexes } = await indexer.query<IndexDefinition>(FIND);
  let milliseconds = 0;
  const timed = async (statements: readonly string[]): Promise<void> => {
    const started = performance.now();
    for (const statement of statements) await indexer.query(statement);
    milliseconds += performance.now() - started;
  };
  for (const index of indexes) await indexer.query(dropOf(index));
  let before: Promise<void> = Promise.resolve();
  await fill(async (partition) => {
    // Partitions are indexed one at a time, while their rows are still in memory.
    await before;
    before = timed(indexes.map((index) => createOf(index, partition)));
    // The next `await before` throws the error; this line only marks it as handled.
    before.catch(() => undefined);
  });
  await before;
  await timed(indexes.map((index) => createOf(index, null)));
  for (const { constraintDefinition, name } of indexes) {
    const made = `log_events_${name}`;
    await indexer.query(
      constraintDefinition === null
        ? `alter index ${made} rename to ${name}`
        : `alter table log_events rename constraint ${made} to ${name}`,
    );
  }
  return milliseconds / 1_000;
}
