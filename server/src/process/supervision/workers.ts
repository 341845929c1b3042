import cluster, { type Worker } from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
// Importing `operations/index.ts` would load the database driver, which a primary does not need to fork a worker.
import { type AddedMetrics, addMetrics } from '../../platform/operations/cluster-metrics.ts';
import { packageFile } from '../../platform/package-folder.ts';
import { WorkerEndedError } from '../operator-errors.ts';
import { limitMemoryArenas } from './memory-arenas.ts';
import { type FromWorker, isFromWorker, type ToWorker, type WorkerStart } from './messages.ts';
import { createRestartPauses } from './restart-pauses.ts';

/** The facts that the workers get once the database is open. `sizes` contains the number of workers. */
type OfDatabase = Pick<WorkerStart, 'connection' | 'sizes'>;

export interface Workers {
  readonly listening: () => number;
  /** Forks the first worker, which loads its modules while the primary opens the database. */
  prepare(): Promise<unknown>;
  /** Starts the first worker, and forks the others, if any, when it answers requests. Resolves with its greeting. */
  start(start: OfDatabase): Promise<string>;
  metrics(): Promise<string>;
  /** The workers may finish their requests within a time limit. */
  stop(): Promise<void>;
}

const STOP_MILLISECONDS = 20_000;
/** The size that Node requires. */
const TICKET_KEY_BYTES = 48;

const tell = (worker: Worker, message: ToWorker): void => {
  if (worker.isConnected()) worker.send(message, () => undefined);
};

async function stopWorker(worker: Worker, patienceMilliseconds: number): Promise<void> {
  if (worker.isDead()) return;
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  tell(worker, { type: 'gatehouse:stop' });
  const enough = new AbortController();
  const tooLong = delay(patienceMilliseconds, true, { signal: enough.signal }).catch(() => false);
  if ((await Promise.race([ended, tooLong])) === true) worker.process.kill('SIGKILL');
  await ended;
  enough.abort();
}

/** Once the first worker listens, workers that end are replaced, after pauses that grow while workers end early. */
class ClusterWorkers implements Workers {
  readonly #drainMilliseconds: number;
  readonly #log: Logger;
  /** The workers that were told to start. */
  readonly #started = new Set<Worker>();
  readonly #ready = new Set<Worker>();
  readonly #stopping = new AbortController();
  readonly #pauses = createRestartPauses();
  readonly #metrics: AddedMetrics;
  readonly #ticketKeys = randomBytes(TICKET_KEY_BYTES).toString('base64');
  readonly #database: Promise<OfDatabase>;
  #open: (database: OfDatabase) => void = () => undefined;
  #count = 1;
  #first: Promise<string> | null = null;
  #isUp = false;

  constructor({ drainSeconds }: { readonly drainSeconds: number }, log: Logger) {
    this.#drainMilliseconds = drainSeconds * 1_000;
    this.#log = log;
    this.#database = new Promise((resolve) => {
      this.#open = resolve;
    });
    this.#metrics = addMetrics((request) => {
      for (const worker of this.#ready) tell(worker, { type: 'gatehouse:measure', request });
      return [...this.#ready].map(({ id }) => id);
    });
    limitMemoryArenas();
    cluster.setupPrimary({
      exec: import.meta.url.endsWith('.ts') ? packageFile('src', 'main.ts') : packageFile('dist', 'main.js'),
      args: [],
    });
  }

  listening(): number {
    return this.#ready.size;
  }

  prepare(): Promise<string> {
    this.#first ??= this.#fork();
    return this.#first;
  }

  async start(database: OfDatabase): Promise<string> {
    this.#count = database.sizes.workers;
    this.#open(database);
    const greeting = await this.prepare();
    for (let more = 1; more < this.#count; more += 1) void this.#forkAgain(0);
    return greeting;
  }

  metrics(): Promise<string> {
    return this.#metrics.text();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    const patience = STOP_MILLISECONDS + this.#drainMilliseconds;
    await Promise.all(
      workers.map((worker) => {
        // A worker that was not told to start may be unable to receive messages, and has nothing to stop cleanly.
        if (!this.#started.has(worker)) worker.process.kill('SIGKILL');
        return stopWorker(worker, patience);
      }),
    );
  }

  /** Resolves with the worker's greeting when it listens. */
  #fork(): Promise<string> {
    const worker = cluster.fork();
    const startedAt = performance.now();
    worker.on('error', (error) => this.#log.error({ err: error, worker: worker.id }, 'worker failed'));
    worker.once('exit', (code, signal) => {
      this.#started.delete(worker);
      this.#ready.delete(worker);
      this.#metrics.ended(worker.id);
      // A first worker that can't start is not replaced. Instead, the primary ends with the worker's exit code.
      if (this.#stopping.signal.aborted || !this.#isUp) return;
      this.#log.error({ worker: worker.id, code, signal }, 'a worker ended and is replaced');
      void this.#forkAgain(this.#pauses.after(performance.now() - startedAt));
    });
    return new Promise((resolve, reject) => {
      worker.once('exit', (code, signal) => reject(new WorkerEndedError(code, signal)));
      worker.on('message', (message: unknown) => {
        if (!isFromWorker(message)) return;
        this.#hear(worker, message);
        if (message.type === 'gatehouse:listening') resolve(message.greeting);
      });
    });
  }

  #hear(worker: Worker, message: FromWorker): void {
    switch (message.type) {
      case 'gatehouse:hello':
        // A message that is sent before the worker's hello would be lost.
        void this.#database.then((database) => {
          this.#started.add(worker);
          const start = { ...database, makesFirstOrg: !this.#isUp, ticketKeys: this.#ticketKeys };
          tell(worker, { type: 'gatehouse:start', ...start });
        });
        return;
      case 'gatehouse:listening':
        this.#isUp = true;
        this.#ready.add(worker);
        // Only replacements are logged at `info`, because an error was logged when the replaced worker ended.
        this.#log[worker.id > this.#count ? 'info' : 'debug'](
          { worker: worker.id, workerPid: worker.process.pid },
          'a worker is listening',
        );
        return;
      case 'gatehouse:measured':
        this.#metrics.answered(worker.id, message.request, message.metrics);
        return;
      case 'gatehouse:news':
        for (const other of this.#started) if (other !== worker) tell(other, message);
    }
  }

  async #forkAgain(pauseMilliseconds: number): Promise<void> {
    const { signal } = this.#stopping;
    if (pauseMilliseconds > 0) await delay(pauseMilliseconds, undefined, { signal }).catch(() => undefined);
    // If the worker fails at its start, its exit handler counts the failure and forks another worker.
    if (!signal.aborted) await this.#fork().catch(() => undefined);
  }
}

export const createWorkers = (config: { readonly drainSeconds: number }, log: Logger): Workers =>
  new ClusterWorkers(config, log);
