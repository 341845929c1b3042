import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export interface ClusterUser {
  readonly uid: number;
  readonly gid: number;
}

const NOBODY: ClusterUser = { uid: 65_534, gid: 65_534 };

export function pickUser(passwd: string): ClusterUser {
  const rows = passwd.split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const row = rows.find(([user]) => user === name);
    // macOS writes the id of `nobody` as -2, but the ids in the kernel are unsigned.
    if (row !== undefined) return { uid: Number(row[2]) >>> 0, gid: Number(row[3]) >>> 0 };
  }
  return NOBODY;
}

/**
 * Returns the user that runs PostgreSQL, which refuses to run as root. This is the owner of the existing cluster, or
 * the user from `pickUser` if there is no cluster or root owns it. Null means our own user, if that is not root.
 */
export function clusterUser(existingCluster: string | null): ClusterUser | null {
  if (process.getuid?.() !== 0) return null;
  const owner = existingCluster === null ? null : statSync(existingCluster);
  if (owner !== null && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return pickUser(readFileSync('/etc/passwd', 'utf8'));
}

const READ = 4;
const ENTER = 1;

function permits(path: string, user: ClusterUser, permission: number): boolean {
  const { uid, gid, mode } = statSync(path);
  if (uid === user.uid) return ((mode >> 6) & permission) === permission;
  if (gid === user.gid) return ((mode >> 3) & permission) === permission;
  return (mode & permission) === permission;
}

/** Tells whether the user may enter an existing folder and all folders above it. Our own user (null) is not checked. */
export function mayEnter(directory: string, user: ClusterUser | null): boolean {
  if (user === null) return true;
  try {
    let current = realpathSync(directory);
    while (permits(current, user, ENTER)) {
      const parent = dirname(current);
      if (parent === current) return true;
      current = parent;
    }
  } catch {
    return false;
  }
  return false;
}

/** Tells whether the user may reach and read a file and, if it is a program, run it. On Windows, it need only exist. */
export function mayUse(file: string, user: ClusterUser | null, isProgram: boolean): boolean {
  try {
    const asker = user ?? { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    if (process.platform === 'win32') return statSync(file).isFile();
    return permits(file, asker, isProgram ? READ | ENTER : READ) && mayEnter(dirname(file), user);
  } catch {
    return false;
  }
}
