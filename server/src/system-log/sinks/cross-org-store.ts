import type { OrgId } from '../../kernel/words/ids.ts';
import type { LogConnection } from '../relay/connections.ts';
import { SINK_JOB } from './change-sink.ts';

// Jobs for new events come before retries of failed deliveries, so that hanging targets leave room for working targets.
// The job of a sink in back-off is not updated, so it keeps its scheduled time. A running job is marked once, so that
// the sink looks for new events again when the job ends (platform/jobs: attempts = 0).
// The array is hidden from the planner, which would otherwise prefer a new plan for each call with few orgs.
const WAKE = `insert into jobs (org_id, kind, payload, dedupe_key, run_at)
  select org_id, $2::text, jsonb_build_object('sinkId', id), id, $3::timestamptz - interval '1 day'
  from log_sinks
  where org_id = any ((select $1::text[])::text[]) and status = 'ACTIVE' order by org_id, id
  on conflict on constraint jobs_dedupe_key do update set run_at = excluded.run_at, attempts = 0
    where jobs.lease_until is not null and jobs.attempts > 0`;

/** Schedules the active sinks of orgs, in the transaction that adds events to the orgs' logs. */
export async function wakeSinks(connection: LogConnection, orgIds: readonly OrgId[], now: Date): Promise<void> {
  if (orgIds.length > 0) await connection.query(WAKE, [orgIds, SINK_JOB, now.toISOString()], 'relay_wake_sinks');
}
