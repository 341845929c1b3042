import { type Db, run } from '../../platform/postgres/index.ts';

/** The tables that an import writes. */
const FILLED = ['users', 'user_sign_in', 'user_attribute_values', 'user_unique_values', 'group_members'] as const;

/**
 * Updates the planner's statistics after an import. Query plans that were made for a few rows would read all users of a
 * large org. Autovacuum may take a minute to update the statistics.
 */
export async function gatherStatistics(db: Db): Promise<void> {
  for (const table of FILLED) await run(db, `analyze ${table}`, []);
}
