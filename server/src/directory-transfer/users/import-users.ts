import type { Context } from '../../kernel/context.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { TransferError } from '../formats/raw-rows.ts';
import type { UserImportPorts } from '../ports.ts';
import { type Batch, batchesOf, inLanes } from './batches.ts';
import { type ImportRun, importBatch, type ReadBatch, readBatch } from './import-batch.ts';
import { NOTHING, sum } from './import-counts.ts';
import {
  doneBatches,
  finishJournal,
  forgetJournal,
  type ImportCounts,
  type ImportJournal,
  journaledProblems,
  lockJournal,
  openJournal,
} from './import-journal-store.ts';
import {
  assertAttributes,
  type ImportHooks,
  type ImportReport,
  modeOf,
  typesByName,
  type UserImportRequest,
} from './import-request.ts';
import type { UsersFile } from './open-users-file.ts';
import { retryWhileUnavailable } from './retry.ts';
import { gatherStatistics } from './statistics-store.ts';

/** A batch ends when it reaches one of these limits, in rows and in UTF-16 units. */
export const BATCH = { rows: 1_000, bytes: 4_194_304 } as const;
const LANES = 4;
/** Imports of files up to this size do not update the database's statistics. */
const FEW_BYTES = 262_144;

/** Collects the options that a resumed run must repeat. */
const requestFacts = ({
  administrators,
  existing,
  format,
  ignoreUnknown,
}: UserImportRequest): Readonly<Record<string, unknown>> => ({
  kind: 'users',
  administrators,
  format,
  existing,
  ignoreUnknown,
});

const debugDataOf = (request: UserImportRequest, more: Readonly<Record<string, string | number>>) => ({
  ...Object.fromEntries(Object.entries(requestFacts(request)).map(([name, value]) => [name, String(value)])),
  file: request.fileName,
  fileSha256: request.file.digest.toString('hex'),
  operator: request.operator,
  ...Object.fromEntries(Object.entries(more).map(([name, value]) => [name, String(value)])),
});

/** Throws TransferError if an unfinished import was started with other options. */
function assertSameRequest(journal: ImportJournal, request: UserImportRequest): void {
  const facts = requestFacts(request);
  // The journal of an older version may lack newer options. Missing options count as not set.
  const begunWith = (name: string): unknown => journal.request[name] ?? false;
  const other = Object.keys(facts).find((name) => begunWith(name) !== facts[name]);
  if (other === undefined) return;
  const begun = String(begunWith(other));
  throw new TransferError(
    `The import of this file was started with ${other} ${begun}. Use the same value to continue it.`,
  );
}

async function begin(
  ports: UserImportPorts,
  context: Context,
  request: UserImportRequest,
): Promise<{ readonly journal: ImportJournal; readonly isNew: boolean }> {
  const { digest } = request.file;
  return ports.work(context, async (tx, record) => {
    if (request.again) await forgetJournal(tx, context.orgId, digest);
    const found = await openJournal(tx, context.orgId, digest, {
      fileName: request.fileName,
      request: requestFacts(request),
      batchRows: BATCH.rows,
      batchBytes: BATCH.bytes,
      startedAt: context.now,
    });
    if (found.journal.finishedAt !== null) return found;
    assertSameRequest(found.journal, request);
    const phase = found.isNew ? 'started' : 'resumed';
    record({ eventType: 'system.import.start', debugData: debugDataOf(request, { phase }) });
    return found;
  });
}

async function* openBatches(
  batches: AsyncIterable<Batch>,
  done: ReadonlySet<number>,
  { read }: UsersFile,
): AsyncGenerator<ReadBatch> {
  for await (const batch of batches) if (!done.has(batch.number)) yield readBatch(batch, read);
}

async function doneBefore(db: Db, run: ImportRun): Promise<{ numbers: Set<number>; counts: ImportCounts }> {
  const numbers = new Set<number>();
  let counts = NOTHING;
  for await (const { number, outcome } of doneBatches(db, run.context.orgId, run.digest)) {
    numbers.add(number);
    counts = sum(counts, outcome);
  }
  return { numbers, counts };
}

async function importRest(
  ports: UserImportPorts,
  run: ImportRun,
  request: UserImportRequest,
  journal: ImportJournal,
  hooks: ImportHooks,
): Promise<void> {
  const before = await doneBefore(ports.db, run);
  let { counts } = before;
  let bytes = 0;
  const pages = request.file.rows((read) => {
    bytes = read;
  });
  const batches = batchesOf(pages, { rows: journal.batchRows, bytes: journal.batchBytes });
  const reading = openBatches(batches, before.numbers, request.file);
  await inLanes(
    reading,
    LANES,
    (batch) => batch.logins,
    async (batch) => {
      await hooks.throttle();
      const context = { ...run.context, now: hooks.now() };
      const result = await retryWhileUnavailable(() => importBatch(ports, { ...run, context }, batch));
      if (result !== null) counts = sum(counts, result.counts);
      hooks.progressed({ bytes, counts });
    },
  );
}

async function finish(
  ports: UserImportPorts,
  run: ImportRun,
  request: UserImportRequest,
  hooks: ImportHooks,
): Promise<ImportCounts> {
  const { orgId } = run.context;
  const context = { ...run.context, now: hooks.now() };
  return ports.work(context, async (tx, record) => {
    const { finishedAt, outcome } = await lockJournal(tx, orgId, run.digest);
    if (finishedAt !== null) return outcome ?? NOTHING;
    // The problems come from the journal, because another run may have imported some of the batches.
    await hooks.problems(journaledProblems(tx, orgId, run.digest));
    const { counts } = await doneBefore(tx, run);
    await finishJournal(tx, orgId, run.digest, context.now, counts);
    const { leftOut, ...numbers } = counts;
    const names = Object.keys(leftOut).slice(0, 20).join(', ');
    const debugData = debugDataOf(request, { ...numbers, ...(names === '' ? {} : { leftOut: names }) });
    record({ eventType: 'system.import.complete', debugData });
    return counts;
  });
}

/**
 * Imports a file of users, or the rest of the file after an earlier run. Each batch is one transaction, which contains
 * the users, their events and a journal entry. A continued import therefore neither loses nor repeats a row.
 */
export async function importUsersFile(
  ports: UserImportPorts,
  context: Context,
  request: UserImportRequest,
  hooks: ImportHooks,
): Promise<ImportReport> {
  const types = await typesByName(ports.db, context);
  await assertAttributes(ports, context, types, request);
  const { isNew, journal } = await begin(ports, context, request);
  if (journal.finishedAt !== null) {
    return { counts: journal.outcome ?? NOTHING, isResumed: false, finishedBefore: journal.finishedAt };
  }
  const { digest } = request.file;
  const run: ImportRun = { context, digest, types, mode: modeOf(request, true) };
  try {
    await importRest(ports, run, request, journal, hooks);
    await request.file.assertUnchanged();
  } catch (error) {
    // This run reports the problems found so far. The next run reports them again.
    await hooks.problems(journaledProblems(ports.db, context.orgId, digest));
    throw error;
  }
  if (request.file.bytes > FEW_BYTES) await gatherStatistics(ports.db);
  return { counts: await finish(ports, run, request, hooks), isResumed: !isNew, finishedBefore: null };
}
