import type { OrgId } from '../../src/kernel/words/ids.ts';
import { type LogSigner, type RetentionReport, runRetention, verifyOrg } from '../../src/system-log/index.ts';
import { openTestDatabase, type TestDatabase } from './database.ts';
import { newProofKey, proofSigner } from './log-proof.ts';
import { created, LogBench, targetIds, testClock } from './system-log.ts';

const DAY = 86_400_000;

export const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY);

export class RetentionBench {
  readonly database: TestDatabase;
  readonly signer: LogSigner;
  log: LogBench;

  private constructor(database: TestDatabase, signer: LogSigner) {
    this.database = database;
    this.signer = signer;
    this.log = new LogBench(database.pool, testClock(new Date()));
  }

  /** The events are rows of `log_events`, because rows of `log_fresh` leave as segments. */
  static async open(): Promise<RetentionBench> {
    const database = await openTestDatabase({ isSwitched: false });
    return new RetentionBench(database, proofSigner(database.db, await newProofKey()));
  }

  close(): Promise<void> {
    return this.database.close();
  }

  /** Deletes the log and all orgs, and lets the next retention run trust the clock. */
  async clear(): Promise<void> {
    this.log = new LogBench(this.database.pool, testClock(new Date()));
    await this.log.query('truncate log_events, log_anchors, log_inputs');
    await this.log.query('delete from orgs');
    await this.noteClock(daysAgo(0), daysAgo(500));
  }

  /** Stores the times that an earlier retention run would have stored. */
  async noteClock(seenAt: Date, trustedFrom: Date): Promise<void> {
    await this.log.query(
      `insert into installation (name, value) values ('log_retention_clock', $1)
       on conflict (name) do update set value = excluded.value`,
      [JSON.stringify({ seenAt, trustedFrom })],
    );
  }

  async newOrg(logRetentionDays?: number): Promise<OrgId> {
    const orgId = await this.log.newOrg();
    if (logRetentionDays !== undefined) await this.setWindow(orgId, logRetentionDays);
    return orgId;
  }

  async setWindow(orgId: OrgId, logRetentionDays: number): Promise<void> {
    await this.log.query('update orgs set settings = $2 where id = $1', [orgId, JSON.stringify({ logRetentionDays })]);
  }

  /**
   * Records one event for each age in days. The ages must decrease. The target of each event is named after the age.
   */
  async writeAt(orgId: OrgId, ...ages: readonly number[]): Promise<void> {
    for (const age of ages) {
      this.log.clock.set(daysAgo(age));
      await this.log.write(orgId, [created(`at${age}`)]);
      await this.log.drainAll();
    }
    this.log.clock.set(new Date());
  }

  run(signal: AbortSignal = new AbortController().signal, logSigner = this.signer): Promise<RetentionReport> {
    const { clock, connections } = this.log;
    return runRetention({ connections, clock, logSigner }, signal);
  }

  verify(orgId: OrgId) {
    return verifyOrg(this.log.connections, orgId);
  }

  async keptOf(orgId: OrgId): Promise<string[]> {
    const text = 'select body from log_unsealed where org_id = $1 order by position';
    const rows = await this.log.query<{ body: string }>(text, [orgId]);
    return targetIds(rows.map(({ body }) => JSON.parse(body)));
  }

  async anchorsOf(orgId: OrgId): Promise<number[]> {
    const text = 'select position::integer from log_anchors where org_id = $1 order by position';
    const rows = await this.log.query<{ position: number }>(text, [orgId]);
    return rows.map(({ position }) => position);
  }

  /** Returns how many partitions of the log contain only events from before a time. */
  async partitionsBefore(instant: Date): Promise<number> {
    const text = 'select count(*)::integer as count from log_weeks() where last_instant <= $1';
    const [row] = await this.log.query<{ count: number }>(text, [instant]);
    return row?.count ?? 0;
  }
}
