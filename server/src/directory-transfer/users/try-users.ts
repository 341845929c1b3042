import type { Context } from '../../kernel/context.ts';
import { loginKey } from '../../kernel/texts/text.ts';
import type { ImportMode } from '../../management/users/index.ts';
import type { UserImportPorts } from '../ports.ts';
import { batchesOf } from './batches.ts';
import { type BatchResult, type ImportRun, importBatch, type ReadBatch, readBatch } from './import-batch.ts';
import { NOTHING, sum } from './import-counts.ts';
import type { NumberedProblem } from './import-journal-store.ts';
import {
  assertAttributes,
  type ImportHooks,
  type ImportReport,
  modeOf,
  typesByName,
  type UserImportRequest,
} from './import-request.ts';
import { BATCH } from './import-users.ts';
import { SeenLogins } from './seen-logins.ts';

/**
 * Removes users whose login occurs earlier in the file. A trial must find these repeats itself, because it stores no
 * users.
 */
function withoutRepeats(
  batch: ReadBatch,
  seen: SeenLogins,
): { readonly batch: ReadBatch; readonly repeats: readonly number[] } {
  const repeats = new Set<number>();
  for (const { login, row } of batch.users) if (login !== null && seen.add(loginKey(login))) repeats.add(row);
  const users = batch.users.filter(({ row }) => !repeats.has(row));
  return { batch: { ...batch, users, rows: batch.rows - repeats.size }, repeats: [...repeats] };
}

const REPEATED = { skip: 'skipped', update: 'updated', refuse: 'refused' } as const;

function withRepeats(result: BatchResult, rows: readonly number[], existing: ImportMode['existing']): BatchResult {
  const kind = REPEATED[existing];
  const counts = {
    ...result.counts,
    rows: result.counts.rows + rows.length,
    [kind]: result.counts[kind] + rows.length,
  };
  if (existing !== 'refuse') return { ...result, counts };
  const repeated = rows.map((row) => ({ row, field: 'login', reason: 'occurs earlier in the file.' }));
  const problems = [...result.problems, ...repeated].toSorted((left, right) => left.row - right.row);
  return { counts, problems };
}

/** Reports what an import of the file would do, except for memberships, without writing to the database. */
export async function tryUsersFile(
  ports: UserImportPorts,
  context: Context,
  request: UserImportRequest,
  hooks: ImportHooks,
): Promise<ImportReport> {
  const types = await typesByName(ports.db, context);
  await assertAttributes(ports, context, types, request);
  const mode = modeOf(request, false);
  const run: ImportRun = { context, digest: request.file.digest, types, mode };
  const seen = new SeenLogins();
  let counts = NOTHING;
  let bytes = 0;
  const pages = request.file.rows((read) => {
    bytes = read;
  });
  async function* problems(): AsyncGenerator<readonly NumberedProblem[]> {
    for await (const raw of batchesOf(pages, BATCH)) {
      const { batch, repeats } = withoutRepeats(readBatch(raw, request.file.read), seen);
      const result = await importBatch(ports, run, batch);
      if (result === null) continue;
      const whole = withRepeats(result, repeats, request.existing);
      counts = sum(counts, whole.counts);
      hooks.progressed({ bytes, counts });
      yield whole.problems;
    }
  }
  await hooks.problems(problems());
  return { counts, isResumed: false, finishedBefore: null };
}
