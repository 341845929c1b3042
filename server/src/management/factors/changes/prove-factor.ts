import type { Context } from '../../../kernel/context.ts';
import { apiError, invalid } from '../../../kernel/errors/errors.ts';
import { required } from '../../../kernel/errors/field-errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import type { Grant } from '../../../platform/http/index.ts';
import { isEventType } from '../../../system-log/index.ts';
import { isRightAnswer, lockUser, resolveUserId, userTarget, userToSetCredentialsOf } from '../../users/index.ts';
import type { FactorProof } from '../contract.ts';
import { type FactorPath, factorNotFound, type OwnedFactor } from '../get-factors.ts';
import { assertInUse, assertNotWaiting } from '../guards.ts';
import { factorLifecycle, kindOf } from '../kinds/factor-kinds.ts';
import { type CodeState, judgeCode } from '../kinds/one-time-codes.ts';
import { waitEndAfter } from '../kinds/wait-rules.ts';
import type { FactorPorts } from '../ports.ts';
import { openSecret } from '../secrets.ts';
import { type Factor, findFactor, findFactorForUpdate, updateFactor } from '../store.ts';
import { factorChange, factorTarget } from '../wire.ts';
import { tellUser } from './tell-user.ts';

type Action = 'activate' | 'verify';

type Verdict = { readonly kind: 'right'; readonly state: Partial<CodeState> } | { readonly kind: 'wrong' | 'replayed' };

type Judge = (factor: Factor) => Verdict;

const REASONS = { wrong: 'INVALID_CREDENTIALS', replayed: 'PASSCODE_REPLAYED' } as const;
const REFUSALS = { wrong: 'E0000068', replayed: 'E0000082' } as const;

function eventOf(action: Action) {
  const { event } = factorLifecycle.transition(action);
  if (!isEventType(event)) throw new Error(`${event} is not in the catalogue`);
  return event;
}

function assertAllowed({ id, status }: Factor, action: Action): void {
  if (factorLifecycle.allows(status, action)) return;
  if (action === 'activate') throw invalid('factorId', 'The factor is active already.');
  throw apiError('E0000154', { causes: [`${id} is not active.`] });
}

/** Verifies an answer before the transaction, because that takes long. A code is judged under the lock. */
async function judgeOf(ports: FactorPorts, context: Context, seen: Factor, proof: FactorProof): Promise<Judge> {
  const { orgId, now } = context;
  if (kindOf(seen).proof === 'answer') {
    if (proof.answer === undefined) throw required('answer');
    const isRight = await isRightAnswer(ports.users, context, seen.answer, proof.answer);
    return (): Verdict => (isRight ? { kind: 'right', state: {} } : { kind: 'wrong' });
  }
  const { passCode } = proof;
  if (passCode === undefined) throw required('passCode');
  return (factor: Factor): Verdict => judgeCode(openSecret(ports.masterKey, orgId, factor), passCode, now, factor);
}

const afterRight = (factor: Factor, action: Action, state: Partial<CodeState>, now: Date): Factor => ({
  ...factor,
  ...state,
  wrongCodes: 0,
  waitsUntil: null,
  ...(action === 'activate' ? { status: 'ACTIVE' as const, lastUpdatedAt: wholeSecond(now) } : {}),
});

function afterWrong(factor: Factor, now: Date): Factor {
  const wrongCodes = factor.wrongCodes + 1;
  return { ...factor, wrongCodes, waitsUntil: waitEndAfter(wrongCodes, now) };
}

async function settle(
  ports: FactorPorts,
  context: Context,
  grant: Grant,
  path: FactorPath,
  action: Action,
  judge: Judge,
): Promise<OwnedFactor | 'wrong' | 'replayed'> {
  const { users } = ports;
  const { now, orgId } = context;
  return users.work(context, async (tx, record) => {
    const user = await lockUser(users, tx, context, grant, path.userId);
    const factor = await findFactorForUpdate(tx, orgId, user.id, path.factorId);
    if (factor === undefined) throw factorNotFound(path.factorId);
    assertInUse(user);
    assertAllowed(factor, action);
    // Others may have guessed since the first look, so a right code is refused too.
    assertNotWaiting(context, factor);
    const verdict = judge(factor);
    if (verdict.kind !== 'right') {
      const target = [userTarget(user), factorTarget(factor)];
      await updateFactor(tx, orgId, afterWrong(factor, now));
      record({ eventType: eventOf(action), target, outcome: { result: 'FAILURE', reason: REASONS[verdict.kind] } });
      return verdict.kind;
    }
    const proved = afterRight(factor, action, verdict.state, now);
    await updateFactor(tx, orgId, proved);
    const about = action === 'activate' ? factorChange([factor, proved]) : factorTarget(factor);
    record({ eventType: eventOf(action), target: [userTarget(user), about] });
    if (action === 'activate') await tellUser(ports, tx, context, 'factorEnrolled', user);
    return { user, factor: proved };
  });
}

/**
 * Verifies a factor, or activates a pending one with the first code of its device. Throws 403 E0000068 for a wrong code
 * or answer and 403 E0000082 for a code that was used before. Both are counted, and too many in a row make the factor
 * wait (429 E0000047).
 */
export async function proveFactor(
  ports: FactorPorts,
  context: Context,
  grant: Grant,
  path: FactorPath,
  action: Action,
  proof: FactorProof,
): Promise<OwnedFactor> {
  const { db } = ports.users;
  const userId = await resolveUserId(db, context, path.userId, grant);
  // The rights are checked before the factor is looked up or anything is hashed, and again under the lock.
  const user = await userToSetCredentialsOf(ports.users, context, grant, userId);
  const seen = await findFactor(db, context.orgId, user.id, path.factorId);
  if (seen === undefined) throw factorNotFound(path.factorId);
  assertInUse(user);
  assertAllowed(seen, action);
  assertNotWaiting(context, seen);
  const judge = await judgeOf(ports, context, seen, proof);
  const place = { userId: user.id, factorId: seen.id };
  const settled = await settle(ports, context, grant, place, action, judge);
  if (settled === 'wrong' || settled === 'replayed') throw apiError(REFUSALS[settled]);
  return settled;
}
