import { chmod, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The content of `<data>/bootstrap.json`, the result of the first start. */
export interface Bootstrap {
  readonly baseUrl: string;
  readonly consoleUrl: string;
  readonly orgId: string;
  readonly subdomain: string;
  readonly login: string;
  readonly password: string;
  readonly apiToken: string;
  /** This is null if the operator supplies the certificates. */
  readonly caFile: string | null;
  readonly namespace: string;
  /** The address of the page that shows emails, with the key to the page. It is null if there is no such page. */
  readonly mailsUrl: string | null;
}

/**
 * The credentials of a first start. They are stored before they are used, so that the next start has the same ones if
 * this one is killed.
 */
export interface BootstrapDraft {
  readonly login: string;
  readonly password: string;
}

export const bootstrapPath = (dataDirectory: string): string => join(dataDirectory, 'bootstrap.json');
const draftPath = (dataDirectory: string): string => join(dataDirectory, 'bootstrap.json.unfinished');

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes the file completely or not at all. */
async function writeSecretFile(path: string, value: unknown): Promise<void> {
  const temporary = `${path}.part`;
  await rm(temporary, { force: true });
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(value, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await chmod(temporary, 0o600);
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return null;
  }
}

export async function readDraft(dataDirectory: string): Promise<BootstrapDraft | null> {
  const value = await readJson(draftPath(dataDirectory));
  if (typeof value !== 'object' || value === null || !('login' in value) || !('password' in value)) return null;
  const { login, password } = value;
  return typeof login === 'string' && typeof password === 'string' ? { login, password } : null;
}

export const writeDraft = (dataDirectory: string, draft: BootstrapDraft): Promise<void> =>
  writeSecretFile(draftPath(dataDirectory), draft);

export const writeBootstrap = (dataDirectory: string, bootstrap: Bootstrap): Promise<void> =>
  writeSecretFile(bootstrapPath(dataDirectory), bootstrap);

export async function removeDraft(dataDirectory: string): Promise<void> {
  await rm(draftPath(dataDirectory), { force: true });
}
