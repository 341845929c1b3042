import type { Db } from '../connections/database.ts';
import { run } from '../connections/statements.ts';

/** The requests that one process has counted in a window and now adds to the shared count. */
export interface WindowCount {
  readonly orgId: string;
  readonly bucket: string;
  readonly key: string;
  readonly windowStartEpochSeconds: number;
  readonly count: number;
}

const MERGE = `insert into rate_limit_counts (org_id, window_start, bucket, key, count)
  select d.org_id, to_timestamp(d.window_start), d.bucket, d.key, d.count
  from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::bigint[])
    as d (org_id, window_start, bucket, key, count)
  order by 1, 2, 3, 4
  on conflict (org_id, window_start, bucket, key) do update set count = rate_limit_counts.count + excluded.count
  returning org_id as "orgId", extract(epoch from window_start)::bigint as "windowStartEpochSeconds", bucket, key,
    count as total`;

/** Rows are merged in key order to prevent deadlocks. */
export function mergeWindowCounts(
  db: Db,
  deltas: readonly WindowCount[],
): Promise<(Omit<WindowCount, 'count'> & { readonly total: number })[]> {
  return run(db, MERGE, [
    deltas.map((delta) => delta.orgId),
    deltas.map((delta) => delta.windowStartEpochSeconds),
    deltas.map((delta) => delta.bucket),
    deltas.map((delta) => delta.key),
    deltas.map((delta) => delta.count),
  ]);
}
