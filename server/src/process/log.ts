import { type Logger, pino } from 'pino';
import type { Log } from '../platform/postgres/embedded/index.ts';

const own = (error: object, name: string): unknown => {
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
};

/** Returns only selected fields of an error, because a database error may also contain values of the affected row. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : typeof error;
  return {
    type: error.name,
    message: error.message,
    code: own(error, 'code'),
    constraint: own(error, 'constraint'),
    stack: error.stack,
    cause: error.cause === undefined ? undefined : describeError(error.cause),
  };
}

const SECRETS = ['password', 'apiToken', 'token', 'authorization', 'cookie', 'secret', 'connectionString'];

/** Creates the log: JSON lines on standard error, written synchronously, so that a dying process loses no lines. */
export function createLog(level: string): Logger {
  const paths = SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: describeError, error: describeError },
      redact: { paths, censor: '[secret]' },
    },
    pino.destination({ fd: 2, sync: true }),
  );
}

export const embeddedLog =
  (log: Logger): Log =>
  (level, message) =>
    log[level](message);
