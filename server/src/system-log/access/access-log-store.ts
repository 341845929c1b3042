import type { OrgId } from '../../kernel/words/ids.ts';
import { type Db, type Outdated, run, sweep, type Tx } from '../../platform/postgres/index.ts';

/** Returns false if the read was already recorded. */
export async function noteRead(tx: Tx, orgId: OrgId, readerId: string, hour: Date): Promise<boolean> {
  const rows = await run(
    tx,
    `insert into log_access (org_id, reader_id, hour) values ($1, $2, $3)
     on conflict (org_id, reader_id, hour) do nothing returning hour`,
    [orgId, readerId, hour],
  );
  return rows.length > 0;
}

/** Records that a reader sent a cursor from before the period that queries cover. */
export async function noteSkip(tx: Tx, orgId: OrgId, readerId: string, position: number, now: Date): Promise<boolean> {
  const rows = await run(
    tx,
    `insert into log_cursor_skips (org_id, reader_id, position, skipped_at) values ($1, $2, $3, $4)
     on conflict (org_id, reader_id, position) do nothing returning position`,
    [orgId, readerId, position, now],
  );
  return rows.length > 0;
}

const OLD_READS: Outdated = {
  table: 'log_access',
  key: { hour: 'timestamptz', reader_id: 'text' },
  condition: 'hour < $1',
};

const OLD_SKIPS: Outdated = {
  table: 'log_cursor_skips',
  key: { position: 'bigint', reader_id: 'text' },
  condition: 'skipped_at < $1',
};

export async function dropOldReads(db: Db, before: Date): Promise<void> {
  await sweep(db, OLD_READS, before);
}

export async function dropOldSkips(db: Db, before: Date): Promise<void> {
  await sweep(db, OLD_SKIPS, before);
}
