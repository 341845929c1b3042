import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { packageFile } from '../../platform/package-folder.ts';
import { EXIT } from '../exit-codes.ts';
import { limitMemoryArenas } from './memory-arenas.ts';
import { createRestartPauses } from './restart-pauses.ts';
import { isReadyMessage } from './supervised.ts';

/**
 * A second signal within this time is ignored, because a terminal signals the whole process group and npm forwards the
 * signal too.
 */
const ECHO_MILLISECONDS = 1_000;

interface Life {
  readonly child: ChildProcess;
  readonly wasReady: () => boolean;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

function begin(): Life {
  const program = import.meta.url.endsWith('.ts') ? packageFile('src', 'main.ts') : packageFile('dist', 'main.js');
  const child = fork(program, []);
  let isReady = false;
  child.on('message', (message) => {
    isReady ||= isReadyMessage(message);
  });
  const ended: Life['ended'] = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  return { child, wasReady: () => isReady, ended };
}

/** Loads the log only if there is something to report, so that this process needs little memory. */
async function openLog() {
  const [{ loadConfig }, { createLog }] = await Promise.all([import('../../settings/config.ts'), import('../log.ts')]);
  return createLog(loadConfig().logLevel);
}

/** Returns a signal that the first SIGTERM or SIGINT aborts. A later one calls `end`, unless it is an echo. */
function stopSignals(end: () => void): AbortSignal {
  const stopping = new AbortController();
  let firstAt = 0;
  const stop = (): void => {
    if (stopping.signal.aborted && performance.now() - firstAt > ECHO_MILLISECONDS) end();
    if (stopping.signal.aborted) return;
    firstAt = performance.now();
    stopping.abort();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return stopping.signal;
}

/**
 * Runs the serving process (`main.ts`) until it stops for good, and restarts it after a crash. A first start that fails
 * is not repeated.
 */
export async function supervise(): Promise<number> {
  limitMemoryArenas();
  let life: Life | null = null;
  const stopping = stopSignals(() => life?.child.kill('SIGKILL'));
  stopping.addEventListener('abort', () => life?.child.kill('SIGTERM'));
  const pauses = createRestartPauses();
  for (let isFirst = true; !stopping.aborted; isFirst = false) {
    const startedAt = performance.now();
    life = begin();
    const { code, signal } = await life.ended;
    // If SIGTERM itself ended the process, the process had nothing to stop yet.
    if (stopping.aborted) return signal === 'SIGTERM' ? 0 : (code ?? EXIT.failure);
    if (code === 0) return code;
    // If an earlier start succeeded, a later one may fail for a temporary reason, such as a database restart.
    const isItsDecision = life.wasReady() ? code === EXIT.failure : isFirst;
    if (isItsDecision || code === EXIT.usage) return code ?? EXIT.failure;
    const pauseMilliseconds = pauses.after(performance.now() - startedAt);
    const log = await openLog();
    const { pid } = life.child;
    log.error({ servingPid: pid, code, signal, pauseMilliseconds }, 'the serving process ended and is restarted');
    await delay(pauseMilliseconds, undefined, { signal: stopping }).catch(() => undefined);
  }
  return 0;
}
