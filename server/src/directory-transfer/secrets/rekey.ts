import { type MasterKey, SealError, type SealedPlace, seal, unseal } from '../../platform/crypto/index.ts';
import { TransferError } from '../formats/raw-rows.ts';
import { type Ask, shapeOf } from '../orgs/org-rows-store.ts';
import {
  countSealed,
  findSealedColumns,
  lockRekey,
  nextSealed,
  noteMasterKey,
  type RowKey,
  replaceSealed,
  type SealedRow,
  unlockRekey,
} from './rekey-cross-org-store.ts';
import { SEALED_TABLES, type SealedTable } from './sealed-tables.ts';

/** The numbers of values, in all tables together, that are not sealed with the master key. */
export interface SealedOtherwise {
  readonly previous: number;
  /** The number of values that are sealed with neither the master key nor the previous key. */
  readonly unknown: number;
}

export interface RekeyReport extends SealedOtherwise {
  readonly resealed: number;
  /** A sample of values that the previous key cannot open, as `table.column of row`. */
  readonly damaged: readonly string[];
}

interface RekeyPorts {
  /** Runs statements on one connection, to which the lock and the transactions belong. */
  readonly ask: Ask;
  readonly masterKey: MasterKey;
  readonly previous: MasterKey;
  readonly batchRows?: number;
}

/** Small batches lock no row for long. */
const BATCH_ROWS = 200;
const DAMAGED_TOLD = 20;

export async function countSealedOtherwise(ask: Ask, masterKey: MasterKey): Promise<SealedOtherwise> {
  const previousId = masterKey.previous?.id ?? '';
  let [previous, unknown] = [0, 0];
  for (const table of SEALED_TABLES) {
    previous += await countSealed(ask, table, [previousId]);
    unknown += await countSealed(ask, table, [masterKey.id, previousId], true);
  }
  return { previous, unknown };
}

const placeOf = ({ between, column, table }: SealedTable, { orgId, row }: SealedRow): SealedPlace => ({
  orgId,
  table,
  column,
  row: row.join(between),
});

interface Progress {
  resealed: number;
  readonly damaged: string[];
}

async function resealRow(
  { ask, masterKey, previous }: RekeyPorts,
  table: SealedTable,
  key: RowKey,
  found: SealedRow,
  progress: Progress,
): Promise<void> {
  const place = placeOf(table, found);
  try {
    const sealed = seal(masterKey, place, unseal(previous, place, found.sealed));
    if (await replaceSealed(ask, table, key, found, sealed)) progress.resealed += 1;
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    progress.damaged.push(`${table.table}.${table.column} of ${place.row}`);
  }
}

async function inTransaction<Result>(ask: Ask, use: () => Promise<Result>): Promise<Result> {
  await ask('begin', []);
  try {
    const result = await use();
    await ask('commit', []);
    return result;
  } catch (error) {
    await ask('rollback', []).catch(() => undefined);
    throw error;
  }
}

/** An interrupted run can be repeated, because each value contains the id of its key. */
async function resealTable(ports: RekeyPorts, table: SealedTable, progress: Progress): Promise<void> {
  const { ask, batchRows: limit = BATCH_ROWS, previous } = ports;
  const { key } = await shapeOf(ask, { name: table.table });
  let after: SealedRow | null = null;
  for (;;) {
    const behind: SealedRow | null = after;
    const rows: readonly SealedRow[] = await inTransaction(ask, async () => {
      const found = await nextSealed(ask, table, key, { keyId: previous.id, after: behind, limit });
      for (const row of found) await resealRow(ports, table, key, row, progress);
      return found;
    });
    after = rows.at(-1) ?? null;
    if (rows.length < limit || after === null) return;
  }
}

/** An unlisted sealed column would become unreadable when the previous key is removed. */
async function assertAllKnown(ask: Ask): Promise<void> {
  const known = new Set(SEALED_TABLES.map(({ column, table }) => `${table}.${column}`));
  const unknown = (await findSealedColumns(ask)).filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`Sealed columns are missing from SEALED_TABLES: ${unknown.join(', ')}`);
}

async function resealAll(ports: RekeyPorts): Promise<RekeyReport> {
  const { ask, masterKey, previous } = ports;
  const progress: Progress = { resealed: 0, damaged: [] };
  await assertAllKnown(ask);
  for (const table of SEALED_TABLES) await resealTable(ports, table, progress);
  const left = await inTransaction(ask, async () => {
    const counted = await countSealedOtherwise(ask, masterKey);
    if (counted.previous === 0) await noteMasterKey(ask, previous.checkValue, masterKey.checkValue);
    return counted;
  });
  return { ...left, resealed: progress.resealed, damaged: progress.damaged.slice(0, DAMAGED_TOLD) };
}

/**
 * Seals the values of all orgs with the new master key. Records the new key if no value is still sealed with the
 * previous key. Servers that know both keys can keep running.
 */
export async function rekey(ports: RekeyPorts): Promise<RekeyReport> {
  if (!(await lockRekey(ports.ask))) throw new TransferError('Another `gatehouse keys rekey` is running.');
  try {
    return await resealAll(ports);
  } finally {
    await unlockRekey(ports.ask).catch(() => undefined);
  }
}
