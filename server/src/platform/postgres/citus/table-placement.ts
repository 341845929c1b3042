/**
 * The tables that each Citus node has a full copy of. They hold what must be unique over all orgs, or what a request
 * needs before it knows its org. They are small and change rarely.
 */
export const REFERENCE_TABLES: readonly string[] = ['orgs', 'org_domains'];

/** The table whose shards the shards of all others with an `org_id` are placed with. */
export const FIRST_DISTRIBUTED_TABLE = 'users';

/** The column whose value decides the shard of a row. */
export const DISTRIBUTION_COLUMN = 'org_id';
