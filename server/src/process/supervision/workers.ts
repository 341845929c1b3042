import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { packageFile } from '../../platform/package-folder.ts';
import type { ConnectionSettings } from '../../platform/postgres/index.ts';
import { createRestartPauses } from './restart-pauses.ts';

/**
 * The message that passes the database connection settings to a worker. If an environment variable passed them, child
 * processes would inherit them.
 */
interface StartMessage {
  readonly type: 'gatehouse:start';
  readonly connection: ConnectionSettings;
}
interface StopMessage {
  readonly type: 'gatehouse:stop';
}
/** A worker's message to the primary: first that it listens for messages, later that it answers requests. */
interface WorkerMessage {
  readonly type: 'gatehouse:hello' | 'gatehouse:listening';
}
type Message = StartMessage | StopMessage | WorkerMessage;

export type WorkerStart = Omit<StartMessage, 'type'>;

export interface Workers {
  readonly listening: () => number;
  /** Starts all workers, and resolves when they answer requests. Rejects if a worker ends while starting. */
  start(): Promise<void>;
  /** Stops all workers. They may finish their requests within a time limit, after which they are killed. */
  stop(): Promise<void>;
}

const STOP_MILLISECONDS = 20_000;

const isMessage = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && 'type' in value && String(value.type).startsWith('gatehouse:');

/**
 * Creates the part of the primary that forks and stops workers. It also replaces workers that end, after a pause that
 * grows while workers keep ending early.
 */
export function createWorkers(
  { drainSeconds, workers: count }: { readonly workers: number; readonly drainSeconds: number },
  start: WorkerStart,
  log: Logger,
): Workers {
  const ready = new Set<Worker>();
  const stopping = new AbortController();
  const pauses = createRestartPauses();
  cluster.setupPrimary({
    exec: import.meta.url.endsWith('.ts') ? packageFile('src', 'main.ts') : packageFile('dist', 'main.js'),
    args: [],
  });

  function fork(): Promise<void> {
    const worker = cluster.fork();
    const startedAt = performance.now();
    worker.on('error', (error) => log.error({ err: error, worker: worker.id }, 'worker failed'));
    worker.once('exit', (code, signal) => {
      ready.delete(worker);
      if (stopping.signal.aborted) return;
      log.error({ worker: worker.id, code, signal }, 'a worker ended and is replaced');
      void forkAgain(pauses.after(performance.now() - startedAt));
    });
    return new Promise((resolve, reject) => {
      worker.once('exit', (code) => reject(new Error(`a worker ended while starting (exit code ${code})`)));
      worker.on('message', (message: unknown) => {
        if (!isMessage(message)) return;
        // A message that is sent before the worker's hello could be lost.
        if (message.type === 'gatehouse:hello')
          worker.send({ type: 'gatehouse:start', ...start } satisfies StartMessage);
        if (message.type !== 'gatehouse:listening') return;
        ready.add(worker);
        log.info({ worker: worker.id, workerPid: worker.process.pid }, 'a worker is listening');
        resolve();
      });
    });
  }

  async function forkAgain(pauseMilliseconds: number): Promise<void> {
    await delay(pauseMilliseconds, undefined, { signal: stopping.signal }).catch(() => undefined);
    // If the worker fails at its start, its exit handler counts the failure and forks another worker.
    if (!stopping.signal.aborted) await fork().catch(() => undefined);
  }

  return {
    listening: () => ready.size,
    start: async () => {
      await Promise.all(Array.from({ length: count }, fork));
    },
    stop: async () => {
      stopping.abort();
      const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
      await Promise.all(workers.map((worker) => stopWorker(worker, STOP_MILLISECONDS + drainSeconds * 1_000)));
    },
  };
}

async function stopWorker(worker: Worker, patienceMilliseconds: number): Promise<void> {
  if (worker.isDead()) return;
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  if (worker.isConnected()) worker.send({ type: 'gatehouse:stop' } satisfies StopMessage);
  const enough = new AbortController();
  const tooLong = delay(patienceMilliseconds, true, { signal: enough.signal }).catch(() => false);
  if ((await Promise.race([ended, tooLong])) === true) worker.process.kill('SIGKILL');
  await ended;
  enough.abort();
}

/** Tells the primary that this worker listens for messages, and resolves with the primary's start message. */
export function waitForStart(): Promise<WorkerStart> {
  return new Promise((resolve) => {
    process.on('message', (message: unknown) => {
      if (isMessage(message) && message.type === 'gatehouse:start') resolve(message);
    });
    process.send?.({ type: 'gatehouse:hello' } satisfies WorkerMessage);
  });
}

export function reportListening(): void {
  process.send?.({ type: 'gatehouse:listening' } satisfies WorkerMessage);
}

/**
 * Calls `stop` once, when the primary requests a stop or has ended. SIGINT and SIGTERM are ignored, because the primary
 * handles them for all workers.
 */
export function onStop(stop: () => void): void {
  let isCalled = false;
  const once = (): void => {
    if (!isCalled) stop();
    isCalled = true;
  };
  process.on('message', (message: unknown) => {
    if (isMessage(message) && message.type === 'gatehouse:stop') once();
  });
  process.once('disconnect', once);
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => undefined);
}
