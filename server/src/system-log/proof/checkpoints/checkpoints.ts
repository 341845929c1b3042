import type { ChainPlace } from '../../relay/ledger-store.ts';
import type { VerifyFault } from '../check-event.ts';
import { CHECKPOINT_TYPE, readStatement, StatementError, type StatementKeys } from '../statements.ts';

/** A place in the chain that was noted or signed earlier. The log must contain it. */
export interface Checkpoint extends ChainPlace {
  /** The name of the checkpoint in messages, such as `checkpoints.json:3`. */
  readonly source: string;
  /** The org of the log, if the checkpoint names one. */
  readonly org?: string;
}

export class CheckpointRefusedError extends Error {}

/** Reads the statements in a file of checkpoints. The file is a response from the API or has one JWS per line. */
function statementsIn(text: string, name: string): readonly unknown[] {
  const trimmed = text.trim();
  if (!trimmed.startsWith('[') && !trimmed.startsWith('{')) return trimmed === '' ? [] : trimmed.split(/\s+/);
  try {
    const value: unknown = JSON.parse(trimmed);
    return Array.isArray(value) ? value : [value];
  } catch {
    throw new CheckpointRefusedError(`${name} is neither JSON nor signed checkpoints line by line.`);
  }
}

function jwsOf(entry: unknown): string | null {
  if (typeof entry === 'string') return entry;
  if (typeof entry !== 'object' || entry === null || !('jws' in entry)) return null;
  return typeof entry.jws === 'string' ? entry.jws : null;
}

/** Reads a file of checkpoints about `org`, or about any org if `org` is null. */
export function readCheckpointFile(text: string, name: string, keys: StatementKeys, org: string | null): Checkpoint[] {
  const entries = statementsIn(text, name);
  if (entries.length === 0) throw new CheckpointRefusedError(`${name} holds no checkpoint.`);
  return entries.map((entry, index) => {
    const source = `${name}:${index + 1}`;
    const jws = jwsOf(entry);
    if (jws === null) throw new CheckpointRefusedError(`The checkpoint ${source} is not a signed statement.`);
    try {
      const { hash, org: named, position } = readStatement(jws, CHECKPOINT_TYPE, keys, org);
      return { position, hash, source, org: named };
    } catch (error) {
      if (!(error instanceof StatementError)) throw error;
      throw new CheckpointRefusedError(`The checkpoint ${source} ${error.message}.`);
    }
  });
}

export class CheckpointWatch {
  readonly #checkpoints: readonly Checkpoint[];
  #next = 0;
  passed = 0;
  /** The last checkpoint with which the log agreed. */
  last: Checkpoint | null = null;

  constructor(checkpoints: readonly Checkpoint[]) {
    this.#checkpoints = checkpoints.toSorted((one, other) => one.position - other.position);
  }

  /** Checks the remaining checkpoints up to a place. Returns a fault for the first one that the place contradicts. */
  faultAt({ hash, position }: ChainPlace, uuid: string | null): VerifyFault | null {
    for (;;) {
      const checkpoint = this.#checkpoints[this.#next];
      if (checkpoint === undefined || checkpoint.position > position) return null;
      this.#next += 1;
      // The verification did not read the event at the position of this checkpoint, so there is no hash to compare.
      if (checkpoint.position < position) continue;
      if (!checkpoint.hash.equals(hash)) {
        const detail = `the checkpoint ${checkpoint.source} names another event`;
        return { position, kind: 'forked', uuid, detail };
      }
      this.passed += 1;
      this.last = checkpoint;
    }
  }

  faultBehind(end: number): VerifyFault | null {
    const checkpoint = this.#checkpoints.slice(this.#next).find(({ position }) => position > end);
    if (checkpoint === undefined) return null;
    const detail = `the log ends at ${end}, and the checkpoint ${checkpoint.source} is at ${checkpoint.position}`;
    return { position: end + 1, kind: 'cut', uuid: null, detail };
  }
}
