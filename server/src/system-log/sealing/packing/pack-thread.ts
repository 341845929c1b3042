import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { movableBuffers } from '../../rendering/movable-buffers.ts';
import { createPackDesk, type PackAnswer, type PackRequest } from './pack-desk.ts';
import type { PackMessage } from './packing.ts';
import type { UnsealedRow } from './unsealed-row.ts';

// The sealer packs segments in this thread.

/** The number that is added to the nice value of the thread, so that packing delays the relay and requests less. */
const PACKING_NICE = 10;
const LARGEST_NICE = 19;

// On Linux each thread has its own priority. Elsewhere the call would change the priority of the whole process.
try {
  if (process.platform === 'linux') {
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    setPriority(thread, Math.min(LARGEST_NICE, getPriority(thread) + PACKING_NICE));
  }
} catch {
  // The thread also works with its normal priority.
}

const bytesOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Restores the Buffers of a row, which arrive in the message as plain Uint8Arrays. */
const receivedRow = (row: UnsealedRow): UnsealedRow => ({
  ...row,
  salt: row.salt === null ? null : bytesOf(row.salt),
  digest: bytesOf(row.digest),
  hash: bytesOf(row.hash),
});

function received(request: PackRequest): PackRequest {
  if (request.kind === 'finish') return request;
  const { rows, start } = request;
  const from = start === null ? null : { ...start.from, hash: bytesOf(start.from.hash) };
  return {
    kind: 'page',
    start: start === null || from === null ? null : { ...start, from },
    rows: rows.map(receivedRow),
  };
}

const movable = (answer: PackAnswer): ArrayBuffer[] => ('segment' in answer ? movableBuffers(answer.segment) : []);

const desk = createPackDesk();

parentPort?.on('message', (request: PackRequest) => {
  let message: PackMessage;
  try {
    message = { answer: desk(received(request)) };
  } catch (error) {
    message = { failure: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage(message, 'answer' in message ? movable(message.answer) : []);
});
