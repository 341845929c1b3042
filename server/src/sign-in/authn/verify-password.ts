import type { Context } from '../../kernel/context.ts';
import { fairnessKeyOf, type UsersPorts } from '../../management/users/index.ts';
import type { PasswordHasher, StoredPassword } from '../../platform/crypto/passwords/index.ts';
import { newSecret } from '../../platform/crypto/secrets.ts';

export interface VerifiedPassword {
  readonly isRight: boolean;
  /** Right, and worth storing in today's form. */
  readonly needsRehash: boolean;
}

/** A hash that no password has, per hasher: made with its own parameters, so that it costs what a user's costs. */
const nobodys = new WeakMap<PasswordHasher, Promise<StoredPassword>>();

function nobodysPassword({ passwords }: UsersPorts, context: Context): Promise<StoredPassword> {
  const known = nobodys.get(passwords);
  if (known !== undefined) return known;
  const made = passwords.hash(newSecret(), fairnessKeyOf(context));
  nobodys.set(passwords, made);
  // An overloaded moment must not be remembered.
  made.catch(() => nobodys.delete(passwords));
  return made;
}

/**
 * Verifies in the time that one of our hashes takes, whether there is a user, a password, or a hash of another kind:
 * what took how long must not tell who has an account (attack 40).
 */
export async function verifyPassword(
  users: UsersPorts,
  context: Context,
  stored: StoredPassword | null,
  password: string,
): Promise<VerifiedPassword> {
  const key = fairnessKeyOf(context);
  const dummy = await nobodysPassword(users, context);
  if (stored?.algorithm !== 'ARGON2ID') await users.passwords.verify(dummy, password, key);
  if (stored === null) return { isRight: false, needsRehash: false };
  const { needsRehash, ok } = await users.passwords.verify(stored, password, key);
  return { isRight: ok, needsRehash };
}
