import { OperatorError } from '../../../kernel/errors/operator-error.ts';

/** Thrown when the embedded PostgreSQL cannot be used. The message tells the operator why and what to do. */
export class EmbeddedPostgresError extends OperatorError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EmbeddedPostgresError';
  }
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type Log = (level: LogLevel, message: string) => void;

/** Tells whether an error is a failed system call with one of these codes (`ENOENT`, `EEXIST` ...). */
export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
