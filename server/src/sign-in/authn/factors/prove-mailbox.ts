import { randomInt } from 'node:crypto';
import type { Context } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import { factorsForSignIn, readFactors } from '../../../management/factors/index.ts';
import { displayNameOf, localeOf, type UserRow, userTarget } from '../../../management/users/index.ts';
import { constantTimeEqual, hashSecret } from '../../../platform/crypto/secrets.ts';
import type { NewEvent } from '../../../system-log/index.ts';
import type { AuthnPorts } from '../ports.ts';
import { minutesAfter } from '../rules.ts';
import type { MailboxProof } from '../store.ts';
import type { UnderWay } from '../transactions/authn-answer.ts';
import { admitFactorMail, countFailureOfClient, refuseFactorMail } from '../transactions/limits.ts';
import {
  countWrongTry,
  endTransaction,
  invalidToken,
  lockAdmitted,
  moveTransaction,
  type Opened,
} from '../transactions/transactions.ts';
import { showMoved } from './show-moved.ts';

/** More digits than an app shows, because a mailed code stays the same for minutes. */
const CODE_DIGITS = 8;
const CODE_MINUTES = 5;

const newCode = (): string => String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');

/**
 * The database has only the hash of the state token, so a thief of it cannot try all codes against the digest. A code
 * proves no other address than the one that it was sent to.
 */
const digestOf = (stateToken: string, { profile }: UserRow, code: string): string =>
  hashSecret(`${stateToken}\n${profile.email}\n${code}`).toString('hex');

const codeSent = (user: UserRow): NewEvent => ({
  eventType: 'system.email.send_factor_verify_message',
  target: [userTarget(user)],
  debugData: { tokenLifetimeMinutes: String(CODE_MINUTES) },
});

const codeRedeemed = (user: UserRow, isRight: boolean): NewEvent => ({
  eventType: 'system.email.challenge_factor_redeemed',
  target: [userTarget(user)],
  outcome: isRight ? { result: 'SUCCESS' } : { result: 'FAILURE', reason: 'INVALID_CREDENTIALS' },
  debugData: { action: 'CODE' },
});

/** Sends a code to the user's email address. A new code replaces the one before. */
export async function sendCode(
  ports: AuthnPorts,
  context: Context,
  opened: Opened,
  step: 'verify' | 'resend',
  stateToken: string,
): Promise<UnderWay> {
  await admitFactorMail(ports, context, opened.user.id);
  const code = newCode();
  const shown = await ports.users.work(context, async (tx, record) => {
    const locked = await lockAdmitted(tx, record, context, opened, step);
    const before = locked?.transaction.details.mailbox ?? null;
    if (locked === null || before === null) return null;
    const { user } = locked;
    const codeExpiresAt = minutesAfter(context.now, CODE_MINUTES).toISOString();
    const mailbox = { ...before, codeDigest: digestOf(stateToken, user, code), codeExpiresAt };
    const moved = await moveTransaction(tx, context, locked, 'MFA_CHALLENGE', { mailbox, factorId: before.factorId });
    const sent = await ports.users.queueMail(tx, context, {
      kind: 'signInCode',
      userId: user.id,
      recipient: user.profile.email,
      displayName: displayNameOf(user.profile),
      locale: localeOf(user.profile),
      url: `${context.canonicalUrl}/account/password`,
      code,
      validMinutes: CODE_MINUTES,
    });
    // Several users may have one address, which gets only so many emails.
    if (sent !== 'queued') return refuseFactorMail(context);
    record(codeSent(user));
    return showMoved(ports, tx, context, { ...locked, transaction: moved }, stateToken);
  });
  if (shown === null) throw invalidToken();
  return shown;
}

function isRightCode({ codeDigest, codeExpiresAt }: MailboxProof, now: Date, digest: string): boolean {
  if (codeDigest === null || codeExpiresAt === null || new Date(codeExpiresAt) <= now) return false;
  return constantTimeEqual(codeDigest, digest);
}

/** Checks a mailed code. A right one lets the user enroll their first factor, unless they have got one meanwhile. */
export async function proveMailbox(
  ports: AuthnPorts,
  context: Context,
  opened: Opened,
  stateToken: string,
  code: string,
): Promise<UnderWay> {
  const outcome = await ports.users.work(context, async (tx, record): Promise<UnderWay | 'gone' | 'wrong'> => {
    const locked = await lockAdmitted(tx, record, context, opened, 'verify');
    const mailbox = locked?.transaction.details.mailbox ?? null;
    if (locked === null || mailbox === null) return 'gone';
    const { user } = locked;
    if (factorsForSignIn(await readFactors(tx, context.orgId, user.id)).length > 0) {
      await endTransaction(tx, context, locked);
      return 'gone';
    }
    const isRight = isRightCode(mailbox, context.now, digestOf(stateToken, user, code));
    record(codeRedeemed(user, isRight));
    if (!isRight) {
      await countWrongTry(tx, context, locked);
      await countFailureOfClient(tx, record, context, user.login);
      return 'wrong';
    }
    const proved = { mailbox: null, factorId: null, mayEnroll: true };
    const moved = await moveTransaction(tx, context, locked, 'MFA_ENROLL', proved);
    return showMoved(ports, tx, context, { ...locked, transaction: moved }, stateToken);
  });
  if (outcome === 'gone') throw invalidToken();
  if (outcome === 'wrong') throw apiError('E0000068');
  return outcome;
}
