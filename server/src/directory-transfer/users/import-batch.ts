import type { Context } from '../../kernel/context.ts';
import { ApiError, type ErrorCause } from '../../kernel/errors/errors.ts';
import { loginKey } from '../../kernel/texts/text.ts';
import { type ImportedUser, type ImportMode, type ImportOutcome, importUsers } from '../../management/users/index.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import type { NewEvent, Record as RecordEvent } from '../../system-log/index.ts';
import { knownAttributes, valuesBySchema } from '../formats/profile-values.ts';
import type { RowProblem } from '../formats/raw-rows.ts';
import { isRefused, OTHERS, type ReadRow, type UserRecord } from '../formats/user-record.ts';
import type { UserImportPorts } from '../ports.ts';
import type { Batch } from './batches.ts';
import { MAXIMUM_LEFT_OUT } from './import-counts.ts';
import { claimBatch, type ImportCounts, inSavepoint, type NumberedProblem, noteBatch } from './import-journal-store.ts';

export interface ImportRun {
  readonly context: Context;
  readonly digest: Buffer;
  readonly mode: ImportMode;
  readonly types: ReadonlyMap<string, string>;
}

export interface ReadBatch {
  readonly number: number;
  readonly rows: number;
  readonly users: readonly NumberedUser[];
  readonly problems: readonly NumberedProblem[];
  /** The keys of the logins in the batch. Batches that share a login are imported one after the other. */
  readonly logins: ReadonlySet<string>;
}

interface NumberedUser {
  readonly row: number;
  readonly record: UserRecord;
  readonly login: string | null;
}

export interface BatchResult {
  readonly counts: ImportCounts;
  readonly problems: readonly NumberedProblem[];
}

const loginOf = ({ profile }: UserRecord): string | null => {
  const login = profile['login'];
  return typeof login === 'string' && login !== '' ? login : null;
};

/** The maximum number of problems to report for a row. Another entry says how many more there are. */
const MAXIMUM_PROBLEMS = 20;

function toldOf(row: number, problems: readonly RowProblem[]): NumberedProblem[] {
  const told = problems.slice(0, MAXIMUM_PROBLEMS).map((problem) => ({ row, ...problem }));
  const left = problems.length - told.length;
  return left === 0 ? told : [...told, { row, field: '', reason: `has ${left} more problems.` }];
}

export function readBatch(batch: Batch, read: (text: string) => ReadRow): ReadBatch {
  const users: NumberedUser[] = [];
  const problems: NumberedProblem[] = [];
  for (const row of batch.rows) {
    const found: ReadRow = 'text' in row ? read(row.text) : [row.problem];
    if (isRefused(found)) problems.push(...toldOf(row.number, found));
    else users.push({ row: row.number, record: found, login: loginOf(found) });
  }
  const logins = new Set(users.flatMap(({ login }) => (login === null ? [] : loginKey(login))));
  return { number: batch.number, rows: batch.rows.length, users, problems, logins };
}

const CAUSE_FIELD = /^([\w.-]{1,100}): (.*)$/s;
const MAXIMUM_REASON = 300;

function problemOf({ errorSummary }: ErrorCause): RowProblem {
  const [, field = '', reason = errorSummary] = CAUSE_FIELD.exec(errorSummary) ?? [];
  return { field, reason: reason.slice(0, MAXIMUM_REASON) };
}

interface Tried {
  readonly outcomes: readonly ImportOutcome[];
  readonly leftOut: Readonly<Record<string, number>>;
}

class LeftOut {
  readonly #counts = new Map<string, number>();

  add(names: Iterable<string>): void {
    for (const name of names) {
      const key = this.#counts.has(name) || this.#counts.size < MAXIMUM_LEFT_OUT ? name : OTHERS;
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    }
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }
}

function importedUser({ record }: NumberedUser, run: ImportRun, leftOut: LeftOut): ImportedUser {
  const typeId = record.type === null ? null : (run.types.get(record.type) ?? record.type);
  return {
    typeId,
    status: record.status,
    password: record.password,
    isEmailVerified: record.isEmailVerified,
    profileFor: (schema) => {
      const { known, unknown } = knownAttributes(record, schema);
      leftOut.add([...record.leftOut, ...unknown]);
      return valuesBySchema(known, record.isText, schema);
    },
  };
}

