import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../../../kernel/context.ts';
import { invalid, notFound } from '../../../kernel/errors/errors.ts';
import { type OrgId, toOrgId } from '../../../kernel/words/ids.ts';
import { enqueue, INSTALLATION, type Job, type JobAgain, type JobKind } from '../../../platform/jobs/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { type Foundation, systemContext } from '../../../system-log/index.ts';
import { findDefaultOrgId } from '../cross-org-store.ts';
import { findOrg, findOrgForUpdate, type Org } from '../store.ts';
import { orgTarget } from '../wire.ts';
import { closeOrg, deleteOrg, deleteRows, findLogEnd, findOrgTables, isSince, isWriterLeft } from './deletion-store.ts';

export type OrgDeletionPorts = Pick<Foundation, 'db' | 'work'>;

export interface OrgDeletion {
  readonly orgId: OrgId;
  readonly closedAt: Date;
}

const JOB = 'orgs.delete';
/** Small batches keep locks short, and a crash loses little work. */
const BATCH_ROWS = 2_000;
/** The batches of tables with very large rows. A segment of the log has up to some 20 MB. */
const SMALL_BATCHES: Readonly<Record<string, number>> = { log_segments: 16 };
/** After this number of seconds, no new transaction treats the org as active. */
const GRACE_SECONDS = 10;
const LOOK_MILLISECONDS = 1_000;
/** After this number of seconds, processes have written what they held in memory about the org. */
const LATE_SECONDS = 120;
/** The deletion must continue until it succeeds, because nothing would start it again. */
const MAXIMUM_ATTEMPTS = 1_000_000;

async function homeOf(db: Db): Promise<OrgId> {
  const orgId = await findDefaultOrgId(db);
  if (orgId === null) throw new Error('there is no default org');
  return orgId;
}

/**
 * Begins the deletion of an org. A job deletes the org's rows, including its log. `context` belongs to the default org,
 * whose log records the deletion.
 */
export async function beginOrgDeletion(
  { db, work }: OrgDeletionPorts,
  context: Context,
  orgId: OrgId,
  debugData: Readonly<Record<string, string>> = {},
): Promise<OrgDeletion> {
  if (orgId === (await homeOf(db)) || context.orgId === orgId) {
    throw invalid(
      'subdomain',
      'The first org of an installation cannot be deleted, because its log records the other orgs.',
    );
  }
  return work(context, async (tx, record) => {
    const org = await findOrgForUpdate(tx, orgId);
    if (org === undefined) throw notFound(orgId, 'Organization');
    const closedAt = await closeOrg(tx, orgId);
    const payload = { orgId, closedAt: closedAt.toISOString() };
    await enqueue(tx, INSTALLATION, { kind: JOB, payload, runAt: context.now, dedupeKey: orgId });
    if (org.status === 'ACTIVE') {
      const end = await findLogEnd(tx, orgId);
      const logEnd = end === null ? 'none' : `${end.position}:${end.hash}`;
      record({
        eventType: 'account.org.delete.request',
        target: [orgTarget(org)],
        debugData: { ...debugData, logEnd },
      });
    }
    return { orgId, closedAt };
  });
}

/** Returns the number of deleted rows, or null if the pass was aborted. */
async function deletePass(db: Db, orgId: OrgId, signal: AbortSignal): Promise<number | null> {
  let rows = 0;
  for (const table of await findOrgTables(db)) {
    let place: readonly string[] | null = null;
    do {
      if (signal.aborted) return null;
      const deleted = await deleteRows(db, orgId, table, place, SMALL_BATCHES[table.name] ?? BATCH_ROWS);
      rows += deleted.rows;
      place = deleted.place;
    } while (place !== null);
  }
  return rows;
}

async function finish({ db, work }: OrgDeletionPorts, org: Org, { clock, namespace }: Given): Promise<void> {
  const context = systemContext({ orgId: await homeOf(db), namespace, name: 'orgs', now: clock.now() });
  await work(context, async (tx, record) => {
    if (!(await deleteOrg(tx, org.id))) return;
    record({ eventType: 'system.org.lifecycle.delete', target: [orgTarget(org)] });
  });
}

type Given = Pick<Foundation, 'clock' | 'namespace'>;

/**
 * Deletes the rows of a closed org until none are left and no transaction can add any, and then deletes the org.
 * Returns false if the deletion was aborted. An interrupted deletion can be started again at any point. An org that is
 * active has been imported again since its deletion, and is left as it is.
 */
export async function eraseOrg(
  ports: OrgDeletionPorts,
  { closedAt, orgId }: OrgDeletion,
  given: Given,
  signal: AbortSignal,
): Promise<boolean> {
  for (;;) {
    const org = await findOrg(ports.db, orgId);
    if (org?.status === 'ACTIVE') return true;
    const isQuiet = !(await isWriterLeft(ports.db, orgId, closedAt, GRACE_SECONDS));
    const rows = await deletePass(ports.db, orgId, signal);
    if (rows === null) return false;
    if (org === undefined) return true;
    if (isQuiet && rows === 0) {
      await finish(ports, org, given);
      return true;
    }
    if (rows === 0) await delay(LOOK_MILLISECONDS, undefined, { signal }).catch(() => undefined);
  }
}

const textIn = (payload: Job['payload'], name: string): string => {
  const value = payload[name];
  if (typeof value !== 'string') throw new Error(`the job has no ${name}`);
  return value;
};

/** A job that succeeds within `LATE_SECONDS` of the closure runs once more after that time, to delete late rows. */
export function orgJobs(ports: OrgDeletionPorts & Given): Readonly<Record<string, JobKind>> {
  const run = async ({ payload, signal }: Job): Promise<JobAgain | undefined> => {
    const orgId = toOrgId(textIn(payload, 'orgId'));
    const closedAt = new Date(textIn(payload, 'closedAt'));
    const isErased = await eraseOrg(ports, { orgId, closedAt }, ports, signal);
    if (!isErased) return { runAgainAt: ports.clock.now() };
    if (await isSince(ports.db, closedAt, LATE_SECONDS)) return undefined;
    return { runAgainAt: new Date(ports.clock.now().getTime() + LATE_SECONDS * 1_000) };
  };
  return { [JOB]: { run, maximumAttempts: MAXIMUM_ATTEMPTS } };
}
