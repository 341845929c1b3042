import type { Context } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import {
  assertMayProve,
  assertNotWaiting,
  type Factor,
  type FactorProof,
  factorNotFound,
  judgeOf,
  kindOf,
  REFUSALS_OF_PROOF,
  readFactors,
  settleProof,
} from '../../../management/factors/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record } from '../../../system-log/index.ts';
import {
  assertAllowed,
  authenticationFailed,
  decideSignOn,
  grantSession,
  type ProvedFactor,
  refusalOfSubject,
} from '../passwords/complete-sign-in.ts';
import { signInFailed, signOnEvaluated } from '../passwords/sign-in-events.ts';
import type { AuthnPorts } from '../ports.ts';
import type { FirstFactorAnswer, SignedIn, UnderWay } from '../transactions/authn-answer.ts';
import { admitGuess, countFailureOfClient } from '../transactions/limits.ts';
import {
  actingAs,
  countWrongTry,
  endTransaction,
  invalidToken,
  lockAdmitted,
  moveTransaction,
  type Opened,
  openTransaction,
} from '../transactions/transactions.ts';
import { proveMailbox, sendCode } from './prove-mailbox.ts';
import { showMoved } from './show-moved.ts';
import { isMailbox, type OfferedFactor, offeredFactors } from './shown-factors.ts';

export interface FactorAtSignIn extends FactorProof {
  readonly stateToken: string;
  readonly factorId: string;
}

async function findOffered(
  { users }: AuthnPorts,
  { orgId }: Context,
  { transaction, user }: Opened,
  factorId: string,
): Promise<OfferedFactor> {
  const offered = offeredFactors(transaction, await readFactors(users.db, orgId, user.id));
  const found = offered.find(({ id }) => id === factorId);
  if (found === undefined) throw factorNotFound(factorId);
  return found;
}

/** Returns the values of `amr` for a factor. Only something that the user has makes it more than one kind of proof. */
function provedBy(factor: Factor, verifiedAt: Date): ProvedFactor {
  const { amr, class: kind } = kindOf(factor);
  return { amr: kind === 'possession' ? [amr, 'mfa'] : [amr], verifiedAt };
}

export interface FactorStep {
  readonly step: 'verify' | 'activate';
  readonly factor: Factor;
  readonly proof: FactorProof;
  /** Tells, under the lock, whether the user may still take the step with this factor. */
  readonly mayTake: (locked: Opened, held: readonly Factor[]) => boolean;
}

type Outcome = SignedIn | 'gone' | 'refused' | 'wrong' | 'replayed';

async function settle(
  ports: AuthnPorts,
  tx: Tx,
  record: Record,
  context: Context,
  locked: Opened,
  { factor, judge, step }: FactorStep & { readonly judge: Parameters<typeof settleProof>[4]['judge'] },
  decision: Awaited<ReturnType<typeof decideSignOn>>,
): Promise<Outcome> {
  const { transaction, user } = locked;
  const refusal = refusalOfSubject(locked);
  if (refusal !== null) {
    await endTransaction(tx, context, locked);
    record(signInFailed(user, refusal));
    return 'refused';
  }
  const proved = await settleProof(ports, tx, record, context, { user, factorId: factor.id, action: step, judge });
  if (typeof proved === 'string') {
    await countWrongTry(tx, context, locked);
    await countFailureOfClient(tx, record, context, user.login);
    return proved;
  }
  await endTransaction(tx, context, locked);
  record(signOnEvaluated(user, { ...decision, access: 'ALLOW' }));
  const { provedAt = null, relayState } = transaction.details;
  const authenticatedAt = provedAt === null ? transaction.issuedAt : new Date(provedAt);
  return grantSession(tx, record, context, locked, {
    decision,
    rehashed: null,
    relayState,
    passwordVerifiedAt: authenticatedAt,
    authenticatedAt,
    factor: provedBy(proved, context.now),
  });
}

/**
 * Signs the user in with a right proof of a factor. The policy is asked again, because it may have changed since the
 * password was proved. Throws 403 E0000068 or E0000082 for a wrong or repeated proof, and after a few of them, the
 * sign-in must start again.
 */
export async function signInWithFactor(
  ports: AuthnPorts,
  context: Context,
  opened: Opened,
  step: FactorStep,
): Promise<SignedIn> {
  await admitGuess(ports, context);
  assertMayProve(step.factor, step.step);
  assertNotWaiting(context, step.factor);
  const judge = await judgeOf(ports, context, step.factor, step.proof);
  const decision = await decideSignOn(ports, context, opened.user.id);
  await assertAllowed(ports, context, opened, decision);
  const outcome = await ports.users.work(context, async (tx, record): Promise<Outcome> => {
    const locked = await lockAdmitted(tx, record, context, opened, step.step);
    if (locked === null) return 'gone';
    const held = await readFactors(tx, context.orgId, locked.user.id);
    if (!step.mayTake(locked, held)) return 'gone';
    return settle(ports, tx, record, context, locked, { ...step, judge }, decision);
  });
  if (outcome === 'gone') throw invalidToken();
  if (outcome === 'refused') throw authenticationFailed();
  if (outcome === 'wrong' || outcome === 'replayed') throw apiError(REFUSALS_OF_PROOF[outcome]);
  return outcome;
}

async function challenge(
  ports: AuthnPorts,
  context: Context,
  opened: Opened,
  factorId: string,
  stateToken: string,
): Promise<UnderWay> {
  const shown = await ports.users.work(context, async (tx, record) => {
    const locked = await lockAdmitted(tx, record, context, opened, 'verify');
    if (locked === null) return null;
    const transaction = await moveTransaction(tx, context, locked, 'MFA_CHALLENGE', { factorId });
    return showMoved(ports, tx, context, { ...locked, transaction }, stateToken);
  });
  if (shown === null) throw invalidToken();
  return shown;
}

/**
 * Verifies a factor beside the password (contract section 11). Without a proof, it only selects the factor, and sends a
 * code to a mailbox.
 */
export async function verifyFactorAtSignIn(
  ports: AuthnPorts,
  given: Context,
  { factorId, stateToken, ...proof }: FactorAtSignIn,
): Promise<FirstFactorAnswer> {
  const opened = await openTransaction(ports, given, stateToken, 'verify');
  const context = actingAs(given, opened.user);
  const factor = await findOffered(ports, context, opened, factorId);
  const { answer, passCode } = proof;
  const isProof = answer !== undefined || passCode !== undefined;
  if (isMailbox(factor)) {
    if (passCode === undefined) return sendCode(ports, context, opened, 'verify', stateToken);
    await admitGuess(ports, context);
    return proveMailbox(ports, context, opened, stateToken, passCode);
  }
  if (!isProof) return challenge(ports, context, opened, factorId, stateToken);
  const mayTake = (locked: Opened, held: readonly Factor[]) =>
    offeredFactors(locked.transaction, held).some(({ id }) => id === factorId);
  return signInWithFactor(ports, context, opened, { step: 'verify', factor, proof, mayTake });
}

/** Sends another code to the mailbox. No other factor has anything to send. */
export async function resendCode(
  ports: AuthnPorts,
  given: Context,
  { factorId, stateToken }: { readonly stateToken: string; readonly factorId: string },
): Promise<UnderWay> {
  const opened = await openTransaction(ports, given, stateToken, 'resend');
  const context = actingAs(given, opened.user);
  const factor = await findOffered(ports, context, opened, factorId);
  if (!isMailbox(factor)) throw factorNotFound(factorId);
  return sendCode(ports, context, opened, 'resend', stateToken);
}
