import { parentPort } from 'node:worker_threads';
import { InputError } from './event-text.ts';
import { type BatchInput, renderBatch, UnknownFormatError } from './ledger-batch.ts';
import { movableBuffers } from './movable-buffers.ts';
import { createRowRenderer } from './render-row.ts';
import type { RenderAnswer } from './renderer.ts';

// The relay renders large batches in this thread.

const render = createRowRenderer();

function answerTo(batch: BatchInput): RenderAnswer {
  try {
    return { batch: renderBatch(render, { ...batch, head: { ...batch.head, hash: Buffer.from(batch.head.hash) } }) };
  } catch (error) {
    const kind = error instanceof InputError ? 'input' : error instanceof UnknownFormatError ? 'format' : 'other';
    return { kind, message: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', (batch: BatchInput) => {
  const answer = answerTo(batch);
  parentPort?.postMessage(answer, 'batch' in answer ? movableBuffers(answer.batch) : []);
});
