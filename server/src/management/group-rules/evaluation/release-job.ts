import type { Context } from '../../../kernel/context.ts';
import { type Job, type JobAgain, type JobKind, JobRefusedError } from '../../../platform/jobs/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { type Record, systemContext } from '../../../system-log/index.ts';
import { addMembers, removeMembers } from '../../groups/index.ts';
import { evaluateUsers } from './evaluate-users.ts';
import type { GroupRuleJobPorts } from './evaluation-job.ts';
import { lockUsers, readMembersByRule } from './evaluation-store.ts';

export const RELEASE_MEMBERS = 'groupRules.release';

export interface ReleasePayload {
  readonly ruleId: string;
  readonly groupIds: readonly string[];
  readonly removeUsers: boolean;
}

const USERS_PER_BATCH = 200;
/** The number of batches after which other jobs get a turn. */
const BATCHES_PER_RUN = 100;

function readPayload({ payload }: Job): ReleasePayload {
  const { groupIds, removeUsers, ruleId } = payload;
  const isList = Array.isArray(groupIds) && groupIds.every((id) => typeof id === 'string');
  if (typeof ruleId !== 'string' || !isList) throw new JobRefusedError('no rule is named');
  return { ruleId, groupIds, removeUsers: removeUsers === true };
}

/** Returns false if no user is left. */
async function releaseBatch(tx: Tx, context: Context, record: Record, given: ReleasePayload): Promise<boolean> {
  const { groupIds, removeUsers, ruleId } = given;
  for (const groupId of groupIds.toSorted()) {
    const found = await readMembersByRule(tx, context.orgId, ruleId, groupId, USERS_PER_BATCH);
    if (found.length === 0) continue;
    // Users are locked before groups, as in evaluations.
    await lockUsers(tx, context.orgId, found);
    // Another process may have released some of them, and an administrator removed them, before they were locked.
    const left = new Set(await readMembersByRule(tx, context.orgId, ruleId, groupId, USERS_PER_BATCH));
    const userIds = found.filter((userId) => left.has(userId));
    if (userIds.length === 0) return true;
    if (!removeUsers) await addMembers(tx, context, record, groupId, userIds, { kind: 'direct' });
    await removeMembers(tx, context, record, groupId, userIds, { kind: 'rule', ruleId });
    // The membership changes above can alter which of the users' remaining memberships count as added by hand. Rules
    // may depend on these memberships, so the users are evaluated again.
    await evaluateUsers(tx, context, record, userIds, { whenGroupsMatter: true });
    return true;
  }
  return false;
}

async function release(ports: GroupRuleJobPorts, job: Job): Promise<JobAgain | undefined> {
  const { clock, namespace, work } = ports;
  const given = readPayload(job);
  for (let batch = 0; batch < BATCHES_PER_RUN && !job.signal.aborted; batch += 1) {
    const context = systemContext({ orgId: job.orgId, namespace, name: 'group-rules', now: clock.now() });
    if (!(await work(context, (tx, record) => releaseBatch(tx, context, record, given)))) return undefined;
  }
  return { runAgainAt: clock.now() };
}

export const releaseJobs = (ports: GroupRuleJobPorts): Readonly<{ [kind: string]: JobKind }> => ({
  [RELEASE_MEMBERS]: { run: (job) => release(ports, job) },
});
