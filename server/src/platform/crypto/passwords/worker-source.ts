/**
 * The thread's program as text, because Node 20 cannot run TypeScript in a thread. Hashing is synchronous on purpose:
 * asynchronous calls would run in libuv's threads, where they would delay file access and DNS.
 */
export const WORKER_SOURCE = `
'use strict';
const { readlinkSync } = require('node:fs');
const { getPriority, setPriority } = require('node:os');
const { basename } = require('node:path');
const { parentPort, workerData } = require('node:worker_threads');
const { createHash, pbkdf2Sync, scryptSync, timingSafeEqual } = require('node:crypto');
const argon2 = require(workerData.argon2);
const bcrypt = require(workerData.bcrypt);

const equals = (computed, value) => {
  const stored = Buffer.from(value, 'base64');
  return stored.length === computed.length && timingSafeEqual(stored, computed);
};

function matchesDigest({ algorithm, salt, saltOrder, value }, password) {
  const parts = [Buffer.from(salt ?? '', 'base64'), Buffer.from(password)];
  if (saltOrder === 'POSTFIX') parts.reverse();
  return equals(createHash(algorithm.replace('-', '').toLowerCase()).update(Buffer.concat(parts)).digest(), value);
}

function matches(stored, password) {
  switch (stored.algorithm) {
    case 'ARGON2ID':
      return argon2.verifySync(stored.encoded, password);
    case 'BCRYPT': {
      const cost = String(stored.workFactor).padStart(2, '0');
      return bcrypt.verifySync(password, '$2b$' + cost + '$' + stored.salt + stored.value);
    }
    case 'PBKDF2': {
      const digest = stored.digestAlgorithm.replace('_HMAC', '').toLowerCase();
      const salt = Buffer.from(stored.salt, 'base64');
      return equals(pbkdf2Sync(password, salt, stored.iterationCount, stored.keySize, digest), stored.value);
    }
    case 'SCRYPT': {
      const { cost, blockSize, parallelization, keySize } = stored;
      const options = { cost, blockSize, parallelization, maxmem: 256 * cost * blockSize + 1_048_576 };
      return equals(scryptSync(password, Buffer.from(stored.salt, 'base64'), keySize, options), stored.value);
    }
    default:
      return matchesDigest(stored, password);
  }
}

const run = (task) =>
  task.kind === 'hash'
    ? argon2.hashSync(task.password, task.argon2)
    : task.candidates.some((password) => matches(task.stored, password));

// On Linux each thread has its own priority. Elsewhere the call would change the priority of the whole process.
try {
  if (process.platform === 'linux') {
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    setPriority(thread, Math.min(19, getPriority(thread) + workerData.nice));
  }
} catch {
  // The thread also works with its normal priority.
}

parentPort.on('message', (task) => {
  const started = performance.now();
  try {
    parentPort.postMessage({ result: run(task), milliseconds: performance.now() - started });
  } catch (error) {
    parentPort.postMessage({ failure: String(error && error.message), milliseconds: performance.now() - started });
  }
});
`;
