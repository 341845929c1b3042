import { type Db, run } from '../../platform/postgres/index.ts';

/** The tables that an import fills. */
const FILLED = ['users', 'user_sign_in', 'user_attribute_values', 'user_unique_values', 'group_members'] as const;

/**
 * Tells the planner what the tables of users hold now: plans made for a few rows read a whole org of a million, and an
 * autovacuum may be a minute away.
 */
export async function gatherStatistics(db: Db): Promise<void> {
  for (const table of FILLED) await run(db, `analyze ${table}`, []);
}
