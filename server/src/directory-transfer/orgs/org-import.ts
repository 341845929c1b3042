import { createHash } from 'node:crypto';
import type { Context } from '../../kernel/context.ts';
import { toOrgId } from '../../kernel/words/ids.ts';
import { run } from '../../platform/postgres/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import { TransferError } from '../formats/raw-rows.ts';
import { OPERATOR_PARTS, type OperatorPart, type Takeover, takenLine } from './operator-parts.ts';
import {
  CHECK_PLACE,
  contentsOf,
  type ExportHeader,
  exportedShapes,
  exportLines,
  inward,
  lineOf,
  type OrgExportOptions,
  type Sealing,
  sealingOf,
} from './org-export.ts';
import type { OrgFile, OrgLine } from './org-file.ts';
import { type Ask, hasSharedNames, insertRows, schemaVersion, type TableShape, takenOrg } from './org-rows-store.ts';
import { type RowSetting, rowJudge } from './row-readers.ts';

export interface OrgImportPorts extends Pick<Foundation, 'work' | 'masterKey'> {
  readonly baseDomain: string;
}

export interface RefusedRow {
  /** The number of the line in the file. The header is line 1. */
  readonly line: number;
  readonly table: string;
  readonly reason: string;
}

export interface OrgImportReport {
  readonly rows: number;
  readonly leftOut: readonly string[];
  readonly refused: readonly RefusedRow[];
}

export interface OrgImportOptions {
  readonly passphrase: string | null;
  /** The new subdomain of the org; null keeps the subdomain in the file. */
  readonly subdomain: string | null;
  /** The operator-only parts to import from the file. The default is all of them. */
  readonly keep?: ReadonlySet<OperatorPart>;
  readonly isTrial?: boolean;
  readonly operator: string;
  readonly progressed: (rows: number) => void;
}

function assertFits(header: ExportHeader, shapes: readonly TableShape[], schema: number): void {
  if (header.schema !== schema) {
    throw new TransferError(
      `The file has the schema version ${header.schema}, but this database has ${schema}. ` +
        'Export and import with the same release.',
    );
  }
  const here = JSON.stringify(shapes.map(({ columns, table }) => [table.name, columns]));
  if (here !== JSON.stringify(Object.entries(header.tables))) {
    throw new TransferError('The file does not have the tables and columns of this release.');
  }
}

/** Returns null if the file contains no secrets. */
async function sealingFor(
  { masterKey }: OrgImportPorts,
  { check, org, secrets }: ExportHeader,
  passphrase: string | null,
): Promise<Sealing | null> {
  if (secrets === 'left out') return null;
  if (passphrase === null)
    throw new TransferError('The file contains encrypted secrets. Add --passphrase-file to decrypt them.');
  const sealing = await sealingOf(masterKey, passphrase, toOrgId(org));
  if (sealing === null || check === null)
    throw new TransferError('The file does not say how its secrets are encrypted.');
  sealing.envelope.open(CHECK_PLACE, check);
  return sealing;
}

interface Expected {
  /** The digest of all rows except the org's own row, which `takenLine` may have formatted anew. */
  readonly digest: string;
  readonly org: string;
}

class LinesDigest {
  readonly #hash = createHash('sha256');
  #org = '';

  add({ row, table }: OrgLine): void {
    if (table === 'orgs') this.#org = JSON.stringify(JSON.parse(row));
    else this.#hash.update(lineOf(table, row));
  }

