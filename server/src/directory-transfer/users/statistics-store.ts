import { type Db, run } from '../../platform/postgres/index.ts';

/** The tables that an import writes. */
const FILLED = ['users', 'user_sign_in', 'user_attribute_values', 'user_unique_values', 'group_members'] as const;

/**
 * Updates the planner's statistics after an import. Plans made for a few rows would read a whole org of a million
 * users, and autovacuum may take a minute to notice.
 */
export async function gatherStatistics(db: Db): Promise<void> {
  for (const table of FILLED) await run(db, `analyze ${table}`, []);
}
