import { ApiError } from '../kernel/errors/errors.ts';
import { OperatorError } from '../kernel/errors/operator-error.ts';
// Importing `postgres/index.ts` would load the driver, which a primary needs only after it has forked its first worker.
import { isUnavailable } from '../platform/postgres/connections/failures.ts';
import { ConfigError } from '../settings/config.ts';
import { EXIT } from './exit-codes.ts';

/** This error is thrown in a primary if a worker ends while the worker is starting. */
export class WorkerEndedError extends OperatorError {
  /** Null means that a signal ended the worker. */
  readonly exitCode: number | null;

  constructor(exitCode: number | null, signal: string) {
    super(exitCode === null ? `A worker was ended by ${signal} while it was starting.` : 'A worker could not start.');
    this.exitCode = exitCode;
  }
}

/** Tells whether another process has already printed the error. A worker that can't start prints the reason. */
export const isReported = (error: unknown): boolean => error instanceof WorkerEndedError && error.exitCode !== null;

const settingOf = (error: Error): string => ('setting' in error ? String(error.setting) : 'GATEHOUSE_PORT');

export const aboutSetting = (error: unknown, setting: string): unknown =>
  error instanceof Error ? Object.assign(error, { setting }) : error;

const addressInUse = (error: Error): string | null => {
  if (!('code' in error) || !('syscall' in error) || !['listen', 'bind'].includes(String(error.syscall))) return null;
  const address = 'address' in error && 'port' in error ? `${String(error.address)}:${String(error.port)}` : 'address';
  if (error.code === 'EADDRINUSE')
    return `${address} is in use by another program. Set ${settingOf(error)} to another port.`;
  return `Can't listen on ${address}: ${error.message}`;
};

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'it already exists',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'it or a folder above it does not exist',
  ERR_FS_EISDIR: 'it is a folder',
  EDQUOT: 'the disk quota is used up',
  ENOSPC: 'no space is left on the disk',
  ENOTDIR: 'a folder in its path is a file',
  EPERM: 'permission denied',
  EROFS: 'its file system is read-only',
};

/** Describes a well-known error about a file. Returns null for any other error, including a failed `connect`. */
function fileProblem(error: Error): string | null {
  if (!('code' in error) || !('path' in error) || !('syscall' in error) || error.syscall === 'connect') return null;
  const problem = FILE_PROBLEMS[String(error.code)];
  return problem === undefined ? null : `Can't ${String(error.syscall)} ${String(error.path)}: ${problem}.`;
}

const apiText = (error: ApiError): string =>
  error.causes.length === 0 ? error.message : error.causes.map((cause) => cause.errorSummary).join(' - ');

/** Describes an error that an operator can act on. Returns null for any other error. */
export function operatorMessage(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if (error instanceof OperatorError) return error.message;
  if (error instanceof ApiError) return apiText(error);
  return (
    addressInUse(error) ??
    fileProblem(error) ??
    (isUnavailable(error) ? `The database can't be reached: ${error.message}` : null)
  );
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof WorkerEndedError) return error.exitCode ?? EXIT.failure;
  return error instanceof ConfigError ? EXIT.usage : EXIT.failure;
}
