import { createHash } from 'node:crypto';
import type { OrgId } from '../../kernel/words/ids.ts';
import { type MasterKey, type SealedPlace, seal, unsealText } from '../../platform/crypto/index.ts';
import { TransferError } from '../formats/raw-rows.ts';
import { type SecretEnvelope, secretEnvelope } from '../secrets/secret-envelope.ts';
import {
  type Ask,
  type Contents,
  isClosedOrg,
  isExported,
  orgRows,
  schemaVersion,
  shapeOf,
  type TableShape,
} from './org-rows-store.ts';
import { type SealedColumn, TRANSFER_TABLES } from './transfer-tables.ts';

export const EXPORT_KIND = 'gatehouse org export';
export const EXPORT_FORMAT = 1;

export interface ExportHeader {
  readonly kind: typeof EXPORT_KIND;
  readonly format: typeof EXPORT_FORMAT;
  readonly schema: number;
  readonly org: string;
  readonly hashes: boolean;
  readonly secrets: 'sealed' | 'left out';
  /**
   * A sealed constant that reveals a wrong passphrase before any row is imported. It is null if secrets are left out.
   */
  readonly check: string | null;
  readonly tables: Readonly<Record<string, readonly string[]>>;
}

export interface OrgExportOptions {
  readonly hashes: boolean;
  /** The passphrase that seals secrets; null leaves secrets out. */
  readonly passphrase: string | null;
}

export const contentsOf = ({ hashes, passphrase }: OrgExportOptions): Contents => ({
  hashes,
  secrets: passphrase !== null,
});

export const CHECK_PLACE = 'check';
export const CHECK_WORD = 'gatehouse';

export interface Sealing {
  readonly masterKey: MasterKey;
  readonly envelope: SecretEnvelope;
}

type Row = Readonly<Record<string, unknown>>;

const sealedPlace = (
  orgId: OrgId,
  table: string,
  { between = '/', column, row }: SealedColumn,
  values: Row,
): SealedPlace => ({ orgId, table, column, row: row.map((name) => String(values[name])).join(between) });

const placeText = ({ column, row, table }: SealedPlace): string => `${table}.${column} of ${row}`;

/** The form of `bytea` in JSON rows. */
const HEX = /^\\x[0-9a-f]*$/;

/** Replaces the sealed secret of a row with the result of `change`. */
function resealed(
  orgId: OrgId,
  { table }: TableShape,
  line: string,
  change: (place: SealedPlace, text: string) => string,
) {
  if (table.sealed === undefined) return line;
  const values = JSON.parse(line) as Row;
  const sealed = values[table.sealed.column];
  if (typeof sealed !== 'string') return line;
  const place = sealedPlace(orgId, table.name, table.sealed, values);
  return JSON.stringify({ ...values, [table.sealed.column]: change(place, sealed) });
}

const outward = (orgId: OrgId, shape: TableShape, line: string, { envelope, masterKey }: Sealing): string =>
  resealed(orgId, shape, line, (place, text) => {
    if (!HEX.test(text)) throw new Error(`${placeText(place)} is not bytes`);
    return envelope.seal(placeText(place), unsealText(masterKey, place, Buffer.from(text.slice(2), 'hex')));
  });

export const inward = (orgId: OrgId, shape: TableShape, line: string, { envelope, masterKey }: Sealing): string =>
  resealed(orgId, shape, line, (place, text) => {
    const secret = envelope.open(placeText(place), text);
    return `\\x${seal(masterKey, place, secret).toString('hex')}`;
  });

export const lineOf = (table: string, row: string): string => `{"table":"${table}","row":${row}}\n`;

export async function exportedShapes(ask: Ask, contents: Contents): Promise<readonly TableShape[]> {
  const shapes: TableShape[] = [];
  for (const table of TRANSFER_TABLES) if (isExported(table, contents)) shapes.push(await shapeOf(ask, table));
  return shapes;
}

export async function* exportLines(
  ask: Ask,
  orgId: OrgId,
  shapes: readonly TableShape[],
  contents: Contents,
  sealing: Sealing | null,
): AsyncGenerator<{ readonly table: string; readonly lines: readonly string[] }> {
  for (const shape of shapes) {
    const { name } = shape.table;
    for await (const page of orgRows(ask, orgId, shape, contents)) {
      const rows = sealing === null ? page : page.map((line) => outward(orgId, shape, line, sealing));
      if (rows.length > 0) yield { table: name, lines: rows.map((row) => lineOf(name, row)) };
    }
  }
}

/** Returns null without a passphrase. */
export async function sealingOf(
  masterKey: MasterKey,
  passphrase: string | null,
  orgId: OrgId,
): Promise<Sealing | null> {
  if (passphrase === null) return null;
  if (passphrase.length < SHORTEST_PASSPHRASE) {
    throw new TransferError(`The passphrase must be at least ${SHORTEST_PASSPHRASE} characters.`);
  }
  return { masterKey, envelope: await secretEnvelope(passphrase, orgId) };
}

const SHORTEST_PASSPHRASE = 12;

export interface ExportPiece {
  readonly text: string;
  readonly rows: number;
}

/**
 * Exports a whole org as NDJSON: a header, the rows in a stable order, and a last line. The last line contains the
 * number of rows and the SHA-256 of everything before it. `ask` must read from one snapshot.
 */
export async function* exportOrg(
  ports: { readonly ask: Ask; readonly masterKey: MasterKey },
  orgId: OrgId,
  options: OrgExportOptions,
): AsyncGenerator<ExportPiece> {
  const { ask, masterKey } = ports;
  if (await isClosedOrg(ask, orgId))
    throw new TransferError(`The org ${orgId} is being deleted and cannot be exported.`);
  const contents = contentsOf(options);
  const sealing = await sealingOf(masterKey, options.passphrase, orgId);
  const shapes = await exportedShapes(ask, contents);
  const header: ExportHeader = {
    kind: EXPORT_KIND,
    format: EXPORT_FORMAT,
    schema: await schemaVersion(ask),
    org: orgId,
    hashes: options.hashes,
    secrets: sealing === null ? 'left out' : 'sealed',
    check: sealing?.envelope.seal(CHECK_PLACE, CHECK_WORD) ?? null,
    tables: Object.fromEntries(shapes.map(({ columns, table }) => [table.name, columns])),
  };
  const hash = createHash('sha256');
  let rows = 0;
  const piece = (text: string, count: number): ExportPiece => {
    hash.update(text);
    rows += count;
    return { text, rows: count };
  };
  yield piece(`${JSON.stringify(header)}\n`, 0);
  for await (const { lines } of exportLines(ask, orgId, shapes, contents, sealing)) {
    yield piece(lines.join(''), lines.length);
  }
  yield { text: `${JSON.stringify({ rows, sha256: hash.digest('hex') })}\n`, rows: 0 };
}
