import { parentPort } from 'node:worker_threads';
import { InputError } from './event-text.ts';
import { type BatchInput, renderBatch, UnknownFormatError } from './ledger-batch.ts';
import { createRowRenderer } from './render-row.ts';
import type { RenderAnswer } from './renderer.ts';

// The thread in which a relay with much to do renders its batches (`renderer.ts`). Bytes are moved to the main thread
// instead of being copied there.

const render = createRowRenderer();

function answerTo(batch: BatchInput): RenderAnswer {
  try {
    return { batch: renderBatch(render, { ...batch, head: { ...batch.head, hash: Buffer.from(batch.head.hash) } }) };
  } catch (error) {
    const kind = error instanceof InputError ? 'input' : error instanceof UnknownFormatError ? 'format' : 'other';
    return { kind, message: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', (batch: BatchInput) => parentPort?.postMessage(answerTo(batch)));
