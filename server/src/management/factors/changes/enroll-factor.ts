import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { notOneOf, required } from '../../../kernel/errors/field-errors.ts';
import type { Grant } from '../../../platform/http/index.ts';
import {
  answerForm,
  hashFor,
  lockUser,
  MAXIMUM_ANSWER_CHARACTERS,
  resolveUserId,
  userToSetCredentialsOf,
} from '../../users/index.ts';
import type { EnrollFactorInput } from '../contract.ts';
import type { OwnedFactor } from '../get-factors.ts';
import { assertInUse, assertMayEnroll } from '../guards.ts';
import { readKind } from '../kinds/factor-kinds.ts';
import { isQuestion, QUESTION_KEYS } from '../kinds/question-rules.ts';
import type { FactorPorts } from '../ports.ts';
import { findReplaced, newFactor, type QuestionAnswer, storeEnrollment } from './store-enrollment.ts';

const SHORTEST_ANSWER = 4;

export interface EnrolledFactor extends OwnedFactor {
  /** The shared secret of one-time codes. It is null for a security question. */
  readonly secret: Buffer | null;
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
  const kind = readKind(context, named);
  // The rights are checked before anything is hashed, and again under the lock.
  const wanted = await resolveUserId(users.db, context, idOrLogin, grant);
  const seen = await userToSetCredentialsOf(users, context, grant, wanted);
  assertMayEnroll(context);
  assertInUse(seen);
  await findReplaced(users.db, context, seen.id, kind);
  const answered = kind.proof === 'answer' ? await readAnswer(ports, context, profile) : null;
  const { factor, secret } = newFactor(masterKey, context, seen.id, kind, answered);
  const user = await users.work(context, async (tx, record) => {
    const locked = await lockUser(users, tx, context, grant, seen.id);
    await storeEnrollment(ports, tx, record, context, locked, factor);
    return locked;
  });
  return { user, factor, secret };
}
