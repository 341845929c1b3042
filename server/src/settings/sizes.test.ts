import { describe, expect, test } from 'vitest';
import { connectionShortage, describeConfig, type Environment, loadConfig, sizesFitting } from './config.ts';

const machineOf = (cores: number, memoryBytes = Number.POSITIVE_INFINITY) => ({ cores, memoryBytes });

describe('the cores that the process may use', () => {
  const sizesWith = (cores: number, environment: Environment = {}) => {
    const { databasePoolSize, passwordHashWorkers, workers } = loadConfig(environment, machineOf(cores));
    return [workers, databasePoolSize, passwordHashWorkers];
  };

  test.each([
    [1, 1, 20, 1],
    [2, 2, 10, 1],
    [3, 3, 8, 1],
    [4, 4, 8, 1],
    [8, 4, 8, 2],
    [64, 4, 8, 16],
    [1_000, 4, 8, 64],
  ])('%i mean %i workers with %i connections and %i hashing threads each', (cores, ...sizes) => {
    expect(sizesWith(cores)).toEqual(sizes);
  });

  test('are divided by the workers that are set', () => {
    expect(sizesWith(8, { GATEHOUSE_WORKERS: '1' })).toEqual([1, 20, 8]);
    expect(sizesWith(8, { GATEHOUSE_WORKERS: '8' })).toEqual([8, 8, 1]);
    expect(sizesWith(2, { GATEHOUSE_WORKERS: '6' })).toEqual([6, 8, 1]);
  });

  test('do not change sizes that are set', () => {
    const set = { GATEHOUSE_DATABASE_POOL_SIZE: '15', GATEHOUSE_PASSWORD_HASH_WORKERS: '3' };
    expect(sizesWith(4, set)).toEqual([4, 15, 3]);
  });

  test('never make the defaults need more connections than PostgreSQL allows by default', () => {
    for (let cores = 1; cores <= 64; cores += 1)
      expect(connectionShortage(loadConfig({}, machineOf(cores)), 100)).toBeNull();
    for (let size = 4; size <= 90; size += 1) {
      const config = loadConfig({ GATEHOUSE_DATABASE_POOL_SIZE: String(size) }, machineOf(4));
      expect(connectionShortage(config, 100), String(size)).toBeNull();
    }
    expect(sizesWith(4, { GATEHOUSE_DATABASE_POOL_SIZE: '30' })).toEqual([3, 30, 1]);
    expect(sizesWith(4, { GATEHOUSE_DATABASE_POOL_SIZE: '50' })).toEqual([1, 50, 4]);
    expect(sizesWith(4, { GATEHOUSE_DATABASE_POOL_SIZE: '500' })).toEqual([1, 500, 4]);
  });

  test('are shown as the sizes that are in effect', () => {
    const listed = describeConfig({ GATEHOUSE_WORKERS: '3' });
    const shownAs = (name: string) => listed.find((setting) => setting.name === name);
    expect(shownAs('GATEHOUSE_WORKERS')).toMatchObject({ value: '3', source: 'environment' });
    expect(shownAs('GATEHOUSE_DATABASE_POOL_SIZE')).toMatchObject({ value: '8', source: 'default' });
  });
});

describe('the memory that the process may use', () => {
  const MEGABYTE = 1024 ** 2;
  const workersWith = (megabytes: number, environment: Environment = {}) =>
    loadConfig(environment, machineOf(8, megabytes * MEGABYTE)).workers;

  test.each([
    [1_024, 4],
    [800, 4],
    [799, 3],
    [512, 2],
    [256, 1],
    [100, 1],
  ])('%i MB are enough for %i workers', (megabytes, workers) => expect(workersWith(megabytes)).toBe(workers));

  test('does not change a set number of workers', () => {
    expect(workersWith(256, { GATEHOUSE_WORKERS: '3' })).toBe(3);
  });

  test('leaves the cores to the hashing threads of fewer workers', () => {
    expect(loadConfig({}, machineOf(8, 512 * MEGABYTE))).toMatchObject({
      databasePoolSize: 10,
      passwordHashWorkers: 4,
    });
  });
});

describe('the limit of the database', () => {
  const fitting = (environment: Environment, cores: number, maximumConnections: number) => {
    const sizes = sizesFitting(loadConfig(environment, machineOf(cores)).sizing, maximumConnections);
    const shortage = connectionShortage(sizes, maximumConnections);
    return [sizes.workers, sizes.databasePoolSize, sizes.passwordHashWorkers, shortage];
  };
  const pool = (size: number): Environment => ({ GATEHOUSE_DATABASE_POOL_SIZE: String(size) });

  test.each<[string, Environment, number, number, number[]]>([
    ['a set pool', pool(12), 2, 25, [1, 12, 2]],
    ['a pool that fits exactly once', pool(10), 2, 20, [1, 10, 2]],
    ['a large pool', pool(40), 2, 60, [1, 40, 2]],
    ['no setting, and room for two workers', {}, 4, 30, [2, 10, 2]],
    ['no setting, and room for three workers', {}, 4, 41, [3, 8, 1]],
    ['no setting, and enough room', {}, 4, 42, [4, 8, 1]],
    ['more room than usual', pool(30), 4, 1_000, [3, 30, 1]],
    ['set threads', { GATEHOUSE_PASSWORD_HASH_WORKERS: '3', ...pool(12) }, 4, 25, [1, 12, 3]],
  ])('lowers the default number of workers: %s', (_, environment, cores, maximumConnections, sizes) => {
    expect(fitting(environment, cores, maximumConnections)).toEqual([...sizes, null]);
  });

  test('never refuses what one worker could use', () => {
    for (let cores = 1; cores <= 8; cores += 1) {
      for (let size = 4; size <= 60; size += 1) {
        expect(fitting(pool(size), cores, size + 10)[3], `${cores} cores, ${size} connections`).toBeNull();
      }
      expect(fitting({}, cores, 30)[3]).toBeNull();
    }
  });

  test('refuses a set number of workers, and one worker that does not fit', () => {
    expect(fitting({ GATEHOUSE_WORKERS: '2', ...pool(12) }, 2, 25)).toEqual([
      2,
      12,
      1,
      expect.stringContaining('is 34'),
    ]);
    expect(fitting(pool(12), 2, 21)).toEqual([1, 12, 2, expect.stringContaining('is 22')]);
  });
});

test('pools and workers must fit the database', () => {
  expect(connectionShortage({ workers: 4, databasePoolSize: 20 }, 90)).toBeNull();
  expect(connectionShortage({ workers: 4, databasePoolSize: 20 }, 89)).toContain('is 90');
});
