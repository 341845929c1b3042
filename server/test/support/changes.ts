import { beforeAll, beforeEach } from 'vitest';
import type { Context } from '../../src/kernel/context.ts';
import { ApiError, apiError } from '../../src/kernel/errors/errors.ts';
import { toOrgId } from '../../src/kernel/words/ids.ts';
import { namespaceOf } from '../../src/kernel/words/namespace.ts';
import {
  createSharedWork,
  createUnitOfWork,
  run,
  type SharedWork,
  type Tx,
  type UnitOfWorkOptions,
} from '../../src/platform/postgres/index.ts';
import { systemContext } from '../../src/system-log/index.ts';
import { beforeTests } from './before-tests.ts';
import { openTestDatabase } from './database.ts';

export interface Made {
  readonly eventType: string;
}

export type UseCase = Parameters<SharedWork<Made>>[2];

export const refusal = () => apiError('E0000038');

export const context: Context = systemContext({
  orgId: toOrgId('00o1'),
  namespace: namespaceOf('svc'),
  name: 'test',
  now: new Date(),
});

export const keysIn = async (tx: Tx): Promise<string[]> =>
  (await run<{ key: string }>(tx, 'select key from changes order by key', [])).map(({ key }) => key);

export const insertion = (key: string) => ({ text: 'insert into changes (key) values ($1)', values: [key] });

/**
 * Makes a database with the tables `changes` and `outbox`, which are empty before each test. The returned units of work
 * write their events to `outbox`.
 */
export function useChanges() {
  const database = beforeTests(() => openTestDatabase());
  let seenByReaction: string[] = [];
  let told: string[] = [];
  beforeAll(async () => {
    await database.pool.query('create table changes (key text, constraint changes_key_key unique (key))');
    await database.pool.query('create table outbox (name text)');
  });
  beforeEach(async () => {
    told = [];
    await database.pool.query('truncate changes, outbox');
  });
  const optionsOf = (pool = database.pool): UnitOfWorkOptions<Made> => ({
    pool,
    constraints: { changes_key_key: () => new ApiError('E0000001', 'taken') },
    reactions: {
      asked: [
        async (tx) => {
          seenByReaction = await keysIn(tx);
        },
      ],
    },
    outbox: (recorded) => {
      const events = recorded.flatMap((one) => one.events);
      if (events.some(({ eventType }) => eventType === 'refused')) throw new Error('an event is refused');
      return {
        text: 'insert into outbox (name) select unnest($1::text[])',
        values: [events.map((event) => event.eventType)],
      };
    },
    committed: (_context, events) => {
      if (events.some(({ eventType }) => eventType === 'untold')) throw new Error('nobody is told');
      told.push(...events.map(({ eventType }) => eventType));
    },
  });
  const newWork = (pool = database.pool) => createUnitOfWork(optionsOf(pool));
  const newSharedWork = (pool = database.pool) => createSharedWork(optionsOf(pool), newWork(pool));
  async function stored(): Promise<{ changes: string[]; outbox: string[] }> {
    const changes = await database.pool.query<{ key: string }>('select key from changes order by key');
    const outbox = await database.pool.query<{ name: string }>('select name from outbox order by name');
    return { changes: changes.rows.map((row) => row.key), outbox: outbox.rows.map((row) => row.name) };
  }
  /** Runs use cases together. Returns their results and errors, in order. */
  async function outcomesOf(useCases: Readonly<Record<string, UseCase>>): Promise<unknown[]> {
    const shared = newSharedWork();
    const running = Object.entries(useCases).map(([key, useCase]) => shared(context, key, useCase));
    return (await Promise.allSettled(running)).map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value : outcome.reason,
    );
  }
  const work = (...given: Parameters<ReturnType<typeof newWork>>) => newWork()(...given);
  const seen = (): readonly string[] => seenByReaction;
  const committed = (): readonly string[] => told.toSorted();
  return { committed, database, newSharedWork, newWork, outcomesOf, seen, stored, work };
}
