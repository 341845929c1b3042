import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { readAuth0User } from '../formats/auth0-format.ts';
import { csvFormat, delimiterOf } from '../formats/csv-format.ts';
import { CsvSplitter } from '../formats/csv-splitter.ts';
import { JsonSplitter } from '../formats/json-splitter.ts';
import { readKeycloakUser } from '../formats/keycloak-format.ts';
import { LineSplitter } from '../formats/line-splitter.ts';
import { readOwnLine } from '../formats/ndjson-format.ts';
import { type RawRow, rawRows, type Splitter, TransferError, withoutMark } from '../formats/raw-rows.ts';
import type { ReadRow } from '../formats/user-record.ts';

export const USER_FORMATS = ['csv', 'ndjson', 'keycloak', 'auth0'] as const;
export type UserFormat = (typeof USER_FORMATS)[number];

export interface UsersFileOptions {
  readonly format: UserFormat;
  readonly ignoreUnknown: boolean;
}

export interface UsersFile {
  readonly path: string;
  readonly bytes: number;
  readonly digest: Buffer;
  /** The attributes that the columns name. The list is empty if the format has no columns. */
  readonly attributes: readonly string[];
  /** Reads the rows after the header, if any. Calls `read` with the number of bytes read so far. */
  readonly rows: (read: (bytes: number) => void) => AsyncGenerator<readonly RawRow[]>;
  readonly read: (text: string) => ReadRow;
  /** Throws TransferError if the size or the modification time of the file has changed since it was opened. */
  readonly assertUnchanged: () => Promise<void>;
}

interface Opened {
  readonly attributes: readonly string[];
  readonly splitter: () => Splitter;
  readonly read: (text: string) => ReadRow;
  readonly headerRows: number;
}

const HEAD_BYTES = 1_048_577;

async function headOf(path: string): Promise<Buffer> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, 'r');
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return withoutMark(buffer.subarray(0, bytesRead));
  } catch (error) {
    throw new TransferError(`${path} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await handle?.close();
  }
}

async function digestOf(path: string): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1_048_576 }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
  }
  return hash.digest();
}

function openCsv(head: Buffer, isLenient: boolean): Opened {
  const [first] = head.toString('utf8').split(/\r?\n/, 1);
  const delimiter = delimiterOf(first ?? '');
  const splitter = new CsvSplitter(delimiter);
  const [header] = [...splitter.push(head), ...splitter.end()];
  if (header === undefined || 'problem' in header) throw new TransferError('The first row must name the columns.');
  const { attributes, read } = csvFormat(header.text, delimiter, isLenient);
  return { attributes, read, splitter: () => new CsvSplitter(delimiter), headerRows: header.number };
}

const firstCharacter = (head: Buffer): string => /\S/.exec(head.toString('latin1'))?.[0] ?? '';

function openedAs(head: Buffer, { format, ignoreUnknown }: UsersFileOptions): Opened {
  const first = firstCharacter(head);
  const whole = { attributes: [], headerRows: 0 };
  switch (format) {
    case 'csv':
      return openCsv(head, ignoreUnknown);
    case 'ndjson':
      return { ...whole, splitter: () => new LineSplitter(), read: (text) => readOwnLine(text, ignoreUnknown) };
    case 'keycloak':
      return { ...whole, splitter: () => new JsonSplitter(first === '[' ? null : 'users'), read: readKeycloakUser };
    case 'auth0':
      return {
        ...whole,
        splitter: () => (first === '[' ? new JsonSplitter(null) : new LineSplitter()),
        read: readAuth0User,
      };
    default:
      throw new TransferError('The format is not supported.');
  }
}

export async function openUsersFile(path: string, options: UsersFileOptions): Promise<UsersFile> {
  const head = await headOf(path);
  if (head.length === 0) throw new TransferError(`${path} is empty.`);
  const { attributes, headerRows, read, splitter } = openedAs(head, options);
  const { mtimeMs, size } = await stat(path);
  return {
    path,
    bytes: size,
    digest: await digestOf(path),
    attributes,
    read,
    rows: async function* rows(told) {
      for await (const found of rawRows(path, splitter(), told)) {
        const users = found.filter(({ number }) => number > headerRows);
        if (users.length > 0) yield users;
      }
    },
    assertUnchanged: async () => {
      const now = await stat(path);
      if (now.size === size && now.mtimeMs === mtimeMs) return;
      throw new TransferError(
        `${path} was changed while it was read, so rows of both versions were imported. Import it again.`,
      );
    },
  };
}
