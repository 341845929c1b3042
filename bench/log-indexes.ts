import type pg from 'pg';

// The ledger's indexes are dropped while it is filled, and created again as they were, week by week.

interface IndexDefinition {
  readonly name: string;
  readonly definition: string;
  /** Definition of the constraint that the index belongs to; null: none. */
  readonly constraintDefinition: string | null;
}

const FIND = `select c.relname as name, pg_get_indexdef(i.indexrelid) as definition,
    pg_get_constraintdef(k.oid) as "constraintDefinition"
  from pg_index i join pg_class c on c.oid = i.indexrelid left join pg_constraint k on k.conindid = i.indexrelid
  where i.indrelid = 'log_events'::regclass order by i.indexrelid`;

const dropOf = ({ constraintDefinition, name }: IndexDefinition): string =>
  constraintDefinition === null ? `drop index ${name}` : `alter table log_events drop constraint ${name}`;

/** Creates the index on one partition or on all. PostgreSQL adopts the indexes that partitions already have. */
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
 * Runs `fill` without indexes; it reports complete partitions, and continues while `indexer` indexes them. Returns the
 * seconds that indexes took.
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
    // One at a time, so that what waits to be indexed is still in memory.
    await before;
    before = timed(indexes.map((index) => createOf(index, partition)));
    // The next waiting caller gets the failure.
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
