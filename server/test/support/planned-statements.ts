import { randomUUID } from 'node:crypto';
import { test } from 'vitest';
import { isOnCitus } from './citus.ts';
import type { SeenStatement } from './spy-on-statements.ts';

/** PostgreSQL plans the first five calls of a prepared statement for their values in any case. */
export const FEWEST_PLANS = 5;

interface OpenTransaction {
  query(text: string): Promise<{ readonly rows: readonly { readonly plans?: number }[] }>;
  query(statement: { readonly name: string; readonly text: string; readonly values: unknown[] }): Promise<unknown>;
}

/** Runs a statement ten times in an open transaction, undoes each run, and returns how many runs had their own plan. */
export async function plansOfTen(
  client: OpenTransaction,
  { text, values }: SeenStatement = { text: '', values: [] },
): Promise<number | undefined> {
  // A connection keeps the text of a name.
  const name = `planned_${randomUUID()}`;
  for (let call = 0; call < 10; call += 1) {
    await client.query('savepoint before_call');
    await client.query({ name, text, values: [...values] });
    await client.query('rollback to before_call');
  }
  const found = await client.query(
    `select custom_plans::integer as plans from pg_prepared_statements where name = '${name}'`,
  );
  return found.rows[0]?.plans;
}

/**
 * Runs a test only without Citus. There, the coordinator plans a statement anew for each call, and each worker has a
 * plan of its own for it.
 */
export const testOfPlans = test.skipIf(isOnCitus);
