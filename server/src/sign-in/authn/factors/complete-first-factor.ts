import type { LinkMaker } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import { factorsForSignIn, readFactors } from '../../../management/factors/index.ts';
import { noteFirstFactor, type PasswordPolicy } from '../../../management/users/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record } from '../../../system-log/index.ts';
import { type Granted, grantSession } from '../passwords/complete-sign-in.ts';
import { passwordProved } from '../passwords/sign-in-events.ts';
import type { AuthnPorts } from '../ports.ts';
import { deleteTransaction, type FactorDetails } from '../store.ts';
import type { FirstFactorAnswer } from '../transactions/authn-answer.ts';
import { beginTransaction, type Opened, type Subject } from '../transactions/transactions.ts';
import { readShownFactors } from './shown-factors.ts';

/** How the user has proved who they are so far: by a password, or by a one-time link with which they have set one. */
export type Origin = 'password' | 'activation' | 'recovery';

export interface FirstFactor extends Granted {
  readonly policy: PasswordPolicy;
  readonly origin: Origin;
  /** The sign-in in progress that ends here, if there is one. */
  readonly opened?: Opened;
  /** The maker of the one-time link by which the user has set the password. */
  readonly maker?: LinkMaker | null;
}

interface Demand {
  readonly status: 'MFA_REQUIRED' | 'MFA_ENROLL';
  readonly factors: FactorDetails;
}

/**
 * Decides how a user without a factor gets one. A mailed activation proves the mailbox, and with a password alone, the
 * user must prove it by a code. Who has set the password by a mailed link has used the mailbox for it, so the same
 * sitting does not count it twice.
 */
function demandOfFirst({ orgId }: Context, origin: Origin): Demand | null {
  if (origin === 'recovery') return null;
  if (origin === 'activation') return { status: 'MFA_ENROLL', factors: { mayEnroll: true } };
  const factorId = newId('mailFactor', orgSuffixOf(orgId));
  const mailbox = { factorId, codeDigest: null, codeExpiresAt: null };
  return { status: 'MFA_REQUIRED', factors: { mailbox } };
}

/**
 * Ends the proof of a password, which every sign-in passes: signs the user in, or demands the second factor that the
 * policy asks for. The caller has locked the user's row, made all checks and recorded the policy's decision.
 */
export async function completeFirstFactor(
  ports: AuthnPorts,
  tx: Tx,
  record: Record,
  context: Context,
  subject: Subject,
  { maker, opened, origin, policy, ...granted }: FirstFactor,
): Promise<FirstFactorAnswer> {
  if (opened !== undefined) await deleteTransaction(tx, context.orgId, opened.transaction.tokenHash);
  if (granted.decision.access === 'ALLOW') return grantSession(tx, record, context, subject, granted);
  const { relayState, rehashed } = granted;
  const user = await noteFirstFactor(tx, context, subject.user, { state: subject.state, rehashed });
  record(passwordProved(user));
  const held = await readFactors(tx, context.orgId, user.id);
  const hasFactor = factorsForSignIn(held).length > 0;
  const demand: Demand | null = hasFactor ? { status: 'MFA_REQUIRED', factors: {} } : demandOfFirst(context, origin);
  if (demand === null) return { status: 'PASSWORD_SET', relayState };
  const { status } = demand;
  const provedAt = granted.authenticatedAt?.toISOString() ?? null;
  const factors = { ...demand.factors, provedAt };
  const underWay = await beginTransaction(tx, context, { ...subject, user }, policy, {
    status,
    cause: 'SIGN_IN',
    relayState,
    tokenExpiresAt: null,
    passwordExpireDays: null,
    factors,
    ...(maker === undefined ? {} : { maker }),
  });
  const shown = await readShownFactors(ports, tx, context, user, { status, details: factors });
  if (shown === undefined) throw new Error('a sign-in demands a factor that is gone');
  return { ...underWay, factors: shown };
}
