import type { Context } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import { loginKey } from '../../../kernel/texts/text.ts';
import type { SignInSubject } from '../../../management/users/index.ts';
import { hashSecret } from '../../../platform/crypto/index.ts';
import { addressPrefix } from '../../../platform/http/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { NewEvent, Record } from '../../../system-log/index.ts';
import type { AuthnPorts } from '../ports.ts';
import { ATTEMPT_LIMITS, type AttemptKind, windowStartOf } from '../rules.ts';
import { type AttemptCount, type AttemptKey, addAttempts, findAttempts, openAttempt } from './attempts-store.ts';

const keyOf = (context: Context, kind: AttemptKind, text: string): AttemptKey => ({
  kind,
  hash: hashSecret(text),
  windowStart: windowStartOf(kind, context.now),
});

const addressOf = (context: Context): string => addressPrefix(context.client.ipAddress ?? '');

const addressKey = (context: Context): AttemptKey => keyOf(context, 'ADDRESS_FAILURES', addressOf(context));

/**
 * Returns the keys under which a failure is counted. `login` is a username as typed, or a user's login. If it is null,
 * the failure counts for no username.
 */
const failureKeys = (context: Context, login: string | null): AttemptKey[] => [
  addressKey(context),
  keyOf(context, 'ORG_FAILURES', ''),
  ...(login === null ? [] : [keyOf(context, 'USERNAME_FAILURES', loginKey(login))]),
];

/** The headers state the limit and the end of its window (contract section 8). */
function refuse(context: Context, kind: AttemptKind): never {
  const { attempts, windowSeconds } = ATTEMPT_LIMITS[kind];
  const reset = windowStartOf(kind, context.now).getTime() / 1_000 + windowSeconds;
  const headers = {
    'x-rate-limit-limit': String(attempts),
    'x-rate-limit-remaining': '0',
    'x-rate-limit-reset': String(reset),
  };
  throw apiError('E0000047', { headers });
}

const violated = (kind: AttemptKind): NewEvent => ({
  eventType: 'system.operation.rate_limit.violation',
  outcome: { result: 'RATE_LIMIT', reason: 'LIMIT_EXCEEDED' },
  target: [{ id: `sign-in:${kind}`, type: 'Bucket', displayName: kind }],
});

/** Throws if a limit is exceeded, and records an event at the first attempt beyond the limit. */
async function assertUncrossed(
  ports: Pick<AuthnPorts, 'users'>,
  context: Context,
  counts: readonly AttemptCount[],
): Promise<void> {
  const over = counts.find(({ count, kind }) => count > ATTEMPT_LIMITS[kind].attempts);
  if (over === undefined) return;
  if (over.count === ATTEMPT_LIMITS[over.kind].attempts + 1) {
    await ports.users.work(context, async (_tx, record) => record(violated(over.kind)));
  }
  refuse(context, over.kind);
}

const take = async (ports: Pick<AuthnPorts, 'users'>, context: Context, keys: readonly AttemptKey[]): Promise<void> =>
  assertUncrossed(ports, context, await addAttempts(ports.users.db, context.orgId, keys));

async function assertWithin(ports: AuthnPorts, context: Context, keys: readonly AttemptKey[]): Promise<void> {
  const counts: AttemptCount[] = await findAttempts(ports.users.db, context.orgId, keys);
  const full = counts.find(({ count, kind }) => count >= ATTEMPT_LIMITS[kind].attempts);
  if (full !== undefined) refuse(context, full.kind);
}

/**
 * Finds the user who signs in and limits the attempts, before a password is verified. On a device that the user is
 * known to use, only the attempts of that device count, because strangers could otherwise block the user.
 */
export async function admitAttempt(
  ports: AuthnPorts,
  context: Context,
  login: string,
  deviceHash: Buffer | null,
): Promise<SignInSubject | undefined> {
  const keyFor = (device: string) => keyOf(context, 'USERNAME', `${loginKey(login)}\n${device}`);
  const { attempts, reached, subject } = await openAttempt(ports.users.db, context.orgId, {
    login,
    deviceHash,
    failures: failureKeys(context, login),
    own: keyFor(deviceHash?.toString('hex') ?? ''),
    others: keyFor(''),
  });
  if (reached !== null) refuse(context, reached);
  await assertUncrossed(ports, context, [{ kind: 'USERNAME', count: attempts ?? 0 }]);
  return subject;
}

/**
 * Limits attempts. Call this before checking a one-time token, or before checking an answer or password in a later
 * step.
 */
export const admitGuess = (ports: AuthnPorts, context: Context): Promise<void> =>
  assertWithin(ports, context, failureKeys(context, null));

export const admitImpossible = (ports: AuthnPorts, context: Context): Promise<void> =>
  assertWithin(ports, context, [addressKey(context)]);

/** Counts right and wrong codes alike, because the code is checked only afterwards. */
export const admitDeviceCode = (ports: Pick<AuthnPorts, 'users'>, context: Context, userId: string): Promise<void> =>
  take(ports, context, [
    keyOf(context, 'USER_DEVICE_CODES', userId),
    keyOf(context, 'ADDRESS_DEVICE_CODES', addressOf(context)),
  ]);

/** Limits the codes that a sign-in sends to a user's mailbox. Only somebody with the password gets here. */
export const admitFactorMail = (ports: Pick<AuthnPorts, 'users'>, context: Context, userId: string): Promise<void> =>
  take(ports, context, [keyOf(context, 'USER_FACTOR_MAILS', userId)]);

export const refuseFactorMail = (context: Context): never => refuse(context, 'USER_FACTOR_MAILS');

/** Limits how many recoveries start, because anybody may start a recovery for any user. */
export const admitRecovery = (ports: AuthnPorts, context: Context, login: string): Promise<void> =>
  take(ports, context, [
    keyOf(context, 'USERNAME_RECOVERIES', loginKey(login)),
    keyOf(context, 'ADDRESS_RECOVERIES', addressOf(context)),
  ]);

async function addFailures(tx: Tx, record: Record, context: Context, keys: readonly AttemptKey[]): Promise<void> {
  for (const { count, kind } of await addAttempts(tx, context.orgId, keys)) {
    if (count === ATTEMPT_LIMITS[kind].attempts) record(violated(kind));
  }
}

export const countFailureOfClient = (tx: Tx, record: Record, context: Context, login: string | null): Promise<void> =>
  addFailures(tx, record, context, failureKeys(context, login));

/**
 * Counts a string that cannot be a password, but only for the client's address. Such a string costs no hash, so it must
 * not be a cheap way to reach other limits or to lock a user out.
 */
export const countImpossible = (tx: Tx, record: Record, context: Context): Promise<void> =>
  addFailures(tx, record, context, [addressKey(context)]);
