import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { createRepeatedLines, kindOfLine } from '../../../repeated-lines.ts';
import type { Binaries } from '../cluster/binaries.ts';
import type { ClusterUser } from '../cluster/cluster-user.ts';
import { EmbeddedPostgresError, type Log } from '../embedded-error.ts';
import type { Endpoint } from '../endpoint.ts';
import { postmasterPid, stopPostmaster } from './leftover-postmaster.ts';
import { spawnOptions } from './run-program.ts';
import { wrapCommand } from './wrapper.ts';

export interface PostmasterPlan {
  readonly directory: string;
  readonly binaries: Binaries;
  readonly user: ClusterUser | null;
  readonly endpoint: Endpoint;
  readonly settings: Readonly<Record<string, string>>;
  readonly log: Log;
}

export interface Exit {
  readonly lastLines: readonly string[];
  readonly description: string;
}

export interface Postmaster {
  readonly pid: number;
  /**
   * The promise resolves when the server has ended, for any reason, or when only its wrapper has ended (see
   * `wrapCommand`).
   */
  readonly ended: Promise<Exit>;
  stop(): Promise<void>;
}

const READY = 'database system is ready to accept connections';
/** The number of kept lines. After a crash, each backend may log a line that follows the one with the reason. */
const KEPT_LINES = 500;
const START_MILLISECONDS = 600_000;
const STOP_MILLISECONDS = 60_000;

const CORRUPTION = /invalid page|page verification|could not read block|could not fsync|No space left/;

/**
 * Returns the log level of a server line, or null to leave the line out. ERROR lines may contain clients' data, so only
 * those about damaged or full storage are logged.
 */
export function lineLevel(line: string): 'debug' | 'info' | 'warn' | 'error' | null {
  if (/\bPANIC:/.test(line) || CORRUPTION.test(line)) return 'error';
  if (/\b(?:FATAL|WARNING):/.test(line)) return 'warn';
  if (/\bLOG:/.test(line)) return 'debug';
  return null;
}

/** This error is thrown if the server ended before it was ready, or was not ready in time. */
export class StartFailure extends EmbeddedPostgresError {
  readonly exit: Exit;

  constructor(exit: Exit) {
    super(`PostgreSQL did not start (${exit.description}): ${exit.lastLines.slice(-8).join(' | ')}`);
    this.name = 'StartFailure';
    this.exit = exit;
  }
}

function launch({ directory, binaries, user, settings, log }: PostmasterPlan) {
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [file, ...wrapped] = wrapCommand(binaries, directory, [binaries.postgres, '-D', directory, ...options]);
  // The server has a session of its own, so that Ctrl-C in a terminal reaches only this process, which drains first.
  const child = spawn(file, wrapped, { ...spawnOptions(user), stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  const lastLines: string[] = [];
  const repeated = createRepeatedLines();
  const ready = new Promise<void>((resolve) => {
    const read = (line: string): void => {
      lastLines.push(line);
      if (lastLines.length > KEPT_LINES) lastLines.shift();
      const level = lineLevel(line);
      // A recovering server may repeat a line for each refused connection. A server on a full disk may repeat one for
      // each failed write.
      if (level !== null) log(repeated.isRepeated(kindOfLine(line)) ? 'debug' : level, `postgres: ${line}`);
      if (line.includes(READY)) resolve();
    };
    createInterface({ input: child.stderr }).on('line', read);
    createInterface({ input: child.stdout }).on('line', read);
  });
  child.stdin.on('error', () => undefined);
  const ended = new Promise<Exit>((resolve) => {
    child.once('error', (error) => resolve({ lastLines: [], description: error.message }));
    child.once('exit', (status, signalName) => {
      // The lines with the reason for the exit may still be in the pipe. Orphaned backends may keep the pipe open, so
      // the wait is short.
      const settle = (): void => {
        child.stdin.destroy();
        resolve({ lastLines: [...lastLines], description: signalName ?? `status ${status}` });
      };
      const timer = setTimeout(settle, 200);
      child.once('close', () => {
        clearTimeout(timer);
        settle();
      });
    });
  });
  return { child, ready, ended };
}

export async function startPostmaster(plan: PostmasterPlan): Promise<Postmaster> {
  const { child, ready, ended } = launch(plan);
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<Exit>((resolve) => {
    timer = setTimeout(
      () => resolve({ lastLines: [], description: 'not ready within 10 minutes' }),
      START_MILLISECONDS,
    );
  });
  const failure = await Promise.race([ready, ended, tooLong]);
  clearTimeout(timer);
  if (failure !== undefined) {
    child.stdin.destroy();
    throw new StartFailure(failure);
  }
  const pid = await postmasterPid(plan.directory);
  if (pid === null) throw new StartFailure(await ended);
  return {
    pid,
    ended,
    async stop() {
      // When the pipe ends, the wrapper requests a fast shutdown.
      child.stdin.end();
      let stopTimer: NodeJS.Timeout | undefined;
      const timeout = new Promise<'timeout'>((resolve) => {
        stopTimer = setTimeout(() => resolve('timeout'), STOP_MILLISECONDS);
      });
      const result = await Promise.race([ended, timeout]);
      clearTimeout(stopTimer);
      if (result === 'timeout') await stopPostmaster(pid, plan.directory, 0);
      await ended;
    },
  };
}
