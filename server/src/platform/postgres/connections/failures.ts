import { ApiError, apiError } from '../../../kernel/errors/errors.ts';

const field = (error: unknown, name: string): string | undefined => {
  if (typeof error !== 'object' || error === null) return undefined;
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value : undefined;
};

const INTERNAL_ERROR = 'XX000';

/** Where Citus copies rows to a shard, it passes on an error's message without its code, as an internal error. */
const CODES_OF_MESSAGES: readonly (readonly [message: RegExp, code: string])[] = [
  [/ violates unique constraint /, '23505'],
  [/ violates foreign key constraint /, '23503'],
  [/ violates check constraint |^no partition of relation /, '23514'],
  [/ violates not-null constraint/, '23502'],
  [/^could not serialize access /, '40001'],
  [/^deadlock detected/, '40P01'],
  [/^canceling statement due to lock timeout/, '55P03'],
  [/^canceling statement due to /, '57014'],
  [/No space left on device/, '53100'],
  [/^terminating connection /, '57P01'],
];

/** Returns the SQLSTATE of a database error or the code of a socket error, or undefined if there is none. */
export function failureCode(error: unknown): string | undefined {
  const code = field(error, 'code');
  if (code !== INTERNAL_ERROR) return code;
  const message = field(error, 'message') ?? '';
  return CODES_OF_MESSAGES.find(([known]) => known.test(message))?.[1] ?? code;
}

export type ConstraintErrors = Readonly<Record<string, () => ApiError>>;

const RETRYABLE = new Set(['40001', '40P01']);
const FOREIGN_KEY_VIOLATION = '23503';

/** Tells whether to run again. After a foreign key violation, another run notices that the referenced row is gone. */
export const isRetryable = (error: unknown): boolean => {
  const code = failureCode(error) ?? '';
  return RETRYABLE.has(code) || code === FOREIGN_KEY_VIOLATION;
};

/** The codes of a database that cannot serve requests now, and of conflicts that remain after the last attempt. */
const UNAVAILABLE = new Set([
  ...RETRYABLE,
  '25006',
  '25P03',
  '53000',
  '53100',
  '53200',
  '53300',
  '53400',
  '55P03',
  '57014',
  '57P01',
  '57P02',
  '57P03',
  '58030',
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  '08P01',
  '40003',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EACCES',
  // The next four codes mean that no descriptor, port or memory is left for a new connection.
  'EMFILE',
  'ENFILE',
  'EADDRNOTAVAIL',
  'ENOBUFS',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
]);
/** The messages of errors to which the driver gives no code. */
const LOST_CONNECTION =
  /connection terminated|query read timeout|timeout exceeded when trying|not queryable|connection ended unexpectedly/i;

export function isUnavailable(error: unknown): boolean {
  if (UNAVAILABLE.has(failureCode(error) ?? '')) return true;
  return error instanceof Error && LOST_CONNECTION.test(error.message);
}

/** Makes the 503 that tells the client to try again after 1 s. Clients do not see the `cause`. */
export const unavailable = (cause?: unknown): ApiError =>
  apiError('E0000181', { headers: { 'retry-after': '1' }, ...(cause === undefined ? {} : { cause }) });

/** Makes the 503 for a change that may have been committed although its confirmation is missing. */
export const outcomeUnknown = (cause: unknown): ApiError =>
  apiError('E0000181', {
    headers: { 'retry-after': '1' },
    causes: ['It is not known whether the change was made. Read the resource before you repeat the request.'],
    cause,
  });

/**
 * Finds the outage behind an error, even if the error has become a 503. An AggregateError is an outage only if all of
 * its errors are.
 */
export function outageOf(error: unknown): Error | null {
  if (error instanceof ApiError) return outageOf(error.cause);
  if (error instanceof AggregateError && error.errors.length > 0) {
    const outages = error.errors.map(outageOf);
    return outages.includes(null) ? null : (outages[0] ?? null);
  }
  return error instanceof Error && isUnavailable(error) ? error : null;
}

/** The message of a worker of a Citus cluster, which names the constraint of a shard. */
const IN_SHARD = /constraint "(\w+)_\d+"/;

/** Returns the name of the violated constraint, or undefined if there is none. */
export function constraintOf(error: unknown): string | undefined {
  const named = field(error, 'constraint');
  if (named !== undefined || failureCode(error)?.startsWith('23') !== true) return named;
  return IN_SHARD.exec(field(error, 'message') ?? '')?.[1];
}

export function asApiError(error: unknown, constraints: ConstraintErrors): unknown {
  if (error instanceof ApiError) return error;
  const constraint = constraintOf(error);
  const known = constraint === undefined ? undefined : constraints[constraint];
  if (known !== undefined) return known();
  return isUnavailable(error) ? unavailable(error) : error;
}
