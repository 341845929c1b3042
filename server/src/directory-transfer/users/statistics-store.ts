import { type Db, run } from '../../platform/postgres/index.ts';

const FILLED = ['users', 'user_sign_in', 'user_attribute_values', 'user_unique_values', 'group_members'] as const;

/** Until the statistics are updated, the planner may choose to read all users of a large org. */
export async function gatherStatistics(db: Db): Promise<void> {
  for (const table of FILLED) await run(db, `analyze ${table}`, []);
}
