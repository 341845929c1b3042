import { chmod, cp, mkdir, mkdtemp, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEmbeddedPostgres } from '../start-embedded-postgres.ts';
import { readClusterPlace } from './cluster-place.ts';

const isRoot = process.getuid?.() === 0;
let root = '';

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'gh-place-')));
  await chmod(root, 0o755);
  await mkdir(join(root, 'home'), { mode: 0o700 });
});
afterAll(() => rm(root, { recursive: true }));

const outsideDirectory = (): string => join(root, 'outside');

async function startAndStop(dataDirectory: string): Promise<string> {
  const options = { dataDirectory, log: () => undefined, outsideDirectory: outsideDirectory() } as const;
  const server = await startEmbeddedPostgres({ ...options, durability: 'off' });
  await server.stop();
  return server.clusterDirectory;
}

describe.runIf(isRoot)('the data folder of root', () => {
  const data = (): string => join(root, 'shut');
  const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o7777).toString(8);

  test('is entered by the group of who runs PostgreSQL alone, also where everybody could before', async () => {
    const cluster = await startAndStop(data());
    expect(cluster).toBe(join(data(), 'postgres'));
    expect([await modeOf(data()), (await stat(data())).gid]).toEqual(['710', (await stat(cluster)).gid]);
    await chmod(data(), 0o711);
    await startAndStop(data());
    expect(await modeOf(data())).toBe('710');
  });

  test('keeps a mode that somebody chose', async () => {
    await chmod(data(), 0o755);
    await startAndStop(data());
    expect(await modeOf(data())).toBe('755');
  });
});

describe.runIf(isRoot)('a data folder below one of mode 0700, under root', () => {
  test('has its cluster outside, and finds it again', async () => {
    const made = await startAndStop(join(root, 'home', 'data'));
    expect(made.startsWith(join(outsideDirectory(), 'clusters'))).toBe(true);
    expect(((await stat(join(root, 'home', 'data'))).mode & 0o7777).toString(8)).toBe('700');
    expect(await startAndStop(join(root, 'home', 'data'))).toBe(made);
    expect(await readdir(join(outsideDirectory(), 'clusters'))).toHaveLength(1);
  });

  test('is refused when copied, and accepted when moved', async () => {
    const data = join(root, 'home', 'data');
    const made = (await readClusterPlace(data))?.directory;
    await cp(data, join(root, 'home', 'copy'), { recursive: true });
    await expect(startAndStop(join(root, 'home', 'copy'))).rejects.toThrow('is a copy of');
    await rename(data, join(root, 'home', 'moved'));
    expect(await startAndStop(join(root, 'home', 'moved'))).toBe(made);
    expect(await readClusterPlace(join(root, 'home', 'moved'))).toMatchObject({ directory: made, initialised: true });
  });

  test('does not get the cluster of a removed folder of the same name', async () => {
    const first = await startAndStop(join(root, 'home', 'data'));
    await rm(join(root, 'home', 'data'), { recursive: true });
    expect(await startAndStop(join(root, 'home', 'data'))).not.toBe(first);
  });
});
