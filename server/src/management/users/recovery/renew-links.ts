import { hasGainedRights, holdsAnyRole } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { ApiError } from '../../../kernel/errors/errors.ts';
import { enqueue, type Job, type JobAgain, type JobKind } from '../../../platform/jobs/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { type Foundation, type NewEvent, systemContext } from '../../../system-log/index.ts';
import type { UsersPorts } from '../ports.ts';
import { findUserForUpdate } from '../records/locked-user-store.ts';
import { findMailedTokens, findRecoveryToken, hasMailedTokens, type MailedToken } from './recovery-token-store.ts';
import { issueActivationToken, issuePasswordResetToken, issueUnlockToken } from './recovery-tokens.ts';

export interface RenewalPorts extends Pick<Foundation, 'clock' | 'namespace'> {
  readonly users: UsersPorts;
  /** Finds the origin of the org's own address. */
  readonly addressOf: (orgId: Context['orgId']) => Promise<string>;
}

const RENEW_LINKS = 'users.renewLinks';
const TOKENS_PER_PAGE = 100;

/** Plans the renewal of emailed links, some of which may be void because their users have gained rights. */
export async function planRenewal(tx: Tx, context: Context): Promise<void> {
  const { now, orgId } = context;
  if (!(await hasMailedTokens(tx, orgId, now))) return;
  await enqueue(tx, orgId, { kind: RENEW_LINKS, payload: {}, runAt: now, dedupeKey: 'all' });
}

/** Plans a renewal of emailed links after users have joined groups, but only if one of the groups holds a role. */
export async function planRenewalOfMembers(tx: Tx, context: Context, events: readonly NewEvent[]): Promise<void> {
  const groupIds = new Set(events.flatMap(({ target = [] }) => target.slice(1).map(({ id }) => id)));
  if (await holdsAnyRole(tx, context.orgId, [...groupIds])) await planRenewal(tx, context);
}

/** Replaces a link that became void because its user gained rights, unless the link verifies an address. */
async function renew(ports: RenewalPorts, context: Context, { hash, kind, userId }: MailedToken): Promise<void> {
  const { users } = ports;
  const policy = await users.passwordPolicyFor(context.orgId, { id: userId });
  await users.work(context, async (tx) => {
    const user = await findUserForUpdate(tx, context.orgId, userId);
    const token = await findRecoveryToken(tx, context.orgId, hash);
    if (user === undefined || token === undefined || !hasGainedRights(token)) return;
    const delivery = { sendMail: true, permission: null, policy } as const;
    if (kind === 'ACTIVATION') await issueActivationToken(users, tx, context, user, delivery);
    else if (kind === 'UNLOCK') await issueUnlockToken(users, tx, context, user, delivery);
    else if (kind === 'PASSWORD_RESET') {
      await issuePasswordResetToken(users, tx, context, user, { ...delivery, path: 'signin/reset-password' });
    }
  });
}

async function renewAll(ports: RenewalPorts, { orgId, signal }: Job): Promise<JobAgain | undefined> {
  const { clock, namespace, users } = ports;
  const baseUrl = await ports.addressOf(orgId);
  let after: Buffer = Buffer.alloc(0);
  while (!signal.aborted) {
    const context = {
      ...systemContext({ orgId, namespace, name: 'links', now: clock.now() }),
      baseUrl,
      canonicalUrl: baseUrl,
    };
    const tokens = await findMailedTokens(users.db, orgId, { after, now: context.now, limit: TOKENS_PER_PAGE });
    for (const token of tokens.filter(hasGainedRights)) {
      await renew(ports, context, token).catch((error: unknown) => {
        // The address cannot receive emails, so nothing is left to do for this link.
        if (!(error instanceof ApiError) || error.status !== 400) throw error;
      });
    }
    const last = tokens.at(-1);
    if (last === undefined || tokens.length < TOKENS_PER_PAGE) return undefined;
    after = last.hash;
  }
  return { runAgainAt: clock.now() };
}

export const linkJobs = (ports: RenewalPorts): Readonly<Record<string, JobKind>> => ({
  [RENEW_LINKS]: { run: (job) => renewAll(ports, job) },
});
