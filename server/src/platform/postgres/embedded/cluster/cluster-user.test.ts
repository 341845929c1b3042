import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mayEnter, mayUse, pickUser } from './cluster-user.ts';

const STRANGER = { uid: 54_321, gid: 54_321 };

describe('pickUser', () => {
  const nobody = 'nobody:x:65534:65534:nobody:/nonexistent:/bin/false';

  test('prefers postgres, then _postgres, then nobody', () => {
    expect(pickUser(`root:x:0:0\n${nobody}\npostgres:x:101:104::/:/bin/sh\n`)).toEqual({ uid: 101, gid: 104 });
    expect(pickUser(`${nobody}\n_postgres:*:216:216::/:/bin/sh`)).toEqual({ uid: 216, gid: 216 });
    expect(pickUser(`root:x:0:0\n${nobody}`)).toEqual({ uid: 65_534, gid: 65_534 });
  });

  test('reads negative ids as the kernel does', () => {
    expect(pickUser('nobody:*:-2:-2:User:/var/empty:/usr/bin/false')).toEqual({
      uid: 4_294_967_294,
      gid: 4_294_967_294,
    });
  });

  test('does without any of them', () => {
    expect(pickUser('root:x:0:0')).toEqual({ uid: 65_534, gid: 65_534 });
  });
});

describe.skipIf(process.platform === 'win32')('what a user may reach', () => {
  let root = '';
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'gh-user-'));
    await mkdir(join(root, 'inner'));
    await writeFile(join(root, 'inner', 'file'), '', { mode: 0o644 });
  });
  afterAll(() => rm(root, { recursive: true }));

  test('a folder below one of mode 0700 is out of reach', async () => {
    await chmod(root, 0o700);
    expect(mayEnter(join(root, 'inner'), STRANGER)).toBe(false);
    expect(mayUse(join(root, 'inner', 'file'), STRANGER, false)).toBe(false);
    expect(mayEnter(join(root, 'inner'), null)).toBe(true);
  });

  test('a folder that can be entered is reached without being listed', async () => {
    await chmod(root, 0o711);
    expect(mayEnter(join(root, 'inner'), STRANGER)).toBe(true);
    expect(mayUse(join(root, 'inner', 'file'), STRANGER, false)).toBe(true);
  });

  test('a file without its execute bit is no program, and a missing one is nothing', () => {
    expect(mayUse(join(root, 'inner', 'file'), STRANGER, true)).toBe(false);
    expect(mayUse(join(root, 'inner', 'none'), STRANGER, false)).toBe(false);
    expect(mayEnter(join(root, 'none'), STRANGER)).toBe(false);
  });
});