/** Imports users one by one if `isCareful` is true, so that an invalid user does not make the whole batch fail. */
async function tryUsers(
  ports: UserImportPorts,
  run: ImportRun,
  batch: ReadBatch,
  tx: Tx,
  record: RecordEvent,
  isCareful: boolean,
): Promise<Tried> {
  const leftOut = new LeftOut();
  const { context, mode } = run;
  const users = batch.users.map((user) => importedUser(user, run, leftOut));
  const logins = batch.users.map(({ login }) => login);
  if (!isCareful) {
    const outcomes = await importUsers({ tx, context, mode, record }, users, logins);
    return { outcomes, leftOut: leftOut.counts };
  }
  const outcomes: ImportOutcome[] = [];
  for (const [index, user] of users.entries()) {
    const events: NewEvent[] = [];
    const pass = { tx, context, mode, record: (event: NewEvent) => void events.push(event) };
    try {
      const login = logins[index] ?? null;
      outcomes.push(...(await inSavepoint(tx, () => importUsers(pass, [user], [login]))));
      for (const event of events) record(event);
    } catch (error) {
      const known = ports.explain(error);
      if (!(known instanceof ApiError) || known.status >= 500) throw error;
      outcomes.push({ kind: 'refused', causes: known.causes });
    }
  }
  return { outcomes, leftOut: leftOut.counts };
}

async function addToGroups(
  ports: UserImportPorts,
  run: ImportRun,
  batch: ReadBatch,
  outcomes: readonly ImportOutcome[],
  groups: ReadonlyMap<string, string>,
  { record, tx }: { readonly record: RecordEvent; readonly tx: Tx },
): Promise<number> {
  if (!run.mode.writes) return 0;
  const members = new Map<string, string[]>();
  batch.users.forEach((user, index) => {
    const outcome = outcomes[index];
    if (outcome === undefined || outcome.kind === 'refused' || outcome.kind === 'skipped') return;
    if (outcome.userId === null) return;
    for (const name of user.record.groups) {
      const groupId = groups.get(name);
      if (groupId !== undefined) members.set(groupId, [...(members.get(groupId) ?? []), outcome.userId]);
    }
  });
  let added = 0;
  for (const [groupId, userIds] of [...members].toSorted(([left], [right]) => (left < right ? -1 : 1))) {
    added += await ports.groups.add(tx, run.context, record, groupId, userIds);
  }
  return added;
}

const countOf = (outcomes: readonly ImportOutcome[], kind: ImportOutcome['kind']): number =>
  outcomes.filter((outcome) => outcome.kind === kind).length;

function resultOf(batch: ReadBatch, { leftOut, outcomes }: Tried, memberships: number): BatchResult {
  const problems: NumberedProblem[] = [...batch.problems];
  batch.users.forEach(({ row }, index) => {
    const outcome = outcomes[index];
    if (outcome?.kind !== 'refused') return;
    problems.push(...toldOf(row, outcome.causes.map(problemOf)));
  });
  problems.sort((left, right) => left.row - right.row);
  return {
    problems,
    counts: {
      rows: batch.rows,
      created: countOf(outcomes, 'created'),
      updated: countOf(outcomes, 'updated'),
      unchanged: countOf(outcomes, 'unchanged'),
      skipped: countOf(outcomes, 'skipped'),
      refused: batch.rows - batch.users.length + countOf(outcomes, 'refused'),
      memberships,
      leftOut,
    },
  };
}

/** Refuses users whose rows name a group to which the import cannot add them. */
function withoutUnknownGroups(batch: ReadBatch, groups: ReadonlyMap<string, string>): ReadBatch {
  const isUnknown = ({ record }: NumberedUser): boolean => record.groups.some((name) => !groups.has(name));
  if (!batch.users.some(isUnknown)) return batch;
  const refused = batch.users.filter(isUnknown).map(({ row }) => ({
    row,
    field: 'groups',
    reason:
      'names a group that users cannot be added to, or a group of administrators, which requires --administrators.',
  }));
  const users = batch.users.filter((user) => !isUnknown(user));
  return { ...batch, users, problems: [...batch.problems, ...refused] };
}

/**
 * Creates missing groups, then imports a batch in one transaction. A trial writes nothing. Returns null if the batch is
 * already imported or the journal was deleted.
 */
export async function importBatch(
  ports: UserImportPorts,
  run: ImportRun,
  read: ReadBatch,
): Promise<BatchResult | null> {
  const { context, digest, mode } = run;
  const { orgId } = context;
  const names = [...new Set(read.users.flatMap(({ record }) => record.groups))];
  const groups = names.length === 0 ? new Map<string, string>() : await ports.groups.named(context, names, mode);
  const batch = withoutUnknownGroups(read, groups);
  const attempt = (isCareful: boolean): Promise<BatchResult | null> =>
    ports.work(context, async (tx, record) => {
      if (mode.writes && !(await claimBatch(tx, orgId, digest, batch.number))) return null;
      const tried = await tryUsers(ports, run, batch, tx, record, isCareful);
      const memberships = await addToGroups(ports, run, batch, tried.outcomes, groups, { record, tx });
      const result = resultOf(batch, tried, memberships);
      if (mode.writes) await noteBatch(tx, orgId, digest, batch.number, result);
      return result;
    });
  try {
    return await attempt(false);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return attempt(true);
  }
}
