import type { Context } from '../../../kernel/context.ts';
import { type ApiError, invalid, invalidObject } from '../../../kernel/errors/errors.ts';
import { notValid, required } from '../../../kernel/errors/field-errors.ts';
import type { PasswordPolicy } from '../../../kernel/words/password-policy.ts';
import { parseImportedHash, type StoredPassword } from '../../../platform/crypto/passwords/index.ts';
import type { CredentialsInput } from '../contract.ts';
import type { UsersPorts } from '../ports.ts';
import { PROVIDER_TYPES, type ProviderType } from '../records/user-row.ts';
import {
  answerForm,
  assertAcceptable,
  hashFor,
  MAXIMUM_ANSWER_CHARACTERS,
  type NamedOwner,
} from './password-changes.ts';

export interface NewCredentials {
  readonly password: StoredPassword | null;
  readonly imported: boolean;
  readonly recoveryQuestion: string | null;
  readonly recoveryAnswer: StoredPassword | null;
}

function importHash(hash: NonNullable<NonNullable<CredentialsInput['password']>['hash']>): StoredPassword {
  const parsed = parseImportedHash(hash);
  if (!('problems' in parsed)) return parsed;
  const field = 'credentials.password.hash';
  throw invalidObject(
    field,
    parsed.problems.map((problem) => `${field}.${problem}`),
  );
}

async function readPassword(
  ports: UsersPorts,
  context: Context,
  policy: PasswordPolicy,
  input: CredentialsInput['password'],
  user: NamedOwner,
): Promise<Pick<NewCredentials, 'password' | 'imported'>> {
  if (input === undefined) return { password: null, imported: false };
  if (input.hook !== undefined) {
    throw invalid('credentials.password.hook', 'cannot be used: password import hooks are not supported yet.');
  }
  if (input.hash !== undefined) {
    if (input.value !== undefined) {
      throw invalid('credentials.password', 'must have either a value or a hash, not both.');
    }
    return { password: importHash(input.hash), imported: true };
  }
  if (input.value === undefined) return { password: null, imported: false };
  await assertAcceptable(ports, context, policy, input.value, user);
  return { password: await hashFor(ports, context, input.value), imported: false };
}

async function readRecoveryQuestion(
  ports: UsersPorts,
  context: Context,
  { recovery }: PasswordPolicy,
  input: CredentialsInput['recovery_question'],
): Promise<Pick<NewCredentials, 'recoveryQuestion' | 'recoveryAnswer'>> {
  if (input === undefined) return { recoveryQuestion: null, recoveryAnswer: null };
  const field = 'credentials.recovery_question.answer';
  if (input.answer === undefined) throw required(field);
  const answer = answerForm(input.answer);
  const { minLength } = recovery.question;
  if (answer === null || answer.length < minLength || answer.length > MAXIMUM_ANSWER_CHARACTERS) {
    throw invalid(field, `must have ${minLength} to ${MAXIMUM_ANSWER_CHARACTERS} characters.`);
  }
  return { recoveryQuestion: input.question, recoveryAnswer: await hashFor(ports, context, answer) };
}

/** Checks and hashes the credentials in a request. Call this before the transaction, because hashing is slow. */
export async function readCredentials(
  ports: UsersPorts,
  context: Context,
  policy: PasswordPolicy,
  input: CredentialsInput | undefined,
  user: NamedOwner,
): Promise<NewCredentials> {
  const password = await readPassword(ports, context, policy, input?.password, user);
  return { ...password, ...(await readRecoveryQuestion(ports, context, policy, input?.recovery_question)) };
}

export const vouchedFor = (): ApiError =>
  invalid('credentials.password', 'must be absent for users whom a provider authenticates.');

export interface Provider {
  readonly providerType: ProviderType;
  readonly providerName: string;
}

const INTERNAL: Provider = { providerType: 'INTERNAL', providerName: '' };

/** An absent provider and the namespace word in capitals both mean this service. */
export function readProvider(context: Context, input: CredentialsInput['provider']): Provider {
  if (input === undefined || input.type === context.namespace.upper) return INTERNAL;
  const providerType = PROVIDER_TYPES.find((type) => type === input.type && type !== 'INTERNAL');
  if (providerType === undefined) {
    throw notValid('credentials.provider.type');
  }
  return { providerType, providerName: input.name ?? providerType };
}
