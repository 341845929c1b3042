import type { Context } from '../../../kernel/context.ts';
import { enqueue, type Job, type JobAgain, type JobKind } from '../../../platform/jobs/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { type Foundation, type Record, systemContext } from '../../../system-log/index.ts';
import { assertMayPlaceAnew } from '../changes/guards.ts';
import { compiledRules } from './compiled-group-rule.ts';
import { evaluateRulesForUsers } from './evaluate-rules-for-users.ts';
import { applyRules } from './evaluate-users.ts';
import { readUsersAfter } from './evaluation-store.ts';
import { advancePass, beginPass, endPass, findRuleState, lockRulesShared, requestPass } from './state-store.ts';

export type GroupRuleJobPorts = Pick<Foundation, 'work' | 'clock' | 'namespace'>;

export const EVALUATE_ALL = 'groupRules.evaluate';

/** The number of users per transaction. */
export const USERS_PER_BATCH = 200;
/** The number of batches after which other jobs get a turn. */
const BATCHES_PER_RUN = 100;

/** Requests a pass over all users. Returns the number of the pass. */
export async function requestEvaluation(tx: Tx, context: Context): Promise<number> {
  const requested = await requestPass(tx, context.orgId);
  await enqueue(tx, context.orgId, { kind: EVALUATE_ALL, payload: {}, runAt: context.now, dedupeKey: 'all' });
  return requested;
}

/**
 * Requests a pass if active rules depend on groups. Call this before the version is renewed, because compiled rules are
 * cached by version.
 */
export async function requestEvaluationOfGroups(tx: Tx, context: Context): Promise<void> {
  const state = await findRuleState(tx, context.orgId);
  if (state === undefined) return;
  const { asksGroups } = await compiledRules(tx, context.orgId, state.version);
  if (!asksGroups) return;
  await assertMayPlaceAnew(tx, context);
  await requestEvaluation(tx, context);
}

async function finish(tx: Tx, context: Context, record: Record, from: string | null): Promise<boolean> {
  const state = await findRuleState(tx, context.orgId);
  const isAskedAgain = await endPass(tx, context.orgId, from, context.now);
  if (isAskedAgain === null) return true;
  if (state !== undefined) {
    const { added, failed, removed, usersExamined } = state;
    record({
      eventType: 'group.user_membership.rule.evaluation',
      debugData: {
        usersExamined: String(usersExamined),
        added: String(added),
        removed: String(removed),
        failed: String(failed),
      },
    });
  }
  return isAskedAgain;
}

/**
 * Runs one batch of the requested or running pass. Returns false if nothing is left for this process to do. The batch
 * first evaluates users without locking them. It then locks the users whose memberships would change and evaluates them
 * again.
 */
async function evaluateBatch(tx: Tx, context: Context, record: Record): Promise<boolean> {
  const { orgId } = context;
  const state = await lockRulesShared(tx, orgId);
  if (state === undefined) return false;
  const isNew = state.running === null;
  if (isNew && state.requested <= state.completed) return false;
  // Another process has begun, advanced or ended the pass, so the next batch reads its state again.
  if (isNew && !(await beginPass(tx, orgId, context.now))) return true;
  const from = isNew ? null : state.cursor;
  const compiled = await compiledRules(tx, orgId, state.version);
  const users = compiled.rules.length === 0 ? [] : await readUsersAfter(tx, orgId, from, USERS_PER_BATCH);
  const last = users.at(-1);
  if (last === undefined) return finish(tx, context, record, from);
  const { added, exhausted, removed } = await evaluateRulesForUsers(tx, context, compiled, users);
  const changing = [...added, ...removed].map(({ userId }) => userId);
  const counts = await applyRules(tx, context, record, compiled, changing);
  await advancePass(tx, orgId, { from, to: last.id, examined: users.length, failed: exhausted.length, ...counts });
  return true;
}

async function evaluateAll(ports: GroupRuleJobPorts, { isHeld, orgId, signal }: Job): Promise<JobAgain | undefined> {
  const { clock, namespace, work } = ports;
  for (let batch = 0; batch < BATCHES_PER_RUN && !signal.aborted && isHeld(); batch += 1) {
    const context = systemContext({ orgId, namespace, name: 'group-rules', now: clock.now() });
    if (!(await work(context, (tx, record) => evaluateBatch(tx, context, record)))) return undefined;
  }
  // The cursor is in the database, so any process can continue the pass.
  return { runAgainAt: clock.now() };
}

export const evaluationJobs = (ports: GroupRuleJobPorts): Readonly<{ [kind: string]: JobKind }> => ({
  [EVALUATE_ALL]: { run: (job) => evaluateAll(ports, job) },
});
