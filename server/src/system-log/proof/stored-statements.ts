import type { OrgId } from '../../kernel/words/ids.ts';
import type { LogConnection } from '../relay/connections.ts';
import { type ChainPlace, findLastAnchor } from '../relay/ledger-store.ts';
import { GENESIS_HASH } from '../rendering/digest.ts';
import type { VerifyFault } from './check-event.ts';
import type { Checkpoint } from './checkpoints/checkpoints.ts';
import {
  ANCHOR_TYPE,
  CHECKPOINT_TYPE,
  readStatement,
  StatementError,
  type StatementKeys,
  statementKeys,
} from './statements.ts';
import { findStoredCheckpoints, findStoredKeys } from './stored-statements-store.ts';

/**
 * Reads the keys. Call this after reading a statement, because its key may have been stored after the verification
 * began.
 */
export type KeySource = () => Promise<StatementKeys>;

export const storedKeys =
  (connection: LogConnection, orgId: OrgId): KeySource =>
  async () =>
    statementKeys(await findStoredKeys(connection, orgId));

interface Stored extends ChainPlace {
  readonly signed: string;
}

/** Explains why a stored statement is invalid or contradicts its row. */
function problemOf(stored: Stored, type: string, keys: StatementKeys, orgId: OrgId): StatementError | null {
  try {
    const { hash, position } = readStatement(stored.signed, type, keys, orgId);
    if (position === stored.position && hash.equals(stored.hash)) return null;
    return new StatementError('is about another event');
  } catch (error) {
    if (error instanceof StatementError) return error;
    throw error;
  }
}

export interface ChainStart {
  readonly place: ChainPlace;
  readonly fault: VerifyFault | null;
}

/** Finds the start of the ledger: the place of the last anchor or, if there is no anchor, the genesis hash. */
export async function findStart(connection: LogConnection, orgId: OrgId, keys: KeySource): Promise<ChainStart> {
  const anchor = await findLastAnchor(connection, orgId);
  if (anchor === null) return { place: { position: 0, hash: GENESIS_HASH }, fault: null };
  const problem = problemOf(anchor, ANCHOR_TYPE, await keys(), orgId);
  const { hash, position } = anchor;
  const detail = `the anchor that stands for the events up to ${position} ${problem?.message ?? ''}`;
  return {
    place: { position, hash },
    fault: problem === null ? null : { position, kind: 'forged', uuid: null, detail },
  };
}

/**
 * Reads the checkpoints that the database stores after a position, up to the first fault. If `isPartial` is true,
 * checkpoints with unknown keys are ignored.
 */
export async function readOwnCheckpoints(
  connection: LogConnection,
  orgId: OrgId,
  given: { readonly after: number; readonly keys: KeySource; readonly isPartial: boolean },
): Promise<{ readonly checkpoints: readonly Checkpoint[]; readonly fault: VerifyFault | null }> {
  const checkpoints: Checkpoint[] = [];
  const found = await findStoredCheckpoints(connection, orgId, given.after);
  const keys = await given.keys();
  for (const stored of found) {
    const problem = problemOf(stored, CHECKPOINT_TYPE, keys, orgId);
    const { hash, position } = stored;
    if (problem === null) {
      checkpoints.push({ position, hash, source: `of the log at ${position}` });
    } else if (!(given.isPartial && problem.isUnknownKey)) {
      const detail = `the checkpoint that the log keeps of it ${problem.message}`;
      return { checkpoints, fault: { position, kind: 'forged', uuid: null, detail } };
    }
  }
  return { checkpoints, fault: null };
}
