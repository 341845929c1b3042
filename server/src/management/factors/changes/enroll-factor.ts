import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { notOneOf, required } from '../../../kernel/errors/field-errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { StoredPassword } from '../../../platform/crypto/passwords/index.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import type { Change } from '../../../system-log/index.ts';
import {
  answerForm,
  hashFor,
  lockUser,
  MAXIMUM_ANSWER_CHARACTERS,
  resolveUserId,
  userTarget,
  userToSetCredentialsOf,
} from '../../users/index.ts';
import type { EnrollFactorInput } from '../contract.ts';
import type { OwnedFactor } from '../get-factors.ts';
import { assertInUse, assertMayEnroll } from '../guards.ts';
import { readKind } from '../kinds/factor-kinds.ts';
import { isQuestion, QUESTION_KEYS, type QuestionKey } from '../kinds/question-rules.ts';
import type { FactorPorts } from '../ports.ts';
import { newSharedSecret, sealSecret } from '../secrets.ts';
import { deleteFactor, type Factor, insertFactor, readFactors } from '../store.ts';
import { factorChange } from '../wire.ts';
import { tellUser } from './tell-user.ts';

const SHORTEST_ANSWER = 4;

/** The state of a factor of which no code or answer was tried. */
const UNTRIED = { lastStep: null, driftSteps: 0, wrongCodes: 0, waitsUntil: null } as const;

export interface EnrolledFactor extends OwnedFactor {
  /** The shared secret of one-time codes. It is null for a security question. */
  readonly secret: Buffer | null;
}

interface QuestionAnswer {
  readonly question: QuestionKey;
  readonly answer: StoredPassword;
}

async function readAnswer(
  ports: FactorPorts,
  context: Context,
  profile: EnrollFactorInput['profile'],
): Promise<QuestionAnswer> {
  const question = profile?.question;
  if (question === undefined) throw required('profile.question');
  if (!isQuestion(question)) throw notOneOf('profile.question', QUESTION_KEYS);
  const field = 'profile.answer';
  if (profile?.answer === undefined) throw required(field);
  const answer = answerForm(profile.answer);
  if (answer === null || answer.length < SHORTEST_ANSWER || answer.length > MAXIMUM_ANSWER_CHARACTERS)
    throw invalid(field, `must have ${SHORTEST_ANSWER} to ${MAXIMUM_ANSWER_CHARACTERS} characters.`);
  return { question, answer: await hashFor(ports.users, context, answer) };
}

/** Finds the pending factor of this kind, which a new one replaces. Throws 400 E0000001 for an active one. */
async function findReplaced(
  db: Db,
  { orgId }: Context,
  userId: string,
  { factorType, provider }: Pick<Factor, 'factorType' | 'provider'>,
): Promise<Factor | null> {
  const held = await readFactors(db, orgId, userId);
  const same = held.find((one) => one.factorType === factorType && one.provider === provider);
  if (same?.status === 'ACTIVE') throw invalid('factorType', 'The user has this factor already.');
  return same ?? null;
}

/**
 * Gives a user a factor. A factor with codes is pending until its device has sent a right code; a new enrollment
 * replaces a pending one.
 */
export async function enrollFactor(
  ports: FactorPorts,
  context: Context,
  grant: Grant,
  idOrLogin: string,
  { profile, ...named }: EnrollFactorInput,
): Promise<EnrolledFactor> {
  const { masterKey, users } = ports;
  const { now, orgId } = context;
  const kind = readKind(context, named);
  // The rights are checked before anything is hashed, and again under the lock.
  const wanted = await resolveUserId(users.db, context, idOrLogin, grant);
  const seen = await userToSetCredentialsOf(users, context, grant, wanted);
  assertMayEnroll(context);
  assertInUse(seen);
  await findReplaced(users.db, context, seen.id, kind);
  const { factorType, idKind, provider, proof, statusOfNew } = kind;
  const answered = proof === 'answer' ? await readAnswer(ports, context, profile) : null;
  const secret = proof === 'passCode' ? newSharedSecret() : null;
  const [id, userId, createdAt] = [newId(idKind, orgSuffixOf(orgId)), seen.id, wholeSecond(now)];
  const factor: Factor = {
    userId,
    id,
    factorType,
    provider,
    status: statusOfNew,
    question: answered?.question ?? null,
    sealedSecret: secret === null ? null : sealSecret(masterKey, orgId, userId, id, secret),
    answer: answered?.answer ?? null,
    ...UNTRIED,
    createdAt,
    lastUpdatedAt: createdAt,
  };
  const user = await users.work(context, async (tx, record) => {
    const locked = await lockUser(users, tx, context, grant, userId);
    assertInUse(locked);
    const replaced = await findReplaced(tx, context, userId, factor);
    if (replaced !== null) await deleteFactor(tx, orgId, replaced);
    await insertFactor(tx, orgId, factor);
    const targetOf = (...sides: Change<Factor>) => [userTarget(locked), factorChange(sides)];
    if (replaced !== null) record({ eventType: 'user.mfa.factor.deactivate', target: targetOf(replaced, null) });
    const isActive = statusOfNew === 'ACTIVE';
    record({
      eventType: isActive ? 'user.mfa.factor.activate' : 'user.mfa.factor.update',
      target: targetOf(null, factor),
    });
    if (isActive) await tellUser(ports, tx, context, 'factorEnrolled', locked);
    return locked;
  });
  return { user, factor, secret };
}
