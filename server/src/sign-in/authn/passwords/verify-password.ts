import type { Context } from '../../../kernel/context.ts';
import { fairnessKeyOf, type UsersPorts } from '../../../management/users/index.ts';
import type { PasswordHasher, StoredPassword } from '../../../platform/crypto/passwords/index.ts';
import { newSecret } from '../../../platform/crypto/secrets.ts';

export interface VerifiedPassword {
  readonly isRight: boolean;
  /** The password is right, but its stored hash has an outdated form and must be replaced. */
  readonly needsRehash: boolean;
}

/** A hash that no password has, per hasher: made with its own parameters, so that it costs as much as a user's. */
const nobodys = new WeakMap<PasswordHasher, Promise<StoredPassword>>();

function nobodysPassword({ passwords }: UsersPorts, context: Context): Promise<StoredPassword> {
  const known = nobodys.get(passwords);
  if (known !== undefined) return known;
  const made = passwords.hash(newSecret(), fairnessKeyOf(context));
  nobodys.set(passwords, made);
  // A failure during overload must not be cached.
  made.catch(() => nobodys.delete(passwords));
  return made;
}

/**
 * Verifies one hash, whether or not there is a user or a password: a missing user takes a turn in the queue as well,
 * and gets the same error when it is full. No refusal shows how long the verification took, because it comes when the
 * slowest one would (`slowestProof`, attack 40).
 */
export async function verifyPassword(
  users: UsersPorts,
  context: Context,
  stored: StoredPassword | null,
  password: string,
): Promise<VerifiedPassword> {
  const verified = stored ?? (await nobodysPassword(users, context));
  const { needsRehash, ok } = await users.passwords.verify(verified, password, fairnessKeyOf(context));
  return stored === null ? { isRight: false, needsRehash: false } : { isRight: ok, needsRehash };
}
