import { Worker } from 'node:worker_threads';
import type { EncodedSegment } from '../../ledger/segments/segment.ts';
import { createPackDesk, type PackAnswer, type PackRequest } from './pack-desk.ts';
import type { PackedPage, PackedSegment, PackStart } from './packer.ts';
import type { UnsealedRow } from './unsealed-row.ts';

/** Packs segments, one at a time. */
export interface Packing {
  /** Packs the next rows. A page with `start` begins a new segment. */
  readonly add: (start: PackStart | null, rows: readonly UnsealedRow[]) => Promise<PackedPage>;
  readonly finish: () => Promise<PackedSegment>;
  readonly close: () => Promise<void>;
}

export type PackMessage = { readonly answer: PackAnswer } | { readonly failure: string };

/** The code of the error that says that the thread took too long. */
export const SLOW_PACKING = 'ERR_PACKING_TIMEOUT';

/** The longest time that the sealer waits for the thread, which may have to pack 64 MB of texts before its answer. */
const LONGEST_MILLISECONDS = 60_000;

const bytesOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const segmentOf = (sent: EncodedSegment): EncodedSegment => ({
  head: bytesOf(sent.head),
  published: bytesOf(sent.published),
  persisted: bytesOf(sent.persisted),
  kinds: bytesOf(sent.kinds),
  salts: bytesOf(sent.salts),
  hashes: bytesOf(sent.hashes),
  bodies: bytesOf(sent.bodies),
  partEnds: bytesOf(sent.partEnds),
  postings: bytesOf(sent.postings),
  bucketEnds: bytesOf(sent.bucketEnds),
});

/** Restores the Buffers of a segment, which arrive in the message as plain Uint8Arrays. */
function received(answer: PackAnswer): PackAnswer {
  if (!('segment' in answer)) return answer;
  const last = { ...answer.last, hash: bytesOf(answer.last.hash) };
  return { ...answer, segment: segmentOf(answer.segment), last, fingerprint: bytesOf(answer.fingerprint) };
}

function asked(worker: Worker, request: PackRequest, longestMilliseconds: number): Promise<PackAnswer> {
  const over = new AbortController();
  return new Promise<PackAnswer>((resolve, reject) => {
    const fail = (error: unknown): void => reject(error instanceof Error ? error : new Error(String(error)));
    const listen = (event: string, listener: (value: unknown) => void): void => {
      worker.on(event, listener);
      over.signal.addEventListener('abort', () => worker.off(event, listener));
    };
    listen('message', (message) => {
      const told = message as PackMessage;
      if ('answer' in told) resolve(received(told.answer));
      else fail(told.failure);
    });
    listen('messageerror', fail);
    listen('error', fail);
    listen('exit', () => fail('the thread that packs events has ended'));
    const tooSlow = Object.assign(new Error('the thread that packs events does not answer'), { code: SLOW_PACKING });
    const slow = setTimeout(() => fail(tooSlow), longestMilliseconds);
    over.signal.addEventListener('abort', () => clearTimeout(slow));
    worker.ref();
    worker.postMessage(request, []);
  }).finally(() => {
    over.abort();
    worker.unref();
  });
}

class PackThread {
  readonly #file: string;
  readonly #longestMilliseconds: number;
  #worker: Worker | null = null;

  constructor(file: string, longestMilliseconds: number) {
    this.#file = file;
    this.#longestMilliseconds = longestMilliseconds;
  }

  #started(): Worker {
    // The thread gets neither the secrets in the process's environment nor the process's loaders.
    const worker = new Worker(this.#file, { name: 'log-packing', env: {}, execArgv: [] });
    // Without a listener, an error between two requests would end the process.
    worker.on('error', () => this.#forget(worker));
    worker.on('exit', () => this.#forget(worker));
    return worker;
  }

  #forget(worker: Worker): void {
    if (this.#worker === worker) this.#worker = null;
  }

  async ask(request: PackRequest): Promise<PackAnswer> {
    this.#worker ??= this.#started();
    try {
      return await asked(this.#worker, request, this.#longestMilliseconds);
    } catch (error) {
      // The state of the thread is unknown, so the next segment gets a new thread.
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }
}

function isSegment(answer: PackAnswer): answer is PackedSegment {
  return 'segment' in answer;
}

/**
 * Packs in a thread of its own, which starts with the first page. If `threadFile` is null, packs in the calling thread,
 * which delays everything else there.
 */
export function createPacking(threadFile: string | null, longestMilliseconds = LONGEST_MILLISECONDS): Packing {
  const thread = threadFile === null ? null : new PackThread(threadFile, longestMilliseconds);
  const desk = createPackDesk();
  const ask = async (request: PackRequest): Promise<PackAnswer> => thread?.ask(request) ?? desk(request);
  return {
    add: async (start, rows) => {
      const answer = await ask({ kind: 'page', start, rows });
      if (isSegment(answer)) throw new Error('a page was answered with a segment');
      return answer;
    },
    finish: async () => {
      const answer = await ask({ kind: 'finish' });
      if (!isSegment(answer)) throw new Error('the end of a segment was answered with a page');
      return answer;
    },
    close: async () => thread?.close(),
  };
}
