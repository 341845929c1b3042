import { STATUSES_IN_USE, type UserStatus } from '../../kernel/user-statuses.ts';
/** A token expires this long after its creation or last use (contract section 7). */
export const TOKEN_WINDOW = 'P30D';
const TOKEN_WINDOW_MILLISECONDS = 30 * 24 * 60 * 60 * 1_000;

export const expiryOf = (lastUsedAt: Date): Date => new Date(lastUsedAt.getTime() + TOKEN_WINDOW_MILLISECONDS);

/** Returns the time after which a valid token must have been used. */
export const oldestLivingUse = (now: Date): Date => new Date(now.getTime() - TOKEN_WINDOW_MILLISECONDS);

/** The form of an API token: `00` and 40 characters, which encode 240 random bits. */
const TOKEN = /^00[A-Za-z0-9_-]{40}$/;

/** The scheme may have any case (RFC 9110 11.1), and some released clients omit the space after it. */
export function readAuthorization(header: string): string | null {
  const match = /^ssws *(\S+) *$/i.exec(header);
  const token = match?.[1] ?? '';
  return TOKEN.test(token) ? token : null;
}

/** A user who is locked out keeps their tokens. */
export const mayOwnLiveTokens = (userStatus: UserStatus): boolean => STATUSES_IN_USE.includes(userStatus);
