import type { OrgId } from '../../../kernel/words/ids.ts';
import { type Connections, inTransaction, type LogConnection } from '../../relay/connections.ts';
import type { ChainPlace } from '../../relay/ledger-store.ts';
import { type ChainEnd, type RowFault, rowFault } from '../packing/unsealed-row.ts';
import { findStart, isOrgActive, readUnsealedRows } from './sealing-store.ts';
import { lockRowsAt, trySealingLock } from './unsealed-rows-store.ts';

/** A row of the first look may have been sealed, erased or deleted before the next one was read. */
export type SecondLook = { readonly fault: RowFault } | 'changed' | 'busy';

/** The row of a fault and the one before it, and a third one if there are two at a position. */
const LOOKED_AT = { limit: 3, maximumBytes: 64_000_000 } as const;

/** Returns why an event cannot be the one at the head, or null if it can. */
export function headFault(last: Pick<ChainEnd, 'position' | 'hash'>, head: ChainPlace): RowFault | null {
  if (last.position !== head.position || last.hash.equals(head.hash)) return null;
  return { position: head.position, detail: 'the head does not match the last event' };
}

/** Returns the fault of an event that is missing although the head is not before it. */
export const missingFault = (position: number): RowFault => ({ position, detail: 'there is no event at the position' });

async function faultUnderLock(
  connection: LogConnection,
  orgId: OrgId,
  end: ChainEnd,
  { position }: RowFault,
): Promise<RowFault | null> {
  const found = await findStart(connection, orgId);
  // If events were sealed or have left since the first look, it may have read rows from before and after that.
  if (found === null || found.end.position !== end.position || !found.end.hash.equals(end.hash)) return null;
  if (position > found.head.position) return null;
  const after = Math.max(end.position, position - 2);
  const rows = await readUnsealedRows(connection, orgId, { after, upTo: position, ...LOOKED_AT });
  const before = rows[0]?.position === position - 1 ? position - 1 : end.position;
  if (before !== position - 1 && before < position) return missingFault(position - 1);
  let last: ChainEnd = end;
  for (const row of rows) {
    const fault = row.position < position ? null : rowFault(orgId, last, row);
    if (fault !== null) return fault;
    last = { position: row.position, hash: row.hash, persistedAt: row.persistedAt };
  }
  return last.position < position ? missingFault(position) : headFault(last, found.head);
}

/**
 * Looks at the event of a fault again, together with the event before it, while nothing else can seal, erase or delete
 * them. `end` is the last sealed event, as the first look found it.
 */
export async function lookAgain(
  connections: Connections,
  orgId: OrgId,
  end: ChainEnd,
  fault: RowFault,
): Promise<SecondLook> {
  const found: { look: SecondLook } = { look: 'busy' };
  await connections.withConnection((connection) =>
    inTransaction(
      connection,
      async () => {
        const older = await trySealingLock(connection, orgId);
        if (older === null) return false;
        await lockRowsAt(connection, orgId, older, fault.position);
        return true;
      },
      async () => {
        const again = await faultUnderLock(connection, orgId, end, fault);
        // The rows of an org that is being deleted leave without this lock. The org is closed before the first of them
        // leaves, so this is the last statement: it finds the org closed if a row was already missing.
        const isFault = again !== null && (await isOrgActive(connection, orgId));
        found.look = isFault ? { fault: again } : 'changed';
        // Nothing was written, so the transaction is rolled back.
        return null;
      },
    ),
  );
  return found.look;
}
