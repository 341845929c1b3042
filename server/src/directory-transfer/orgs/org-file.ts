import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { LineSplitter } from '../formats/line-splitter.ts';
import { rawRows, TransferError } from '../formats/raw-rows.ts';
import { isMembers, type Members } from '../formats/user-record.ts';
import { EXPORT_FORMAT, EXPORT_KIND, type ExportHeader } from './org-export.ts';

/** The maximum length of a line, in bytes. */
const LONGEST_LINE = 67_108_864;

export interface OrgFile {
  readonly path: string;
  readonly header: ExportHeader;
  readonly rows: number;
  /** Reads all lines except the first and the last. Throws TransferError if one of them is not a row. */
  readonly lines: () => AsyncGenerator<readonly OrgLine[]>;
}

export interface OrgLine {
  readonly table: string;
  readonly row: string;
}

const LINE = /^\{"table":"([a-z_]{1,63})","row":(\{.*\})\}$/s;

async function* textLines(path: string): AsyncGenerator<string> {
  for await (const rows of rawRows(path, new LineSplitter(LONGEST_LINE))) {
    for (const row of rows) {
      if ('problem' in row) throw new TransferError(`Line ${row.number} ${row.problem.reason}`);
      yield row.text;
    }
  }
}

function parsed(text: string): Members {
  try {
    const value: unknown = JSON.parse(text);
    return isMembers(value) ? value : {};
  } catch {
    return {};
  }
}

type SomeHeader = Omit<ExportHeader, 'format'> & { readonly format: unknown };

const isHeader = (value: unknown): value is SomeHeader =>
  isMembers(value) &&
  value['kind'] === EXPORT_KIND &&
  typeof value['org'] === 'string' &&
  /^00o[0-9A-Za-z]{17}$/.test(value['org']) &&
  typeof value['schema'] === 'number' &&
  typeof value['tables'] === 'object' &&
  value['tables'] !== null;

function headerOf(path: string, text: string): ExportHeader {
  const value = parsed(text);
  if (!isHeader(value)) throw new TransferError(`${path} is not the export of an org.`);
  const { format } = value;
  if (format !== EXPORT_FORMAT) {
    throw new TransferError(`${path} has the format ${String(format)}, but this release reads ${EXPORT_FORMAT}.`);
  }
  return { ...value, format };
}

function lineOf(text: string): OrgLine {
  const [, table, row] = LINE.exec(text) ?? [];
  if (table === undefined || row === undefined) throw new TransferError('The file contains a line that is not a row.');
  return { table, row };
}

const PAGE = 200;

async function* rowLines(path: string): AsyncGenerator<readonly OrgLine[]> {
  let page: OrgLine[] = [];
  let isFirst = true;
  let held: string | null = null;
  for await (const text of textLines(path)) {
    if (held !== null) page.push(lineOf(held));
    held = isFirst ? null : text;
    isFirst = false;
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** Reads a file to its end. Throws TransferError if it does not exist or is not a complete, unchanged export. */
export async function openOrgFile(path: string): Promise<OrgFile> {
  const size = (await stat(path).catch(() => null))?.size;
  if (size === undefined) throw new TransferError(`There is no file ${path}.`);
  const hash = createHash('sha256');
  let header: ExportHeader | null = null;
  let last: string | null = null;
  let lines = 0;
  for await (const text of textLines(path)) {
    header ??= headerOf(path, text);
    if (last !== null) hash.update(`${last}\n`);
    last = text;
    lines += 1;
  }
  const end = parsed(last ?? '');
  if (header === null) throw new TransferError(`${path} is not the export of an org.`);
  if (typeof end['sha256'] !== 'string' || end['rows'] !== lines - 2) {
    throw new TransferError(`${path} is incomplete, because its last line is missing.`);
  }
  if (end['sha256'] !== hash.digest('hex'))
    throw new TransferError(`${path} has been changed since it was written, because its digest does not match.`);
  return { path, header, rows: lines - 2, lines: () => rowLines(path) };
}
