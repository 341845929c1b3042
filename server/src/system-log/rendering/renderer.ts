import { Worker } from 'node:worker_threads';
import { InputError } from './event-text.ts';
import { type BatchInput, type LedgerBatch, renderBatch, UnknownFormatError } from './ledger-batch.ts';
import { createRowRenderer } from './render-row.ts';

/** A renderer renders the batches of a relay, one at a time. */
export interface Renderer {
  /** Throws InputError for an input that cannot be rendered, and UnknownFormatError for one of a later release. */
  readonly render: (batch: BatchInput) => Promise<LedgerBatch>;
  readonly close: () => Promise<void>;
}

export type RenderAnswer =
  | { readonly batch: LedgerBatch }
  | { readonly kind: 'input' | 'format' | 'other'; readonly message: string };

export interface RendererOptions {
  /** The module that the rendering thread runs. If it is null, the calling thread renders all batches. */
  readonly threadFile: string | null;
  readonly onError?: (error: unknown) => void;
}

/** The calling thread renders smaller batches, so that a service with few events needs no second thread. */
const SMALLEST_BATCH_OF_THREAD = 32;
/**
 * All rows of a batch live until the batch is complete. With Node's default limit, the collector copied them again and
 * again, which took two fifths of the time of rendering. An idle thread ends, so that it keeps no memory.
 */
const LIMITS = { maxYoungGenerationSizeMb: 64 } as const;
/** The rendering thread ends after this time without work, which frees its memory. */
const IDLE_MILLISECONDS = 30_000;
/**
 * The longest time that the relay waits for the thread to render a batch. It is less than the time after which the
 * database ends an idle transaction (`LONGEST_SILENCE` of the relay).
 */
const LONGEST_MILLISECONDS = 7_000;

function errorOf({ kind, message }: Exclude<RenderAnswer, { batch: LedgerBatch }>): Error {
  if (kind === 'input') return new InputError(message);
  return kind === 'format' ? new UnknownFormatError(message) : new Error(message);
}

/** Restores the Buffers of a batch, which arrive in the message as plain Uint8Arrays. */
const received = (batch: LedgerBatch): LedgerBatch =>
  Object.fromEntries(
    Object.entries(batch).map(([name, value]) => [
      name,
      value instanceof Uint8Array
        ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
        : { ...value, hash: Buffer.from(value.hash) },
    ]),
  ) as LedgerBatch;

const isOfBatch = (error: unknown): boolean => error instanceof InputError || error instanceof UnknownFormatError;

function rendered(worker: Worker, batch: BatchInput): Promise<LedgerBatch> {
  const over = new AbortController();
  return new Promise<LedgerBatch>((resolve, reject) => {
    const fail = (error: unknown): void => reject(error instanceof Error ? error : new Error(String(error)));
    const listen = (event: string, listener: (value: unknown) => void): void => {
      worker.on(event, listener);
      over.signal.addEventListener('abort', () => worker.off(event, listener));
    };
    listen('message', (answer) => {
      const told = answer as RenderAnswer;
      if ('batch' in told) resolve(received(told.batch));
      else reject(errorOf(told));
    });
    listen('messageerror', fail);
    listen('error', fail);
    listen('exit', () => fail('the thread that renders events has ended'));
    const slow = setTimeout(() => fail('the thread that renders events does not answer'), LONGEST_MILLISECONDS);
    over.signal.addEventListener('abort', () => clearTimeout(slow));
    worker.ref();
    worker.postMessage(batch, []);
  }).finally(() => {
    over.abort();
    worker.unref();
  });
}

class RenderThread {
  readonly #file: string;
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  #started(): Worker {
    // The thread gets neither the secrets in the process's environment nor the process's loaders.
    const worker = new Worker(this.#file, { name: 'log-rendering', env: {}, execArgv: [], resourceLimits: LIMITS });
    // Without a listener, an error between two batches would end the process.
    worker.on('error', () => this.#forget(worker));
    worker.on('exit', () => this.#forget(worker));
    return worker;
  }

  #forget(worker: Worker): void {
    if (this.#worker === worker) this.#worker = null;
  }

  async render(batch: BatchInput): Promise<LedgerBatch> {
    clearTimeout(this.#idle);
    this.#worker ??= this.#started();
    try {
      return await rendered(this.#worker, batch);
    } catch (error) {
      // The state of the thread is unknown, so the next batch gets a new thread.
      if (!isOfBatch(error)) await this.close();
      throw error;
    } finally {
      clearTimeout(this.#idle);
      this.#idle = setTimeout(() => void this.close(), IDLE_MILLISECONDS).unref();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }
}

/**
 * The calling thread renders small batches. A separate thread renders large ones, so that a relay with much to do does
 * not delay requests. If that thread fails, the calling thread renders its batch.
 */
export function createRenderer({ onError, threadFile }: RendererOptions): Renderer {
  const render = createRowRenderer();
  const thread = threadFile === null ? null : new RenderThread(threadFile);
  return {
    render: async (batch) => {
      if (thread === null || batch.taken.length < SMALLEST_BATCH_OF_THREAD) return renderBatch(render, batch);
      try {
        return await thread.render(batch);
      } catch (error) {
        if (isOfBatch(error)) throw error;
        onError?.(error);
        return renderBatch(render, batch);
      }
    },
    close: async () => thread?.close(),
  };
}
