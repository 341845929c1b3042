import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ownerOf, takeOwnerLock } from './owner-lock.ts';
import { processIdentity } from './processes.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gh-lock-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function writeLockText(text: string): Promise<void> {
  await mkdir(join(folder, 'owner.lock'));
  await writeFile(join(folder, 'owner.lock', '1'), text);
}
const writeLock = (owner: unknown): Promise<void> => writeLockText(JSON.stringify(owner));

test('refuses a second owner, naming the pid, until the first lets go', async () => {
  const lock = await takeOwnerLock(folder);
  expect(await ownerOf(folder)).toBe(process.pid);
  await expect(takeOwnerLock(folder)).rejects.toThrow(`pid ${process.pid}`);
  await lock.release();
  expect(await ownerOf(folder)).toBeNull();
  for (let round = 0; round < 3; round += 1) await (await takeOwnerLock(folder)).release();
  expect((await readdir(join(folder, 'owner.lock'))).sort()).toEqual(['3', '4']);
});

test('one of many racers wins, also over a stale lock', async () => {
  await writeLock({ pid: process.pid, identity: 'another boot' });
  for (let round = 0; round < 20; round += 1) {
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => takeOwnerLock(folder)));
    const locks = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(locks).toHaveLength(1);
    await locks[0]?.release();
  }
});

test('a lock of a dead process is stale', async () => {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  await writeLock({ pid: child.pid, identity: 'any' });
  await takeOwnerLock(folder);
  expect(await ownerOf(folder)).toBe(process.pid);
});

test.skipIf(process.platform === 'win32')('a lock of a reused pid is stale: the start time differs', async () => {
  await writeLock({ pid: process.ppid, identity: 'another start' });
  expect(await ownerOf(folder)).toBeNull();
  await takeOwnerLock(folder);
  expect(await ownerOf(folder)).toBe(process.pid);
});

test('a lock of another live process holds', async () => {
  await writeLock({ pid: process.ppid, identity: processIdentity(process.ppid) });
  await expect(takeOwnerLock(folder)).rejects.toThrow(`pid ${process.ppid}`);
});

test.each(['', '{', '{"pid":-1,"identity":"x"}', '[]', 'null'])('a broken lock %j holds nothing', async (text) => {
  await writeLockText(text);
  await takeOwnerLock(folder);
  expect(await ownerOf(folder)).toBe(process.pid);
});
