import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/postgres/embedded/index.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { beforeTests } from '../support/before-tests.ts';
import { newPlace, run, stopServer, whenReady } from '../support/server-process.ts';

// This file tests servers on a database that has room for one worker.

const MASTER_KEY = randomBytes(32).toString('base64');
const SETTINGS = {
  GATEHOUSE_DATABASE_POOL_SIZE: '12',
  GATEHOUSE_LOG_LEVEL: 'debug',
  GATEHOUSE_MASTER_KEY: MASTER_KEY,
};

const place = beforeTests(() => newPlace());
let database: EmbeddedPostgres;

beforeAll(async () => {
  database = await startEmbeddedPostgres({
    dataDirectory: join(place.directory, 'database'),
    outsideDirectory: join(place.directory, 'outside'),
    durability: 'off',
    maxConnections: 25,
    log: () => undefined,
  });
});
afterAll(async () => {
  await database.stop();
  await place.remove();
});

function start(workers: string) {
  const { database: name, host, port, user } = database.connection;
  const url = `postgresql://${user}@/${name}?host=${encodeURIComponent(host)}&port=${port}`;
  return run(place, 'main', [], { ...SETTINGS, GATEHOUSE_DATABASE_URL: url, GATEHOUSE_WORKERS: workers });
}

test('does not prevent a start with the default number of workers', async () => {
  const server = await whenReady(start(''));
  const wanted = loadConfig({ GATEHOUSE_DATABASE_POOL_SIZE: '12' }).workers;
  expect(server.output.stderr.includes('fewer workers are started')).toBe(wanted > 1);
  expect(await stopServer(server)).toBe(0);
  expect(server.output.stderr.match(/a worker is listening/g) ?? []).toHaveLength(wanted > 1 ? 1 : 0);
});

test('refuses a number of workers that is set', async () => {
  const server = start('2');
  expect(await server.ended).toBe(1);
  expect(server.output.stderr).toContain('is 34, but the database allows 25 connections');
});
