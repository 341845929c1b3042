import { STATUSES_IN_USE, type UserStatus } from '../../kernel/user-statuses.ts';
/** A token stays valid for this long after its creation or its last use (contract section 7): `P30D`. */
export const TOKEN_WINDOW = 'P30D';
const TOKEN_WINDOW_MILLISECONDS = 30 * 24 * 60 * 60 * 1_000;

export const expiryOf = (lastUsedAt: Date): Date => new Date(lastUsedAt.getTime() + TOKEN_WINDOW_MILLISECONDS);

/** Returns the time after which a token must have been used to be valid. */
export const oldestLivingUse = (now: Date): Date => new Date(now.getTime() - TOKEN_WINDOW_MILLISECONDS);

/** `00` and 40 characters, 240 bits of them random. */
const TOKEN = /^00[A-Za-z0-9_-]{40}$/;

/**
 * Reads the token of an `Authorization: SSWS ...` header (scheme in any case, RFC 9110 11.1; the blank after it is
 * optional, since released clients leave it out); null when there is none.
 */
export function readAuthorization(header: string): string | null {
  const match = /^ssws *(\S+) *$/i.exec(header);
  const token = match?.[1] ?? '';
  return TOKEN.test(token) ? token : null;
}

/** API tokens depend only on their owner's status: a user who is locked out keeps their tokens (design section 7). */
export const mayOwnLiveTokens = (userStatus: UserStatus): boolean => STATUSES_IN_USE.includes(userStatus);
