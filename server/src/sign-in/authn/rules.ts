export const CAUSES = ['SIGN_IN', 'ACTIVATION', 'PASSWORD', 'UNLOCK'] as const;
export type Cause = (typeof CAUSES)[number];

/** Returns null for a sign-in with a password and for an activation, which the API never shows as recoveries. */
export const recoveryTypeOf = (cause: Cause): 'PASSWORD' | 'UNLOCK' | null =>
  cause === 'PASSWORD' || cause === 'UNLOCK' ? cause : null;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

export const STATE_TOKEN_MINUTES = 5;
/** The time that users have to set a new password, once a one-time token has led to that step. */
export const MAILED_RESET_MINUTES = 15;
/** The maximum duration of a sign-in, however often its token is used. */
const LONGEST_MINUTES = 60;
/** The number of wrong answers or passwords after which a sign-in must start again. */
export const MAXIMUM_WRONG_TRIES = 5;

export const minutesAfter = (instant: Date, minutes: number): Date => new Date(instant.getTime() + minutes * MINUTE);

const earlier = (one: Date, other: Date): Date => (one < other ? one : other);
const later = (one: Date, other: Date): Date => (one > other ? one : other);

export function slidingExpiry(
  now: Date,
  { cause, endsAt, status }: { readonly cause: Cause; readonly endsAt: Date; readonly status: string },
): Date {
  const isMailedReset = cause !== 'SIGN_IN' && status === 'PASSWORD_RESET';
  return earlier(minutesAfter(now, isMailedReset ? MAILED_RESET_MINUTES : STATE_TOKEN_MINUTES), endsAt);
}

/**
 * Returns the latest time at which a sign-in may end. With a one-time token, this is when the token expires, but at
 * least 15 minutes and at most an hour from now.
 */
export function endOfTransaction(now: Date, tokenExpiresAt: Date | null): Date {
  const longest = minutesAfter(now, LONGEST_MINUTES);
  if (tokenExpiresAt === null) return longest;
  return earlier(longest, later(tokenExpiresAt, minutesAfter(now, MAILED_RESET_MINUTES)));
}

export type PasswordAge =
  | { readonly kind: 'fresh' }
  | { readonly kind: 'tooOld' }
  /** The remaining days, rounded up. */
  | { readonly kind: 'endsSoon'; readonly days: number };

/** A password does not get too old if the policy sets no maximum age or if `changedAt` is null. */
export function passwordAgeOf(
  age: { readonly maxAgeDays: number; readonly expireWarnDays: number },
  changedAt: Date | null,
  now: Date,
): PasswordAge {
  if (age.maxAgeDays === 0 || changedAt === null) return { kind: 'fresh' };
  const left = changedAt.getTime() + age.maxAgeDays * DAY - now.getTime();
  if (left <= 0) return { kind: 'tooOld' };
  const days = Math.ceil(left / DAY);
  return days <= age.expireWarnDays ? { kind: 'endsSoon', days } : { kind: 'fresh' };
}

/**
 * All processes count these attempts together in the database. A failure counts whatever its reason, so that a limit
 * reveals nothing about the password. Failures of strangers do not keep users from starting a sign-in with their
 * password on a device that they are known to use.
 */
export const ATTEMPT_LIMITS = {
  USERNAME: { attempts: 50, windowSeconds: 1 },
  USERNAME_FAILURES: { attempts: 100, windowSeconds: 60 },
  ADDRESS_FAILURES: { attempts: 100, windowSeconds: 60 },
  ORG_FAILURES: { attempts: 6_000, windowSeconds: 60 },
  USERNAME_RECOVERIES: { attempts: 10, windowSeconds: 60 },
  ADDRESS_RECOVERIES: { attempts: 100, windowSeconds: 60 },
  /** Nobody can realistically guess another user's code within this limit. */
  USER_DEVICE_CODES: { attempts: 10, windowSeconds: 300 },
  ADDRESS_DEVICE_CODES: { attempts: 100, windowSeconds: 300 },
  /** Each code allows five tries, so a guesser hits one of 100,000,000 codes in a day with a chance of 0.0012 %. */
  USER_FACTOR_MAILS: { attempts: 10, windowSeconds: 3_600 },
} as const satisfies Record<string, { attempts: number; windowSeconds: number }>;
export type AttemptKind = keyof typeof ATTEMPT_LIMITS;

export const windowStartOf = (kind: AttemptKind, now: Date): Date => {
  const length = ATTEMPT_LIMITS[kind].windowSeconds * 1_000;
  return new Date(Math.floor(now.getTime() / length) * length);
};

/** Logins are shorter than this, so longer input may be cut off. */
export const MAXIMUM_LOGIN_CHARACTERS = 256;
