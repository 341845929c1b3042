import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { type ApiError, apiError } from '../../../kernel/errors/errors.ts';
import { type Cost, type CostKind, costOf, costOfArgon2, REFERENCE_RATES } from './cost-model.ts';
import { type FairnessKey, FairQueue, ORIGINS, type Origin } from './fair-queue.ts';
import { type Argon2Parameters, parametersOf, type StoredPassword } from './stored-password.ts';
import { WORKER_SOURCE } from './worker-source.ts';

export type Task =
  | { readonly kind: 'hash'; readonly password: string; readonly argon2: Argon2Parameters }
  | { readonly kind: 'verify'; readonly stored: StoredPassword; readonly candidates: readonly string[] };

interface Answer {
  readonly result?: string | boolean;
  readonly failure?: string;
  readonly milliseconds: number;
}
interface Job {
  readonly task: Task;
  readonly origin: Origin;
  readonly key: FairnessKey;
  readonly estimateMilliseconds: number;
  readonly resolve: (result: string | boolean) => void;
  readonly reject: (error: Error) => void;
}

/** Makes the error for a task that could not be finished. */
export const overloaded = (): ApiError => apiError('E0000181', { headers: { 'retry-after': '1' } });

function workOf(task: Task): Cost {
  if (task.kind === 'hash') return costOfArgon2(task.argon2);
  const { kind, units } = costOf(task.stored);
  return { kind, units: task.candidates.length * units };
}

const LEARNING_RATE = 0.1;

/** The number that is added to the nice value of the threads, so that hashing delays other work less. */
const HASHING_NICE = 5;

/**
 * The threads that hash, and their queue. One thread takes no imported hashes, so that they cannot occupy all threads.
 */
export class WorkerPool {
  readonly #size: number;
  readonly #threads: Readonly<Record<Origin, number>>;
  readonly #maximumWaitMilliseconds: number;
  readonly #queue = new FairQueue<Job>();
  readonly #idle: Worker[] = [];
  readonly #busy = new Map<Worker, Job>();
  readonly #rates: Record<CostKind, number> = { ...REFERENCE_RATES };
  readonly #own: Argon2Parameters;
  #isClosed = false;

  /** `size` is the number of parallel hashes. If it is 1, a second thread is added for imported hashes. */
  constructor(size: number, maximumWaitMilliseconds: number, own: Argon2Parameters) {
    this.#size = size;
    this.#threads = { own: size, imported: Math.max(1, size - 1) };
    this.#maximumWaitMilliseconds = maximumWaitMilliseconds;
    this.#own = own;
  }

  get queueLength(): number {
    return this.#queue.length;
  }

  expectedMilliseconds({ kind, units }: Cost): number {
    return units * this.#rates[kind];
  }

  /** Rejects with `overloaded` if too much work is waiting, if the pool is closed, or if the thread ends. */
  run(task: Task, key: FairnessKey): Promise<string | boolean> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(overloaded());
        return;
      }
      const estimateMilliseconds = this.expectedMilliseconds(workOf(task));
      const origin = this.#originOf(task);
      const job = { task, origin, key, estimateMilliseconds, resolve, reject };
      this.#queue.push(key, job, estimateMilliseconds, origin);
      this.#dispatch();
      this.#shed(key, ['imported'], this.#threads.imported);
      this.#shed(key, ORIGINS, this.#size);
    });
  }

  /** Rejects waiting and running tasks with `overloaded`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) job.reject(overloaded());
    const workers = [...this.#idle.splice(0), ...this.#busy.keys()];
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  /**
   * Tells who chose the cost: `own` for a hash of our kind that has at most the cost and parallelism of ours, otherwise
   * `imported`.
   */
  #originOf(task: Task): Origin {
    if (task.kind === 'hash') return 'own';
    if (task.stored.algorithm !== 'ARGON2ID') return 'imported';
    const used = parametersOf(task.stored.encoded);
    const isOurs =
      used !== null &&
      used.parallelism <= this.#own.parallelism &&
      costOfArgon2(used).units <= costOfArgon2(this.#own).units;
    return isOurs ? 'own' : 'imported';
  }

  #running(origins: readonly Origin[]): Job[] {
    return [...this.#busy.values()].filter(({ origin }) => origins.includes(origin));
  }

  #shed(key: FairnessKey, origins: readonly Origin[], threads: number): void {
    const running = this.#running(origins).reduce((sum, job) => sum + job.estimateMilliseconds, 0);
    const most = this.#maximumWaitMilliseconds * threads - running;
    for (let cost = this.#queue.cost(origins); cost > 0 && cost > most; cost = this.#queue.cost(origins)) {
      this.#queue.pushOut(key, origins)?.reject(overloaded());
    }
  }

  #dispatch(): void {
    const most = Math.max(this.#size, 2);
    while (!this.#isClosed && this.#busy.size < most) {
      const origins = ORIGINS.filter((origin) => this.#running([origin]).length < this.#threads[origin]);
      const job = this.#queue.shift(origins);
      if (job === undefined) return;
      const worker = this.#idle.pop() ?? this.#start();
      this.#busy.set(worker, job);
      worker.ref();
      worker.postMessage(job.task, []);
    }
  }

  #start(): Worker {
    const require = createRequire(import.meta.url);
    const worker = new Worker(WORKER_SOURCE, {
      eval: true,
      name: 'password-hashing',
      // The thread gets neither the secrets in the process's environment nor the process's loaders.
      env: {},
      execArgv: [],
      workerData: {
        argon2: require.resolve('@node-rs/argon2'),
        bcrypt: require.resolve('@node-rs/bcrypt'),
        nice: HASHING_NICE,
      },
    });
    worker.on('message', (answer: Answer) => this.#settle(worker, answer));
    // After an 'error' event, the 'exit' event settles the job. Without a listener, 'error' would end the process.
    worker.on('error', () => undefined);
    worker.on('exit', () => this.#lose(worker));
    return worker;
  }

  #release(worker: Worker, milliseconds?: number): Job | undefined {
    const job = this.#busy.get(worker);
    this.#busy.delete(worker);
    if (job !== undefined) this.#queue.settle(job.key, (milliseconds ?? 0) - job.estimateMilliseconds);
    return job;
  }

  #settle(worker: Worker, answer: Answer): void {
    const job = this.#release(worker, answer.milliseconds);
    worker.unref();
    this.#idle.push(worker);
    if (job !== undefined) {
      this.#learn(job.task, answer.milliseconds);
      if (answer.result === undefined) job.reject(new Error(`password hashing failed: ${answer.failure}`));
      else job.resolve(answer.result);
    }
    this.#dispatch();
  }

  #lose(worker: Worker): void {
    const index = this.#idle.indexOf(worker);
    if (index >= 0) this.#idle.splice(index, 1);
    this.#release(worker)?.reject(overloaded());
    this.#dispatch();
  }

  #learn(task: Task, milliseconds: number): void {
    const { kind, units } = workOf(task);
    this.#rates[kind] += LEARNING_RATE * (milliseconds / units - this.#rates[kind]);
  }
}
