import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EmbeddedPostgresError, hasCode } from '../embedded-error.ts';
import { type ClusterUser, mayEnter } from './cluster-user.ts';
import { exists, replaceFile } from './durable-files.ts';

/** The content of `<data>/cluster.json`, which records the path of the data folder's cluster. */
export interface ClusterPlace {
  readonly directory: string;
  readonly dataDirectory: string;
  /** If true, a missing cluster is reported as a loss and never replaced with an empty one. */
  readonly initialised: boolean;
}

const placeFile = (dataDirectory: string): string => join(dataDirectory, 'cluster.json');

/** The mode of a data folder that root has created, until the path and the user of the cluster are known. */
const ROOT_MODE = 0o711;

export async function openDataDirectory(dataDirectory: string): Promise<string> {
  const isRoot = process.getuid?.() === 0;
  const made = await mkdir(dataDirectory, { recursive: true });
  if (made !== undefined) await chmod(dataDirectory, isRoot ? ROOT_MODE : 0o700);
  return realpath(dataDirectory);
}

/**
 * Closes root's data folder to everyone but root and, if the cluster is inside, the group of `user`. Any mode other
 * than `ROOT_MODE` is kept, because an earlier start or the operator has chosen it.
 */
export async function shutDataDirectory(place: ClusterPlace, user: ClusterUser | null): Promise<void> {
  const { dataDirectory, directory } = place;
  if (user === null) return;
  const { mode, uid } = await stat(dataDirectory);
  if (uid !== 0 || (mode & 0o7777) !== ROOT_MODE) return;
  if (dirname(directory) !== dataDirectory) return chmod(dataDirectory, 0o700);
  await chown(dataDirectory, 0, user.gid);
  await chmod(dataDirectory, 0o710);
}

export async function readClusterPlace(dataDirectory: string): Promise<ClusterPlace | null> {
  let text: string;
  try {
    text = await readFile(placeFile(dataDirectory), 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
  try {
    const { directory, dataDirectory: recorded, initialised } = JSON.parse(text) as Partial<ClusterPlace>;
    if (typeof directory === 'string' && typeof recorded === 'string' && typeof initialised === 'boolean') {
      return { directory, dataDirectory: recorded, initialised };
    }
  } catch {
    // A file that cannot be parsed is refused like one with missing or wrong members.
  }
  throw new EmbeddedPostgresError(`${placeFile(dataDirectory)} can't be read. Restore it from a backup.`);
}

export const writeClusterPlace = (place: ClusterPlace): Promise<void> =>
  replaceFile(placeFile(place.dataDirectory), `${JSON.stringify(place, null, 2)}\n`);

/** Each folder has an owner lock of its own, so the original and a copy could open the same cluster at once. */
async function refuseCopy(place: ClusterPlace, dataDirectory: string): Promise<void> {
  if (place.dataDirectory === dataDirectory) return;
  const original = await readClusterPlace(place.dataDirectory).catch(() => null);
  if (original?.directory !== place.directory) return;
  throw new EmbeddedPostgresError(
    `${dataDirectory} is a copy of ${place.dataDirectory}: both name the cluster ${place.directory}. ` +
      'Start the original, or remove the original before you start the copy.',
  );
}

async function locateRecorded(recorded: ClusterPlace, dataDirectory: string): Promise<ClusterPlace> {
  const wasInside = recorded.directory === join(recorded.dataDirectory, 'postgres');
  if (wasInside) return { ...recorded, directory: join(dataDirectory, 'postgres'), dataDirectory };
  await refuseCopy(recorded, dataDirectory);
  return { ...recorded, dataDirectory };
}

async function choosePlace(dataDirectory: string, user: ClusterUser | null, outside: string): Promise<ClusterPlace> {
  if (mayEnter(dataDirectory, user)) {
    return { directory: join(dataDirectory, 'postgres'), dataDirectory, initialised: false };
  }
  // The random part keeps a new data folder at the same path from using an old cluster.
  const hash = createHash('sha256').update(dataDirectory).digest('hex').slice(0, 12);
  const clusters = join(outside, 'clusters');
  await mkdir(clusters, { recursive: true, mode: 0o755 });
  await chmod(clusters, 0o711);
  if (!mayEnter(clusters, user)) {
    throw new EmbeddedPostgresError(
      `Neither ${dataDirectory} nor ${clusters} can be entered by the user with id ${user?.uid} ` +
        `that runs PostgreSQL. ` +
        `Allow it (chmod o+x on each folder above), or set GATEHOUSE_DATABASE_URL.`,
    );
  }
  const name = `${hash}-${randomBytes(4).toString('hex')}`;
  return { directory: join(clusters, name), dataDirectory, initialised: false };
}

/** Decides the path of the cluster, in the data folder or under `outside`, and records it in cluster.json. */
export async function locateCluster(
  dataDirectory: string,
  user: ClusterUser | null,
  outside: string,
): Promise<ClusterPlace> {
  const recorded = await readClusterPlace(dataDirectory);
  const isUsable = recorded !== null && (recorded.initialised || mayEnter(dirname(recorded.directory), user));
  const place = isUsable
    ? await locateRecorded(recorded, dataDirectory)
    : await choosePlace(dataDirectory, user, outside);
  if (place.initialised && !(await exists(join(place.directory, 'PG_VERSION')))) {
    throw new EmbeddedPostgresError(
      `The cluster ${place.directory} of ${dataDirectory} is gone. Restore it from a backup; ` +
        `to begin with an empty one instead, remove ${dataDirectory}.`,
    );
  }
  if (place.initialised && !mayEnter(dirname(place.directory), user)) {
    throw new EmbeddedPostgresError(
      `The cluster ${place.directory} can't be entered by the user with id ${user?.uid} that runs PostgreSQL. ` +
        'Allow it (chmod o+x on each folder above it).',
    );
  }
  if (JSON.stringify(recorded) !== JSON.stringify(place)) await writeClusterPlace(place);
  return place;
}
