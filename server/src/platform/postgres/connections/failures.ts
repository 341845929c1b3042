import { ApiError, apiError } from '../../../kernel/errors/errors.ts';

const field = (error: unknown, name: string): string | undefined => {
  if (typeof error !== 'object' || error === null) return undefined;
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value : undefined;
};

/** SQLSTATE of a database error, or the code of a socket error. */
export const failureCode = (error: unknown): string | undefined => field(error, 'code');

/** Errors per violated constraint, by the constraint's name; messages are never parsed. */
export type ConstraintErrors = Readonly<Record<string, () => ApiError>>;

const RETRYABLE = new Set(['40001', '40P01']);
const FOREIGN_KEY_VIOLATION = '23503';

/**
 * A serialisation failure or a deadlock: the whole use case may run again. A violated foreign key means that something
 * the use case looked up has been deleted; the next run finds that out and reports it in its own terms.
 */
export const isRetryable = (error: unknown): boolean => {
  const code = failureCode(error) ?? '';
  return RETRYABLE.has(code) || code === FOREIGN_KEY_VIOLATION;
};

/**
 * These codes mean that the database is read-only, full, starting or stopping, has too many connections, lost one, or
 * ran into a time-out. Conflicts that remain after the last attempt count too.
 */
const UNAVAILABLE = new Set([
  ...RETRYABLE,
  '25006',
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
  // There is no descriptor, port or memory for a new connection: the shortage is ours, and it is temporary.
  'EMFILE',
  'ENFILE',
  'EADDRNOTAVAIL',
  'ENOBUFS',
  'ENOTFOUND',
]);
/** The driver gives these no code. */
const LOST_CONNECTION =
  /connection terminated|query read timeout|timeout exceeded when trying|not queryable|connection ended unexpectedly/i;

/** True when the database cannot serve now but may be able to in a moment. */
export function isUnavailable(error: unknown): boolean {
  if (UNAVAILABLE.has(failureCode(error) ?? '')) return true;
  return error instanceof Error && LOST_CONNECTION.test(error.message);
}

/** 503 with Retry-After: the client may send the same again. `cause` is for the server's log only. */
export const unavailable = (cause?: unknown): ApiError =>
  apiError('E0000181', { headers: { 'retry-after': '1' }, ...(cause === undefined ? {} : { cause }) });

/**
 * Finds the outage that kept the database from serving, beneath the 503 that it may have become. Null for any other
 * error.
 */
export function outageOf(error: unknown): Error | null {
  if (error instanceof ApiError) return outageOf(error.cause);
  if (error instanceof AggregateError && error.errors.length > 0) {
    const outages = error.errors.map(outageOf);
    return outages.includes(null) ? null : (outages[0] ?? null);
  }
  return error instanceof Error && isUnavailable(error) ? error : null;
}

/**
 * The answer to a database error: the constraint's error, 503 when the database was unavailable, otherwise the error
 * itself.
 */
export function asApiError(error: unknown, constraints: ConstraintErrors): unknown {
  if (error instanceof ApiError) return error;
  const constraint = field(error, 'constraint');
  const known = constraint === undefined ? undefined : constraints[constraint];
  if (known !== undefined) return known();
  return isUnavailable(error) ? unavailable(error) : error;
}
