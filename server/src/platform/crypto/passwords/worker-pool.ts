import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { type ApiError, apiError } from '../../../kernel/errors.ts';
import { type FairnessKey, FairQueue } from './fair-queue.ts';
import { PBKDF2_DIGEST_BYTES } from './imported-hash.ts';
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
  readonly estimateMilliseconds: number;
  readonly resolve: (result: string | boolean) => void;
  readonly reject: (error: Error) => void;
}

/** 503 with Retry-After: more hashing waits than can be done in time; nothing has happened. */
export const overloaded = (): ApiError => apiError('E0000181', { headers: { 'retry-after': '1' } });

/** Units of work in a task and the kind of unit; times are learnt per kind, so that one slow import skews no other. */
function workOf(task: Task): { kind: string; units: number } {
  if (task.kind === 'hash') return { kind: 'ARGON2ID', units: task.argon2.memoryCost * task.argon2.timeCost };
  const { stored, candidates } = task;
  if (stored.algorithm === 'ARGON2ID') {
    const used = parametersOf(stored.encoded);
    return { kind: 'ARGON2ID', units: used === null ? 1 : used.memoryCost * used.timeCost };
  }
  if (stored.algorithm === 'BCRYPT') return { kind: 'BCRYPT', units: candidates.length * 2 ** stored.workFactor };
  if (stored.algorithm === 'PBKDF2') {
    const blocks = Math.ceil(stored.keySize / PBKDF2_DIGEST_BYTES[stored.digestAlgorithm]);
    return { kind: stored.digestAlgorithm, units: candidates.length * stored.iterationCount * blocks };
  }
  if (stored.algorithm === 'SCRYPT') {
    const units = candidates.length * stored.cost * stored.blockSize * stored.parallelization;
    return { kind: 'SCRYPT', units };
  }
  return { kind: 'DIGEST', units: candidates.length };
}

/** Milliseconds per unit before anything was measured: one core of 2024. */
const FIRST_RATES: Readonly<Record<string, number>> = {
  ARGON2ID: 0.0005,
  BCRYPT: 0.045,
  SCRYPT: 0.0005,
  SHA1_HMAC: 0.0004,
  SHA256_HMAC: 0.0005,
  SHA512_HMAC: 0.001,
  DIGEST: 0.05,
};
const LEARNING_RATE = 0.1;

/** Threads that hash, and the queue before them. The queue never holds more than `maximumWaitMilliseconds` of work. */
export class WorkerPool {
  readonly #size: number;
  readonly #maximumWaitMilliseconds: number;
  readonly #queue = new FairQueue<Job>();
  readonly #idle: Worker[] = [];
  readonly #busy = new Map<Worker, Job>();
  readonly #rates = new Map(Object.entries(FIRST_RATES));
  #runningMilliseconds = 0;
  #isClosed = false;

  constructor(size: number, maximumWaitMilliseconds: number) {
    this.#size = size;
    this.#maximumWaitMilliseconds = maximumWaitMilliseconds;
  }

  get queueLength(): number {
    return this.#queue.length;
  }

  /** Runs a task in its turn; rejects with `overloaded` when it had to give way. */
  run(task: Task, key: FairnessKey): Promise<string | boolean> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(overloaded());
        return;
      }
      const { kind, units } = workOf(task);
      const estimateMilliseconds = units * (this.#rates.get(kind) ?? 1);
      this.#queue.push(key, { task, estimateMilliseconds, resolve, reject }, estimateMilliseconds);
      this.#dispatch();
      while (this.#queue.length > 0 && this.#expectedWaitMilliseconds() > this.#maximumWaitMilliseconds) {
        this.#queue.pushOut(key)?.reject(overloaded());
      }
    });
  }

  /** Ends the threads; whatever waits or runs is answered with `overloaded`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) job.reject(overloaded());
    const workers = [...this.#idle.splice(0), ...this.#busy.keys()];
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  #expectedWaitMilliseconds(): number {
    return (this.#queue.cost + this.#runningMilliseconds) / this.#size;
  }

  #dispatch(): void {
    while (!this.#isClosed && this.#queue.length > 0) {
      const worker = this.#idle.pop() ?? (this.#busy.size < this.#size ? this.#start() : undefined);
      if (worker === undefined) return;
      const job = this.#queue.shift();
      if (job === undefined) return;
      this.#busy.set(worker, job);
      this.#runningMilliseconds += job.estimateMilliseconds;
      worker.ref();
      worker.postMessage(job.task, []);
    }
  }

  #start(): Worker {
    const require = createRequire(import.meta.url);
    const worker = new Worker(WORKER_SOURCE, {
      eval: true,
      name: 'password-hashing',
      // Neither the process's secrets nor its loaders belong in this thread.
      env: {},
      execArgv: [],
      workerData: { argon2: require.resolve('@node-rs/argon2'), bcrypt: require.resolve('@node-rs/bcrypt') },
    });
    worker.on('message', (answer: Answer) => this.#settle(worker, answer));
    // 'exit' follows and settles the job; unheard, 'error' would end the process.
    worker.on('error', () => undefined);
    worker.on('exit', () => this.#lose(worker));
    return worker;
  }

  #release(worker: Worker): Job | undefined {
    const job = this.#busy.get(worker);
    this.#busy.delete(worker);
    this.#runningMilliseconds =
      this.#busy.size === 0 ? 0 : this.#runningMilliseconds - (job?.estimateMilliseconds ?? 0);
    return job;
  }

  #settle(worker: Worker, answer: Answer): void {
    const job = this.#release(worker);
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
    const rate = this.#rates.get(kind) ?? 1;
    this.#rates.set(kind, rate + LEARNING_RATE * (milliseconds / units - rate));
  }
}
