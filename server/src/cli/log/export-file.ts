import { createHash } from 'node:crypto';
import { type FileHandle, open, readFile, rename, writeFile } from 'node:fs/promises';
import { InstallationError } from '../../installation/installation.ts';
import type { ExportPlan, ExportRequest } from '../../system-log/index.ts';

/** The progress of an export to a file, as stored in `FILE.state`. */
export interface ExportState {
  readonly version: 1;
  readonly org: string;
  readonly request: Readonly<Record<string, string | number | boolean | null>>;
  readonly plan: {
    readonly start: { readonly position: number; readonly hash: string };
    readonly to: number;
    readonly checkpoint: string | null;
  };
  /** The position of the last event examined; initially the position before the first one. */
  readonly position: number;
  /** The chain's hash at this position, in base64url. */
  readonly hash: string;
  readonly bytes: number;
  readonly events: number;
  readonly complete: boolean;
}

export const statePath = (path: string): string => `${path}.state`;

/** Returns the parts of a request that determine the content of the file. */
export const requestFacts = (request: ExportRequest): ExportState['request'] => ({
  format: request.format,
  proof: request.proof,
  filter: request.filter,
  since: request.since?.toISOString() ?? null,
  until: request.until?.toISOString() ?? null,
  fromPosition: request.fromPosition,
  toPosition: request.toPosition,
});

export const planFacts = ({ checkpoint, start, to }: ExportPlan): ExportState['plan'] => ({
  start: { position: start.position, hash: start.hash.toString('base64url') },
  to,
  checkpoint,
});

export const planOf = ({ plan: { checkpoint, start, to } }: ExportState): ExportPlan => ({
  start: { position: start.position, hash: Buffer.from(start.hash, 'base64url') },
  to,
  checkpoint,
});

const isState = (value: unknown): value is ExportState =>
  typeof value === 'object' && value !== null && 'version' in value && value.version === 1 && 'plan' in value;

export async function readState(path: string): Promise<ExportState> {
  const text = await readFile(statePath(path), 'utf8').catch(() => null);
  if (text === null) throw new InstallationError(`There is no ${statePath(path)}, so there is nothing to resume.`);
  try {
    const value: unknown = JSON.parse(text);
    if (isState(value)) return value;
  } catch {
    // Text that is not JSON leads to the error below.
  }
  throw new InstallationError(`${statePath(path)} is not a state file of an export.`);
}

/** Replaces the state file atomically. Callers must flush the export file to disk first. */
async function writeState(path: string, state: ExportState): Promise<void> {
  const written = `${statePath(path)}.${createHash('sha256').update(path).digest('hex').slice(0, 8)}`;
  await writeFile(written, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(written, statePath(path));
}

const STATE_EVERY_MILLISECONDS = 1_000;

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

export class ExportFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  #bytes: number;
  #savedAt = 0;

  private constructor(path: string, handle: FileHandle, bytes: number) {
    this.#path = path;
    this.#handle = handle;
    this.#bytes = bytes;
  }

  static async create(path: string): Promise<ExportFile> {
    try {
      return new ExportFile(path, await open(path, 'wx', 0o600), 0);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      throw new InstallationError(
        codeOf(error) === 'EEXIST'
          ? `${path} already exists. Add --resume to continue it, or remove it first.`
          : `${path} can't be written: ${text}`,
      );
    }
  }

  /** Opens an existing file and truncates it to `bytes`, the length that the state file recorded. */
  static async resume(path: string, bytes: number): Promise<ExportFile> {
    const handle = await open(path, 'r+').catch((error: unknown) => {
      throw new InstallationError(`${path} can't be opened: ${error instanceof Error ? error.message : String(error)}`);
    });
    const { size } = await handle.stat();
    if (size < bytes) {
      await handle.close();
      throw new InstallationError(
        `${path} has ${size} bytes, but ${bytes} were written to it. It has been changed since.`,
      );
    }
    await handle.truncate(bytes);
    return new ExportFile(path, handle, bytes);
  }

  async write(text: string): Promise<void> {
    const bytes = Buffer.from(text, 'utf8');
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await this.#handle.write(bytes, written, bytes.length - written, this.#bytes + written);
      written += bytesWritten;
    }
    this.#bytes += bytes.length;
  }

  async save(state: Omit<ExportState, 'bytes'>, isForced: boolean): Promise<void> {
    if (!isForced && performance.now() - this.#savedAt < STATE_EVERY_MILLISECONDS) return;
    await this.#handle.datasync();
    await writeState(this.#path, { ...state, bytes: this.#bytes });
    this.#savedAt = performance.now();
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
