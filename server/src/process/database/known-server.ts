import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InstallationError } from '../../installation/installation.ts';
import { replaceFile } from '../../platform/postgres/embedded/index.ts';
import { type ConnectionSettings, type ServerIdentity, serversOf } from '../../platform/postgres/index.ts';

const FILE = 'database-server.json';

function identityIn(text: string, path: string): ServerIdentity {
  try {
    const { systemIdentifier, timeline }: Record<string, unknown> = JSON.parse(text);
    if (typeof systemIdentifier === 'string' && typeof timeline === 'number') return { systemIdentifier, timeline };
  } catch {
    // The error below names the file.
  }
  throw new InstallationError(`${path} is damaged. If the database is the right one, delete the file.`);
}

async function readKnown(path: string): Promise<ServerIdentity | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return text === null ? null : identityIn(text, path);
}

/**
 * The file notes the primary, so that a later start refuses a former one. PostgreSQL's own files cannot tell: a former
 * primary does not know of the failover.
 */
export const knownServerFile = (dataDirectory: string): string => join(dataDirectory, FILE);

/** Adds the noted server to the settings, and notes each later primary. */
export async function withKnownServer(
  connection: ConnectionSettings,
  dataDirectory: string,
): Promise<ConnectionSettings> {
  const path = knownServerFile(dataDirectory);
  const known = await readKnown(path);
  const settings = known === null ? connection : { ...connection, known };
  serversOf(settings).onChange((identity) => {
    // A command may be run by somebody who must not write to the folder. The server's own process notes the primary.
    note(path, identity).catch(() => undefined);
  });
  return settings;
}

async function note(path: string, identity: ServerIdentity): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, `${JSON.stringify(identity)}\n`);
}
