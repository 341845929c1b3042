import type { OrgId } from '../../kernel/words/ids.ts';
import { type Db, run, type Tx } from '../../platform/postgres/index.ts';
import type { RowProblem } from '../formats/raw-rows.ts';

export interface ImportCounts {
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly skipped: number;
  readonly refused: number;
  readonly memberships: number;
  readonly leftOut: Readonly<Record<string, number>>;
}

export interface NumberedProblem extends RowProblem {
  readonly row: number;
}

export interface ImportJournal {
  readonly fileName: string;
  readonly request: Readonly<Record<string, unknown>>;
  readonly batchRows: number;
  readonly batchBytes: number;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  readonly outcome: ImportCounts | null;
}

const COLUMNS = `file_name as "fileName", request, batch_rows as "batchRows", batch_bytes as "batchBytes",
  started_at as "startedAt", finished_at as "finishedAt", outcome`;

export async function openJournal(
  tx: Tx,
  orgId: OrgId,
  digest: Buffer,
  begun: Pick<ImportJournal, 'fileName' | 'request' | 'batchRows' | 'batchBytes' | 'startedAt'>,
): Promise<{ readonly journal: ImportJournal; readonly isNew: boolean }> {
  const insert = `insert into user_imports
      (org_id, file_digest, file_name, request, batch_rows, batch_bytes, started_at)
    values ($1, $2, $3, $4, $5, $6, $7) on conflict on constraint user_imports_pkey do nothing returning started_at`;
  const { batchBytes, batchRows, fileName, request, startedAt } = begun;
  const values = [orgId, digest, fileName, JSON.stringify(request), batchRows, batchBytes, startedAt];
  const inserted = await run(tx, insert, values);
  const find = `select ${COLUMNS} from user_imports where org_id = $1 and file_digest = $2`;
  const [journal] = await run<ImportJournal>(tx, find, [orgId, digest]);
  if (journal === undefined) throw new Error('The journal of the import no longer exists.');
  return { journal, isNew: inserted.length > 0 };
}

export async function forgetJournal(tx: Tx, orgId: OrgId, digest: Buffer): Promise<void> {
  await run(tx, 'delete from user_imports where org_id = $1 and file_digest = $2', [orgId, digest]);
}

/**
 * Claims a batch for this run. Returns false if the batch or the whole import is done, or if the journal was deleted.
 * Waits for another run that is importing the batch.
 */
export async function claimBatch(tx: Tx, orgId: OrgId, digest: Buffer, number: number): Promise<boolean> {
  const text = `insert into user_import_batches (org_id, file_digest, number, outcome, problems)
    select i.org_id, i.file_digest, $3::integer, '{}', '[]' from user_imports i
    where i.org_id = $1 and i.file_digest = $2 and i.finished_at is null for key share
    on conflict on constraint user_import_batches_pkey do nothing returning number`;
  return (await run(tx, text, [orgId, digest, number])).length > 0;
}

export async function noteBatch(
  tx: Tx,
  orgId: OrgId,
  digest: Buffer,
  number: number,
  done: { readonly counts: ImportCounts; readonly problems: readonly NumberedProblem[] },
): Promise<void> {
  const text = `update user_import_batches set outcome = $4, problems = $5
    where org_id = $1 and file_digest = $2 and number = $3`;
  const problems = done.problems.map(({ field, reason, row }) => [row, field, reason]);
  await run(tx, text, [orgId, digest, number, JSON.stringify(done.counts), JSON.stringify(problems)]);
}

const OUTCOMES_PAGE = 5_000;
const PROBLEMS_PAGE = 50;

export async function* doneBatches(
  db: Db,
  orgId: OrgId,
  digest: Buffer,
): AsyncGenerator<{ readonly number: number; readonly outcome: ImportCounts }> {
  const text = `select number, outcome from user_import_batches
    where org_id = $1 and file_digest = $2 and number > $3 order by number limit ${OUTCOMES_PAGE}`;
  for (let after = -1; ; ) {
    const page = await run<{ number: number; outcome: ImportCounts }>(db, text, [orgId, digest, after]);
    yield* page;
    after = page.at(-1)?.number ?? after;
    if (page.length < OUTCOMES_PAGE) return;
  }
}

export async function* journaledProblems(
  db: Db,
  orgId: OrgId,
  digest: Buffer,
): AsyncGenerator<readonly NumberedProblem[]> {
  const text = `select number, problems from user_import_batches
    where org_id = $1 and file_digest = $2 and number > $3 order by number limit ${PROBLEMS_PAGE}`;
  for (let after = -1; ; ) {
    const page = await run<{ number: number; problems: [number, string, string][] }>(db, text, [orgId, digest, after]);
    for (const { problems } of page) yield problems.map(([row, field, reason]) => ({ row, field, reason }));
    after = page.at(-1)?.number ?? after;
    if (page.length < PROBLEMS_PAGE) return;
  }
}

/** Locks the journal, so that two runs of the same file cannot finish at the same time. */
export async function lockJournal(tx: Tx, orgId: OrgId, digest: Buffer): Promise<ImportJournal> {
  const text = `select ${COLUMNS} from user_imports where org_id = $1 and file_digest = $2 for update`;
  const [journal] = await run<ImportJournal>(tx, text, [orgId, digest]);
  if (journal === undefined) throw new Error('The journal of the import no longer exists.');
  return journal;
}

export async function finishJournal(
  tx: Tx,
  orgId: OrgId,
  digest: Buffer,
  finishedAt: Date,
  outcome: ImportCounts,
): Promise<void> {
  const text = 'update user_imports set finished_at = $3, outcome = $4 where org_id = $1 and file_digest = $2';
  await run(tx, text, [orgId, digest, finishedAt, JSON.stringify(outcome)]);
  await run(tx, 'delete from user_import_batches where org_id = $1 and file_digest = $2', [orgId, digest]);
}

export async function inSavepoint<Result>(tx: Tx, use: () => Promise<Result>): Promise<Result> {
  await run(tx, 'savepoint imported_user', []);
  try {
    const result = await use();
    await run(tx, 'release savepoint imported_user', []);
    return result;
  } catch (error) {
    await run(tx, 'rollback to savepoint imported_user', []);
    throw error;
  }
}
