import type { OrgId } from '../../../kernel/words/ids.ts';
import {
  type Db,
  foresee,
  foreseen,
  isShared,
  needOwnTransaction,
  prepared,
  type Tx,
  together,
} from '../../../platform/postgres/index.ts';

export interface RuleState {
  /** The version changes whenever the compiled active rules may change. */
  readonly version: string;
  readonly requested: number;
  readonly running: number | null;
  readonly completed: number;
  readonly cursor: string | null;
  readonly usersTotal: number;
  readonly usersExamined: number;
  readonly added: number;
  readonly removed: number;
  /** The number of evaluations that exceeded their budget. */
  readonly failed: number;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}

const COLUMNS = `version::text as version, requested, running, completed, cursor, users_total as "usersTotal",
  users_examined as "usersExamined", added, removed, failed,
  started_at as "startedAt", finished_at as "finishedAt"`;

const FORESEEN = 'group rules';

const LOCK_KEY = `hashtextextended('group-rules:' || $1::text, 0)`;

export async function findRuleState(db: Db, orgId: OrgId): Promise<RuleState | undefined> {
  const text = `select ${COLUMNS} from group_rule_states where org_id = $1`;
  const [row] = await prepared<RuleState>(db, 'group_rule_state', text, [orgId]);
  return row;
}

/**
 * Takes the shared lock under which transactions evaluate rules. Changes to rules wait for the lock, so evaluations by
 * old rules are committed before the next pass begins. Returns undefined if the org never had a rule.
 */
export const lockRulesShared = (tx: Tx, orgId: OrgId): Promise<RuleState | undefined> =>
  foreseen(tx, FORESEEN, () => lockedState(tx, orgId));

/**
 * Takes the shared lock early, for the next call of `lockRulesShared` in this transaction, and then calls `check` with
 * the state.
 */
export const foreseeRules = (
  tx: Tx,
  orgId: OrgId,
  check: (state: RuleState | undefined) => Promise<void> = async () => {},
): void =>
  foresee(tx, FORESEEN, async () => {
    const state = await (isShared(tx) ? freeState(tx, orgId) : lockedState(tx, orgId));
    await check(state);
    return state;
  });

async function freeState(tx: Tx, orgId: OrgId): Promise<RuleState | undefined> {
  const { isLocked, state } = await together(tx, FORESEEN, orgId, (all) => triedState(all, orgId));
  if (!isLocked) needOwnTransaction(tx);
  return state;
}

/** Tries to take the shared lock, without waiting for it, and reads the state. */
async function triedState(tx: Tx, orgId: OrgId) {
  const text = `select pg_try_advisory_xact_lock_shared(${LOCK_KEY}) as "isLocked"`;
  const [[row], state] = await Promise.all([
    prepared<{ isLocked: boolean }>(tx, 'group_rules_try_lock_shared', text, [orgId]),
    findRuleState(tx, orgId),
  ]);
  return { isLocked: row?.isLocked === true, state };
}

async function lockedState(tx: Tx, orgId: OrgId): Promise<RuleState | undefined> {
  // The two statements are sent together. The second must see what was committed while the first waited.
  const [, state] = await Promise.all([
    prepared(tx, 'group_rules_lock_shared', `select pg_advisory_xact_lock_shared(${LOCK_KEY})`, [orgId]),
    findRuleState(tx, orgId),
  ]);
  return state;
}

/** Takes the exclusive lock under which transactions change rules. */
export async function lockRulesExclusively(tx: Tx, orgId: OrgId): Promise<void> {
  await prepared(tx, 'group_rules_lock', `select pg_advisory_xact_lock(${LOCK_KEY})`, [orgId]);
}

/** Afterwards, rules that were compiled from the old version are no longer used. */
export async function renewVersion(tx: Tx, orgId: OrgId): Promise<void> {
  const text = `insert into group_rule_states (org_id, version) values ($1, gen_random_uuid())
    on conflict (org_id) do update set version = excluded.version`;
  await prepared(tx, 'group_rule_state_renew', text, [orgId]);
}

/** Requests a new pass over all users, even if one is running. Returns the number of the pass. */
export async function requestPass(tx: Tx, orgId: OrgId): Promise<number> {
  const text = `insert into group_rule_states as s (org_id, version, requested) values ($1, gen_random_uuid(), 1)
    on conflict (org_id) do update set requested = s.requested + 1 returning requested`;
  const [row] = await prepared<{ requested: number }>(tx, 'group_rule_state_request', text, [orgId]);
  return row?.requested ?? 1;
}

/** Returns false if another process has begun the pass. */
export async function beginPass(tx: Tx, orgId: OrgId, now: Date): Promise<boolean> {
  const text = `update group_rule_states set running = requested, cursor = null, users_examined = 0, added = 0,
      removed = 0, failed = 0, started_at = $2, finished_at = null,
      users_total = (select count(*) from users u where u.org_id = $1 and u.status <> 'DEPROVISIONED')
    where org_id = $1 and running is null returning 1`;
  return (await prepared(tx, 'group_rule_state_begin', text, [orgId, now])).length > 0;
}

export interface PassProgress {
  readonly from: string | null;
  readonly to: string;
  readonly examined: number;
  readonly added: number;
  readonly removed: number;
  readonly failed: number;
}

/** Returns false if another process has advanced or ended the pass since this batch began. */
export async function advancePass(tx: Tx, orgId: OrgId, progress: PassProgress): Promise<boolean> {
  const text = `update group_rule_states set cursor = $3, users_examined = users_examined + $4,
      added = added + $5, removed = removed + $6, failed = failed + $7
    where org_id = $1 and running is not null and cursor is not distinct from $2 returning 1`;
  const { added, examined, failed, from, removed, to } = progress;
  const values = [orgId, from, to, examined, added, removed, failed];
  const moved = await prepared(tx, 'group_rule_state_advance', text, values);
  return moved.length > 0;
}

/**
 * Ends the pass if its cursor is still `from`. Returns whether another pass has been requested in the meantime, or null
 * if another process has advanced or ended the pass.
 */
export async function endPass(tx: Tx, orgId: OrgId, from: string | null, now: Date): Promise<boolean | null> {
  const text = `update group_rule_states set completed = running, running = null, finished_at = $2
    where org_id = $1 and running is not null and cursor is not distinct from $3
    returning requested > completed as "isAskedAgain"`;
  const [row] = await prepared<{ isAskedAgain: boolean }>(tx, 'group_rule_state_end', text, [orgId, now, from]);
  return row?.isAskedAgain ?? null;
}
