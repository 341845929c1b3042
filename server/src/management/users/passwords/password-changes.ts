import type { Context } from '../../../kernel/context.ts';
import { apiError, type ErrorCause, invalidObject } from '../../../kernel/errors/errors.ts';
import { normalised } from '../../../kernel/texts/text.ts';
import type { PasswordPolicy } from '../../../kernel/words/password-policy.ts';
import { type FairnessKey, isCommonPassword, type StoredPassword } from '../../../platform/crypto/passwords/index.ts';
import { addressPrefix } from '../../../platform/http/index.ts';
import type { UsersPorts } from '../ports.ts';
import type { PasswordState, UserRow } from '../records/user-row.ts';
import { checkPassword, type PasswordOwner, singleCause } from './password-rules.ts';

/** Returns the key by which the hashing pool takes turns among orgs and, within an org, among address prefixes. */
export const fairnessKeyOf = (context: Context): FairnessKey => ({
  orgId: context.orgId,
  addressPrefix: addressPrefix(context.client.ipAddress ?? ''),
});

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export interface NamedOwner {
  readonly login: string;
  readonly profile: Readonly<Record<string, unknown>>;
}

/** Returns the names that a policy can exclude from the user's password. */
export const ownerOf = (user: NamedOwner): PasswordOwner => ({
  login: user.login,
  firstName: textOf(user.profile['firstName']),
  lastName: textOf(user.profile['lastName']),
});

/** Returns a cause for each violated rule except history and age, or a single cause if the org chose that. */
export async function causesAgainst(
  ports: UsersPorts,
  context: Context,
  policy: PasswordPolicy,
  password: string,
  user: NamedOwner,
): Promise<ErrorCause[]> {
  const causes = checkPassword(policy, password, ownerOf(user), isCommonPassword);
  if (causes.length === 0) return [];
  return (await ports.passwordErrors(context.orgId)) === 'single' ? [singleCause(policy)] : causes;
}

export async function assertAcceptable(
  ports: UsersPorts,
  context: Context,
  policy: PasswordPolicy,
  password: string,
  user: NamedOwner,
): Promise<void> {
  const causes = await causesAgainst(ports, context, policy, password, user);
  if (causes.length > 0) throw invalidObject('password', causes);
}

const causeOf = (reason: string, errorSummary: string): ErrorCause => ({
  errorSummary: `password: ${errorSummary}`,
  reason,
  location: 'credentials.password.value',
  locationType: 'body',
  domain: 'user',
});

/**
 * Returns a cause if the password is one of the user's last `historyCount` passwords. The password with which the user
 * was created counts, too (specification 9.7).
 */
export async function reuseCauses(
  ports: UsersPorts,
  context: Context,
  policy: PasswordPolicy,
  state: PasswordState,
  password: string,
): Promise<ErrorCause[]> {
  for (const earlier of state.history.slice(0, policy.age.historyCount)) {
    const { ok } = await ports.passwords.verify(earlier, password, fairnessKeyOf(context));
    if (ok) return [causeOf('PASSWORD_HISTORY', 'Password has been used too recently')];
  }
  return [];
}

export async function assertNotReused(
  ports: UsersPorts,
  context: Context,
  policy: PasswordPolicy,
  state: PasswordState,
  password: string,
): Promise<void> {
  const causes = await reuseCauses(ports, context, policy, state, password);
  if (causes.length > 0) throw invalidObject('password', causes);
}

export function assertOldEnough(policy: PasswordPolicy, user: UserRow, now: Date): void {
  if (user.passwordChangedAt === null || policy.age.minAgeMinutes === 0) return;
  const allowedFrom = user.passwordChangedAt.getTime() + policy.age.minAgeMinutes * 60_000;
  if (now.getTime() < allowedFrom) {
    const text = `Password cannot be changed within ${policy.age.minAgeMinutes} minutes of the last change`;
    throw invalidObject('password', [causeOf('PASSWORD_AGE_MINIMUM', text)]);
  }
}

/** Call this before the transaction, because hashing is slow. */
export const hashFor = (ports: UsersPorts, context: Context, secret: string): Promise<StoredPassword> =>
  ports.passwords.hash(secret, fairnessKeyOf(context));

const ENDED_BY_PASSWORD: readonly UserRow['providerType'][] = ['IMPORT', 'FEDERATION', 'SOCIAL'];

/**
 * Returns the provider of a user for whom this service has stored a password. Imported, federated and social users
 * become users of this service; directories remain the providers of their users.
 */
export const providerAfter = (user: UserRow): Pick<UserRow, 'providerType' | 'providerName'> =>
  ENDED_BY_PASSWORD.includes(user.providerType)
    ? { providerType: 'INTERNAL', providerName: '' }
    : { providerType: user.providerType, providerName: user.providerName };

/**
 * Returns whether sessions survive a new password. After a reset, sessions never survive, because somebody else may
 * have signed in with the former password.
 */
export const keepsSessions = (user: UserRow, revokeSessions: boolean | undefined): boolean =>
  revokeSessions === false && user.status !== 'RECOVERY';

export const MAXIMUM_ANSWER_CHARACTERS = 100;

/** Returns null if the answer cannot be normalized. */
export const answerForm = (answer: string): string | null =>
  normalised(answer, MAXIMUM_ANSWER_CHARACTERS, 'NFKC')?.trim().toLowerCase() ?? null;

export const changedMeanwhile = () => apiError('E0000195', { reason: 'the password was changed by another request' });
