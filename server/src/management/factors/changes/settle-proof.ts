import type { Context } from '../../../kernel/context.ts';
import { apiError, invalid } from '../../../kernel/errors/errors.ts';
import { required } from '../../../kernel/errors/field-errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { isEventType, type Record } from '../../../system-log/index.ts';
import { isRightAnswer, type UserRow, userTarget } from '../../users/index.ts';
import type { FactorProof } from '../contract.ts';
import { factorNotFound } from '../get-factors.ts';
import { assertInUse, assertNotWaiting } from '../guards.ts';
import { factorLifecycle, kindOf } from '../kinds/factor-kinds.ts';
import { type CodeState, judgeCode } from '../kinds/one-time-codes.ts';
import { waitEndAfter } from '../kinds/wait-rules.ts';
import type { FactorPorts } from '../ports.ts';
import { openSecret } from '../secrets.ts';
import { type Factor, findFactorForUpdate, updateFactor } from '../store.ts';
import { factorChange, factorTarget } from '../wire.ts';
import { tellUser } from './tell-user.ts';

export type FactorAction = 'activate' | 'verify';

type Verdict = { readonly kind: 'right'; readonly state: Partial<CodeState> } | { readonly kind: 'wrong' | 'replayed' };

export type JudgeOfFactor = (factor: Factor) => Verdict;

const REASONS = { wrong: 'INVALID_CREDENTIALS', replayed: 'PASSCODE_REPLAYED' } as const;
export const REFUSALS_OF_PROOF = { wrong: 'E0000068', replayed: 'E0000082' } as const;

function eventOf(action: FactorAction) {
  const { event } = factorLifecycle.transition(action);
  if (!isEventType(event)) throw new Error(`${event} is not in the catalogue`);
  return event;
}

export function assertMayProve({ id, status }: Factor, action: FactorAction): void {
  if (factorLifecycle.allows(status, action)) return;
  if (action === 'activate') throw invalid('factorId', 'The factor is active already.');
  throw apiError('E0000154', { causes: [`${id} is not active.`] });
}

/** Verifies an answer before the transaction, because that takes long. A code is judged under the lock. */
export async function judgeOf(
  ports: FactorPorts,
  context: Context,
  seen: Factor,
  proof: FactorProof,
): Promise<JudgeOfFactor> {
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

const afterRight = (factor: Factor, action: FactorAction, state: Partial<CodeState>, now: Date): Factor => ({
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

interface ProofToSettle {
  readonly user: UserRow;
  readonly factorId: string;
  readonly action: FactorAction;
  readonly judge: JudgeOfFactor;
}

/**
 * Judges the proof of a factor. The caller has locked the row of its user and made all checks of rights. Throws if the
 * factor is gone, waits, or does not allow the action.
 */
export async function settleProof(
  ports: FactorPorts,
  tx: Tx,
  record: Record,
  context: Context,
  { action, factorId, judge, user }: ProofToSettle,
): Promise<Factor | 'wrong' | 'replayed'> {
  const { now, orgId } = context;
  const factor = await findFactorForUpdate(tx, orgId, user.id, factorId);
  if (factor === undefined) throw factorNotFound(factorId);
  assertInUse(user);
  assertMayProve(factor, action);
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
  return proved;
}
