import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { packageFile } from '../../platform/package-folder.ts';
import { EXIT } from '../exit-codes.ts';
import { createRestartPauses } from './restart-pauses.ts';

/** Sent by the serving process once it answers requests. */
interface ReadyMessage {
  readonly type: 'gatehouse:ready';
}

/**
 * A terminal signals every process of its group, and npm forwards the signal. A second signal this soon after the first
 * is the same wish.
 */
const ECHO_MILLISECONDS = 1_000;

const isReadyMessage = (value: unknown): value is ReadyMessage =>
  typeof value === 'object' && value !== null && 'type' in value && value.type === 'gatehouse:ready';

interface Life {
  readonly child: ChildProcess;
  /** Said so itself, before it ended. */
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

/** Loads the log only when there is something to report: until then this process is little more than Node. */
async function openLog() {
  const [{ loadConfig }, { createLog }] = await Promise.all([import('../../settings/config.ts'), import('../log.ts')]);
  return createLog(loadConfig().logLevel);
}

/** The first SIGTERM or SIGINT aborts; a second one that is no echo of it calls `end`. */
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
 * Runs the serving process (`main.ts`) and starts it again when it dies: of a signal, of a full heap, of a fault. What
 * it decides itself is final: a start that is refused, a clean stop, the end because its PostgreSQL was given up. Its
 * standard streams are ours. Resolves with the exit code.
 */
export async function supervise(): Promise<number> {
  let life: Life | null = null;
  const stopping = stopSignals(() => life?.child.kill('SIGKILL'));
  stopping.addEventListener('abort', () => life?.child.kill('SIGTERM'));
  const pauses = createRestartPauses();
  for (let isFirst = true; !stopping.aborted; isFirst = false) {
    const startedAt = performance.now();
    life = begin();
    const { code, signal } = await life.ended;
    // It had nothing to stop yet where the signal itself ended it.
    if (stopping.aborted) return signal === 'SIGTERM' ? 0 : (code ?? EXIT.failure);
    if (code === 0) return code;
    // A start of before was good: what refuses this one may pass, as a database does that is away for a moment.
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

/** The serving process's side: tells the one above it, if there is one, that requests are answered. */
export const reportReady = (): boolean => process.send?.({ type: 'gatehouse:ready' } satisfies ReadyMessage) ?? false;

/** Tells whether a supervisor watches this process. A person's second signal goes to the supervisor. */
export const isSupervised = (): boolean => process.connected;

/**
 * Ends this process with its supervisor. Whoever kills the supervisor with kill -9 means both, and wants the folder and
 * the ports back; no answered request is lost. PostgreSQL follows through its pipe.
 */
export function endWithSupervisor(end: () => void): void {
  if (isSupervised()) process.once('disconnect', end);
}
