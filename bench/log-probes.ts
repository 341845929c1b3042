import type { OrgId } from '../server/src/kernel/words/ids.ts';
import type { Pool } from '../server/src/platform/postgres/index.ts';
import { filledTable } from './ledger-table.ts';

/** Values that are common, uncommon and rare in the generated log. */
export interface LogProbes {
  readonly busyActor: string;
  /** The actor of some 60 events. */
  readonly rareActor: string;
  readonly busyTarget: string;
  /** The target of about one event in a hundred. */
  readonly usualTarget: string;
  readonly rareTarget: string;
  readonly sample: Sample;
}

interface Sample {
  readonly uuid: string;
  readonly actor: { readonly alternateId: string };
  readonly client: { readonly ipAddress: string };
  readonly transaction: { readonly id: string };
  readonly authenticationContext: { readonly externalSessionId: string };
}

const actorsIn = (table: string) => `select actor_id as id, count(*)::integer as events from ${table} where org_id = $1
  group by actor_id order by events desc`;
const targetsIn = (table: string) => `select id, count(*)::integer as events from ${table}, unnest(target_ids) id
  where org_id = $1 group by id order by events desc`;
const sampleIn = (table: string) => `select body from ${table}
  where org_id = $1 and event_type = 'user.session.refresh' and position > $2 order by position limit 1`;

interface Counted {
  readonly id: string;
  readonly events: number;
}

const rarest = (counted: readonly Counted[]): string =>
  (counted.find(({ events }) => events <= 60) ?? counted.at(-1))?.id ?? '';

export async function findProbes(pool: Pool, orgId: OrgId, events: number): Promise<LogProbes> {
  const table = await filledTable(pool);
  const { rows: actors } = await pool.query<Counted>(actorsIn(table), [orgId]);
  const { rows: targets } = await pool.query<Counted>(targetsIn(table), [orgId]);
  const { rows: samples } = await pool.query<{ body: string }>(sampleIn(table), [orgId, events >> 1]);
  return {
    busyActor: actors[0]?.id ?? '',
    rareActor: rarest(actors),
    busyTarget: targets[0]?.id ?? '',
    usualTarget: (targets.find((target) => target.events * 100 <= events) ?? targets[0])?.id ?? '',
    rareTarget: rarest(targets),
    sample: JSON.parse(samples[0]?.body ?? '{}') as Sample,
  };
}
