import { placeFault, type VerifyFault } from '../proof/check-event.ts';
import {
  type Checkpoint,
  CheckpointRefusedError,
  CheckpointWatch,
  readCheckpointFile,
} from '../proof/checkpoints/checkpoints.ts';
import type { StatementKeys } from '../proof/statements.ts';
import type { ChainPlace } from '../relay/ledger-store.ts';
import { bodyDigest, GENESIS_HASH } from '../rendering/digest.ts';
import { type ProofHeader, type ProofLine, readEventLine, readHeaderLine } from './proof-lines.ts';

export interface FileReport {
  readonly ok: boolean;
  readonly org: string;
  /** The first and the last position that the file claims to contain. */
  readonly from: number;
  readonly to: number;
  /** The number of valid links in the chain, whether or not the file contains their events. */
  readonly verified: number;
  readonly leftOut: number;
  readonly erased: number;
  readonly checkpoints: number;
  /** The last position that a checkpoint proves. It is null if the chain did not agree with any checkpoint. */
  readonly provedTo: number | null;
  readonly fault: VerifyFault | null;
}

export interface VerifyFileOptions {
  /** Keys that are stored outside the file. Without keys, no signature is checked. */
  readonly keys: StatementKeys | null;
  /** Checkpoints to compare with the chain. Their signatures are not checked again. */
  readonly checkpoints: readonly Checkpoint[];
  readonly onProgress?: (position: number, to: number) => void;
}

const PROGRESS_EVERY = 10_000;

class Lines {
  readonly #lines: AsyncIterator<string>;
  #ahead: IteratorResult<string> | null = null;

  constructor(lines: AsyncIterable<string>) {
    this.#lines = lines[Symbol.asyncIterator]();
  }

  async peek(): Promise<string | null> {
    this.#ahead ??= await this.#lines.next();
    return this.#ahead.done === true ? null : this.#ahead.value;
  }

  async next(): Promise<string | null> {
    const line = await this.peek();
    this.#ahead = null;
    return line;
  }
}

/** Finds the event's UUID, which names the event in a report. */
const uuidIn = (body: string | null): string | null => /"uuid":"([0-9a-f-]{36})"/.exec(body ?? '')?.[1] ?? null;

interface Walk {
  readonly header: ProofHeader;
  readonly watch: CheckpointWatch;
  place: ChainPlace;
  verified: number;
  leftOut: number;
  erased: number;
}

const leavesOut = ({ filter, since, until }: ProofHeader): boolean =>
  filter !== null || since !== null || until !== null;

function contentProblem({ header }: Walk, { body, digest, erased, salt }: ProofLine): string | null {
  if (body === null) return leavesOut(header) ? null : 'the event is not in the file, which claims to leave out none';
  if (salt === null) return erased === null ? 'the salt is gone, but not by erasure' : null;
  return bodyDigest(salt, body).equals(digest) ? null : 'the event does not match its digest';
}

async function lineFault(walk: Walk, line: ProofLine, lines: Lines): Promise<VerifyFault | null> {
  const uuid = uuidIn(line.body);
  const { position } = line;
  if (position > walk.header.to) return { position, kind: 'added', uuid, detail: `the file ends at ${walk.header.to}` };
  const problem = position === walk.place.position + 1 ? contentProblem(walk, line) : null;
  if (problem !== null) {
    return { position, kind: line.body === null ? 'missing' : 'altered', uuid, detail: problem };
  }
  const fault = await placeFault(walk.header.org, line, walk.place, async () => {
    const next = await lines.peek();
    return next === null ? null : readEventLine(next);
  });
  if (fault !== null) return { ...fault, uuid: fault.kind === 'missing' ? null : uuid };
  return walk.watch.faultAt(line, uuid);
}

async function walkLines(walk: Walk, lines: Lines, options: VerifyFileOptions): Promise<VerifyFault | null> {
  for (let text = await lines.next(); text !== null; text = await lines.next()) {
    const line = readEventLine(text);
    const position = walk.place.position + 1;
    if (line === null) {
      return { position, kind: 'altered', uuid: uuidIn(text), detail: 'the line is not one of an export' };
    }
    const fault = await lineFault(walk, line, lines);
    if (fault !== null) return fault;
    walk.place = { position, hash: line.hash };
    walk.verified += 1;
    if (line.body === null) walk.leftOut += 1;
    if (line.erased !== null) walk.erased += 1;
    if (walk.verified % PROGRESS_EVERY === 0) options.onProgress?.(position, walk.header.to);
  }
  const { header, place, watch } = walk;
  if (place.position >= header.to) return watch.faultBehind(header.to);
  const detail = `the file begins with the claim to end at ${header.to}`;
  return { position: place.position + 1, kind: 'cut', uuid: null, detail };
}

/**
 * Returns the checkpoints to compare with the chain. The file's own checkpoint needs keys, which verify its signature.
 */
function checkpointsOf(header: ProofHeader, { checkpoints, keys }: VerifyFileOptions): readonly Checkpoint[] {
  const foreign = checkpoints.find(({ org }) => org !== undefined && org !== header.org);
  if (foreign !== undefined) {
    throw new CheckpointRefusedError(
      `The checkpoint ${foreign.source} is about the log of another org (${foreign.org}).`,
    );
  }
  if (keys === null || header.checkpoint === null) return checkpoints;
  return [...checkpoints, ...readCheckpointFile(header.checkpoint, 'of the file', keys, header.org)];
}

/**
 * Verifies an export with proof (ADR 0019) without the database. Reports the first fault. Throws CheckpointRefusedError
 * if the file is not such an export.
 */
export async function verifyFile(texts: AsyncIterable<string>, options: VerifyFileOptions): Promise<FileReport> {
  const lines = new Lines(texts);
  const header = readHeaderLine((await lines.next()) ?? '');
  if (header === null) throw new CheckpointRefusedError('The file is not an export with proof (log export --proof).');
  const watch = new CheckpointWatch(checkpointsOf(header, options));
  const place = { position: header.from - 1, hash: Buffer.from(header.previousHash, 'base64url') };
  const walk: Walk = { header, watch, place, verified: 0, leftOut: 0, erased: 0 };
  const fault = startFault(walk) ?? (await walkLines(walk, lines, options));
  return {
    ok: fault === null,
    org: header.org,
    from: header.from,
    to: header.to,
    verified: walk.verified,
    leftOut: walk.leftOut,
    erased: walk.erased,
    checkpoints: watch.passed,
    provedTo: watch.last?.position ?? null,
    fault,
  };
}

function startFault({ header, place, watch }: Walk): VerifyFault | null {
  if (header.from === 1 && !place.hash.equals(GENESIS_HASH)) {
    return { position: 1, kind: 'altered', uuid: null, detail: 'the file begins with another hash than a log does' };
  }
  return watch.faultAt(place, null);
}
