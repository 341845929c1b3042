import type { ChainPlace } from '../../relay/ledger-store.ts';
import type { VerifyFault } from '../check-event.ts';
import { CHECKPOINT_TYPE, readStatement, StatementError, type StatementKeys } from '../statements.ts';

/** A place of the chain known from elsewhere, which the log must contain. */
export interface Checkpoint extends ChainPlace {
  /** Names it in a fault: `the checkpoint checkpoints.json:3`. */
  readonly source: string;
  /** The org of the log; absent if it was noted without one. */
  readonly org?: string;
}

/** Thrown for input that is not a checkpoint although it was given as one. */
export class CheckpointRefusedError extends Error {}

/** Reads all statements in a file of checkpoints, which is an answer of the API or has one JWS per line. */
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

/**
 * Reads the checkpoints of a file, which is a JSON array as `GET /api/v1/logs/checkpoints` answers, or has one compact
 * JWS per line. Throws CheckpointRefusedError for one that is forged, of another org, or signed by a key that is not
 * among `keys`: an invalid proof must not look like one that was checked.
 */
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

/** The checkpoints of a verification, in the order of their positions. */
export class CheckpointWatch {
  readonly #checkpoints: readonly Checkpoint[];
  #next = 0;
  /** The number of checkpoints that the log was found to agree with. */
  passed = 0;
  /** The last checkpoint that the log was found to agree with. */
  last: Checkpoint | null = null;

  constructor(checkpoints: readonly Checkpoint[]) {
    this.#checkpoints = checkpoints.toSorted((one, other) => one.position - other.position);
  }

  /**
   * Checks the checkpoints up to `place` that have not been checked yet, and returns the first one that `place`
   * contradicts.
   */
  faultAt({ hash, position }: ChainPlace, uuid: string | null): VerifyFault | null {
    for (;;) {
      const checkpoint = this.#checkpoints[this.#next];
      if (checkpoint === undefined || checkpoint.position > position) return null;
      this.#next += 1;
      // Checkpoints before the start of the verification can no longer be compared.
      if (checkpoint.position < position) continue;
      if (!checkpoint.hash.equals(hash)) {
        const detail = `the checkpoint ${checkpoint.source} names another event`;
        return { position, kind: 'forked', uuid, detail };
      }
      this.passed += 1;
      this.last = checkpoint;
    }
  }

  /** Finds the first checkpoint beyond the end of the log. */
  faultBehind(end: number): VerifyFault | null {
    const checkpoint = this.#checkpoints.slice(this.#next).find(({ position }) => position > end);
    if (checkpoint === undefined) return null;
    const detail = `the log ends at ${end}, and the checkpoint ${checkpoint.source} is at ${checkpoint.position}`;
    return { position: end + 1, kind: 'cut', uuid: null, detail };
  }
}
