import type { Context } from '../../../kernel/context.ts';
import { fairnessKeyOf, type UsersPorts } from '../../../management/users/index.ts';
import type { PasswordHasher, StoredPassword } from '../../../platform/crypto/passwords/index.ts';
import { newSecret } from '../../../platform/crypto/secrets.ts';

export interface VerifiedPassword {
  readonly isRight: boolean;
  /** Whether the password is right but its stored hash is outdated and must be replaced. */
  readonly needsRehash: boolean;
}

/** Hashes that match no password, one for each hasher and made with its parameters. */
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
 * Verifies a password against one hash, even if there is no user or no stored password, so that the response time does
 * not reveal this.
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
