import type { OrgId } from '../../../kernel/words/ids.ts';
import {
  loginValues,
  type SignInSubject,
  SUBJECT_BY_LOGIN,
  type SubjectRow,
  subjectOf,
} from '../../../management/users/index.ts';
import { type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';
import { ATTEMPT_LIMITS, type AttemptKind } from '../rules.ts';

export interface AttemptKey {
  readonly kind: AttemptKind;
  /** A SHA-256 hash, which hides the addresses and names that people try. */
  readonly hash: Buffer;
  readonly windowStart: Date;
}

export interface AttemptCount {
  readonly kind: AttemptKind;
  readonly count: number;
}

const columns = (keys: readonly AttemptKey[]) => [
  keys.map(({ kind }) => kind),
  keys.map(({ hash }) => hash),
  keys.map(({ windowStart }) => windowStart),
];

/** This clause adds one to the counter `a`, or starts it again at 1 in a new window. */
const COUNTED = `count = case when a.window_start >= excluded.window_start then a.count + 1 else 1 end,
  window_start = greatest(a.window_start, excluded.window_start)`;

/** Works in key order, so that concurrent requests do not deadlock. */
export function addAttempts(db: Db | Tx, orgId: OrgId, keys: readonly AttemptKey[]): Promise<AttemptCount[]> {
  const text = `insert into sign_in_attempts as a (org_id, kind, key_hash, window_start, count)
      select $1, d.kind, d.key_hash, d.window_start, 1
      from unnest($2::text[], $3::bytea[], $4::timestamptz[]) as d (kind, key_hash, window_start)
      order by d.kind, d.key_hash
    on conflict (org_id, kind, key_hash) do update set ${COUNTED}
    returning a.kind, a.count`;
  return prepared<AttemptCount>(db, 'sign_in_attempts_add', text, [orgId, ...columns(keys)]);
}

/**
 * The counter of the key `d`. Without `limit 1`, a plan that was made while the table was small could read all counters
 * of the org.
 */
const COUNTER = `(select f.kind, f.count, f.window_start from sign_in_attempts f
  where f.org_id = $1 and f.kind = d.kind and f.key_hash = d.key_hash limit 1)`;

export function findAttempts(db: Db, orgId: OrgId, keys: readonly AttemptKey[]): Promise<AttemptCount[]> {
  const text = `select a.kind, a.count
    from unnest($2::text[], $3::bytea[], $4::timestamptz[]) as d (kind, key_hash, window_start)
      cross join lateral ${COUNTER} a
    where a.window_start >= d.window_start`;
  return prepared<AttemptCount>(db, 'sign_in_attempts_find', text, [orgId, ...columns(keys)]);
}

export interface AttemptToBe {
  readonly login: string;
  readonly deviceHash: Buffer | null;
  /** The counters of failures, which apply only to devices that the user is not known to use. */
  readonly failures: readonly AttemptKey[];
  /** The counters of attempts: one for the user's known device, and one for all other devices. */
  readonly own: AttemptKey;
  readonly others: AttemptKey;
}

export interface OpenedAttempt {
  readonly subject: SignInSubject | undefined;
  /** A counter of failures that has reached its limit, so that no attempt is counted; null if there is none. */
  readonly reached: AttemptKind | null;
  /** The number of attempts in this window, including this one; null if `reached` is set. */
  readonly attempts: number | null;
}

type OpenedRow = (SubjectRow | { readonly id: null }) & Omit<OpenedAttempt, 'subject'>;

const IS_KNOWN = 'exists (select from subject s where s."isKnownDevice")';

/**
 * Finds the user who signs in, checks the limits of failures, and counts the attempt unless one is reached, all in one
 * statement.
 */
export async function openAttempt(db: Db, orgId: OrgId, attempt: AttemptToBe): Promise<OpenedAttempt> {
  const text = `with subject as materialized (${SUBJECT_BY_LOGIN}),
    reached as materialized (
      select a.kind
      from unnest($5::text[], $6::bytea[], $7::timestamptz[], $8::integer[])
          as d (kind, key_hash, window_start, maximum)
        cross join lateral ${COUNTER} a
      where a.window_start >= d.window_start and a.count >= d.maximum and not ${IS_KNOWN} limit 1),
    counted as (
      insert into sign_in_attempts as a (org_id, kind, key_hash, window_start, count)
        select $1, $9, case when ${IS_KNOWN} then $10::bytea else $11::bytea end, $12::timestamptz, 1
        where not exists (select from reached)
      on conflict (org_id, kind, key_hash) do update set ${COUNTED}
      returning a.count)
    select s.*, r.kind as reached, c.count as attempts from (values (1)) as one (n)
      left join subject s on true left join reached r on true left join counted c on true`;
  const { deviceHash, failures, login, others, own } = attempt;
  const maxima = failures.map(({ kind }) => ATTEMPT_LIMITS[kind].attempts);
  const counter = [own.kind, own.hash, others.hash, own.windowStart];
  const values = [orgId, ...loginValues(login, deviceHash), ...columns(failures), maxima, ...counter];
  const [row] = await prepared<OpenedRow>(db, 'sign_in_attempt_open', text, values);
  if (row === undefined) throw new Error('a count was not returned');
  const { attempts, reached, ...found } = row;
  return { attempts, reached, subject: found.id === null ? undefined : subjectOf(found) };
}