  end(): Expected {
    return { digest: this.#hash.digest('hex'), org: this.#org };
  }
}

const valueIn = (row: string, name: string): string => {
  const value: unknown = (JSON.parse(row) as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value : '';
};

async function assertFree(ask: Ask, lines: readonly OrgLine[], context: Context, isAddressed: boolean): Promise<void> {
  const own = lines.find(({ table }) => table === 'orgs');
  if (own === undefined || valueIn(own.row, 'id') !== context.orgId) {
    throw new TransferError('The file does not begin with its org.');
  }
  const domains = lines.flatMap(({ row, table }) => (table === 'org_domains' ? valueIn(row, 'domain') : []));
  const subdomain = valueIn(own.row, 'subdomain');
  const taken = await takenOrg(ask, context.orgId, subdomain, domains);
  if (taken.id)
    throw new TransferError(`The org ${context.orgId} already exists in this installation. Nothing was changed.`);
  if (!isAddressed) {
    throw new TransferError(
      `Choose the subdomain of the org: add --subdomain, or --keep subdomain to use ${subdomain} from the file.`,
    );
  }
  if (taken.subdomain) {
    throw new TransferError(`Another org has the subdomain ${subdomain}. Choose a different one with --subdomain.`);
  }
  if (taken.domains.length > 0) throw new TransferError(`Another org already uses ${taken.domains.join(', ')}.`);
}

async function insertPage(
  ask: Ask,
  context: Context,
  shapes: ReadonlyMap<string, TableShape>,
  lines: readonly OrgLine[],
  sealing: Sealing | null,
): Promise<void> {
  for (let at = 0; at < lines.length; ) {
    const table = lines[at]?.table ?? '';
    const shape = shapes.get(table);
    if (shape === undefined)
      throw new TransferError(`The file contains rows of ${table}, which its header does not list.`);
    let end = at;
    while (lines[end]?.table === table) end += 1;
    const rows = lines
      .slice(at, end)
      .map(({ row }) => (sealing === null ? row : inward(context.orgId, shape, row, sealing)));
    const inserted = await insertRows(ask, context.orgId, shape, rows);
    if (inserted !== rows.length) {
      throw new TransferError(
        `The file contains rows of ${table} that belong to another org or that no export contains.`,
      );
    }
    at = end;
  }
}

/** Exports the imported org from the database. Throws TransferError if the result differs from the imported rows. */
async function assertSame(
  ask: Ask,
  context: Context,
  shapes: readonly TableShape[],
  options: OrgExportOptions,
  sealing: Sealing | null,
  expected: Expected,
): Promise<void> {
  const digest = new LinesDigest();
  for await (const { lines, table } of exportLines(ask, context.orgId, shapes, contentsOf(options), sealing)) {
    const start = lineOf(table, '').length - 2;
    for (const line of lines) digest.add({ table, row: line.slice(start, -2) });
  }
  const found = digest.end();
  if (found.digest === expected.digest && found.org === expected.org) return;
  throw new TransferError('An export of the imported org would differ from the file. Nothing was changed.');
}

/** Tokens name users and clients in the same claim, so a user and a client must not share a name. */
async function assertNamesApart(ask: Ask, { orgId }: Context): Promise<void> {
  if (!(await hasSharedNames(ask, orgId))) return;
  throw new TransferError('The file gives a user and an OAuth client the same name. Nothing was changed.');
}

/** The maximum number of refused rows in a report, and the maximum number of parts listed as left out. */
const MAXIMUM_REFUSED = 1_000;

async function judged(file: OrgFile, takeover: Takeover, setting: RowSetting): Promise<OrgImportReport> {
  const refused: RefusedRow[] = [];
  const leftOut: string[] = [];
  const refusalOf = rowJudge(setting);
  let line = 1;
  let rows = 0;
  for await (const page of file.lines()) {
    for (const given of page) {
      line += 1;
      const taken = takenLine(given, takeover);
      leftOut.push(...taken.leftOut.slice(0, MAXIMUM_REFUSED - leftOut.length));
      if (taken.line === null) continue;
      rows += 1;
      const reason = refused.length < MAXIMUM_REFUSED ? refusalOf(taken.line) : null;
      if (reason !== null) refused.push({ line, table: given.table, reason });
    }
  }
  return { rows, leftOut, refused };
}

class TrialEnded extends Error {}

/**
 * Imports an org with its ids in one transaction, which also exports the org again and compares the result with the
 * imported rows. Nothing is written if a row is refused, or if `isTrial` is set.
 */
export async function importOrg(
  ports: OrgImportPorts,
  context: Context,
  file: OrgFile,
  options: OrgImportOptions,
): Promise<OrgImportReport> {
  const sealing = await sealingFor(ports, file.header, options.passphrase);
  const takeover: Takeover = { keep: options.keep ?? new Set(OPERATOR_PARTS), subdomain: options.subdomain };
  const report = await judged(file, takeover, { baseDomain: ports.baseDomain, context });
  if (report.refused.length > 0) return report;
  try {
    await ports.work(context, async (tx, record) => {
      const ask: Ask = (text, values) => run(tx, text, values);
      await importRows(ask, context, file, { ...options, sealing, takeover });
      if (options.isTrial === true) throw new TrialEnded();
      const { hashes, secrets } = file.header;
      const debugData = { rows: String(report.rows), operator: options.operator, hashes: String(hashes), secrets };
      const kept = [...takeover.keep].join(' ');
      record({ eventType: 'system.org.import', debugData: kept === '' ? debugData : { ...debugData, kept } });
    });
  } catch (error) {
    if (!(error instanceof TrialEnded)) throw error;
  }
  return report;
}

interface RowsOptions extends OrgImportOptions {
  readonly sealing: Sealing | null;
  readonly takeover: Takeover;
}

async function importRows(ask: Ask, context: Context, file: OrgFile, options: RowsOptions): Promise<void> {
  const { header } = file;
  const { passphrase, progressed, sealing, takeover } = options;
  const exported = { hashes: header.hashes, passphrase: sealing === null ? null : passphrase };
  const shapes = await exportedShapes(ask, contentsOf(exported));
  assertFits(header, shapes, await schemaVersion(ask));
  const byName = new Map(shapes.map((shape) => [shape.table.name, shape]));
  const digest = new LinesDigest();
  const isAddressed = takeover.subdomain !== null || takeover.keep.has('subdomain');
  let done = 0;
  for await (const page of file.lines()) {
    const lines = page.flatMap((line) => takenLine(line, takeover).line ?? []);
    if (done === 0) await assertFree(ask, lines, context, isAddressed);
    for (const line of lines) digest.add(line);
    await insertPage(ask, context, byName, lines, sealing);
    done += page.length;
    progressed(done);
  }
  await assertNamesApart(ask, context);
  await assertSame(ask, context, shapes, exported, sealing, digest.end());
}
