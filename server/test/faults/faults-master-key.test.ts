import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FROM_BUILD, freePorts, ServiceProcess } from '../../../tools/crash/service-process.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';

// F24 (docs/faults.md): the server starts with a master key that is missing, malformed, or not the one used to set up
// the database.

const RIGHT = Buffer.alloc(32, 1).toString('base64');
const OTHER = Buffer.alloc(32, 2).toString('base64');

let database: TestDatabase;
let directory: string;
let ports: number[];

beforeAll(async () => {
  database = await openTestDatabase();
  directory = mkdtempSync(join(tmpdir(), 'gatehouse-master-key-'));
  ports = await freePorts(2);
  const first = withKey(RIGHT);
  await first.start();
  expect(await first.end('SIGTERM')).toBe(0);
});
afterAll(async () => {
  await database.close();
  rmSync(directory, { recursive: true, force: true });
});

function withKey(masterKey: string | null): ServiceProcess {
  const { host = '', port = 5432, user = '', database: name = '' } = database.connection;
  const [publicPort = 0, managementPort = 0] = ports;
  return new ServiceProcess({
    launch: FROM_BUILD,
    dataDirectory: directory,
    port: publicPort,
    managementPort,
    environment: {
      GATEHOUSE_DATABASE_URL: `postgresql://${user}@/${name}?host=${encodeURIComponent(host)}&port=${port}`,
      ...(masterKey === null ? {} : { GATEHOUSE_MASTER_KEY: masterKey }),
    },
  });
}

describe('a start is refused, with its cause, by', () => {
  it.each([
    ['another key', () => OTHER, 1, 'is not the one this database was made with'],
    ['no key', () => null, 2, 'GATEHOUSE_MASTER_KEY'],
    ['a malformed key', () => 'c2hvcnQ=', 2, 'GATEHOUSE_MASTER_KEY'],
    ['a key file that is not there', () => join(directory, 'gone.key'), 1, 'no master key file'],
    [
      'a key file that was cut short',
      () => {
        const path = join(directory, 'short.key');
        writeFileSync(path, RIGHT.slice(0, 20));
        return path;
      },
      1,
      'must hold 32 bytes',
    ],
  ])(
    '%s',
    async (_name, keyOf, status, cause) => {
      const key = keyOf();
      const service = withKey(key);
      service.launch();
      expect(await service.untilEnded()).toBe(status);
      expect(service.output).toContain(cause);
      if (key !== null && !key.startsWith('/')) expect(service.output).not.toContain(key);
    },
    120_000,
  );

  it('and the right key starts it as before', async () => {
    const service = withKey(RIGHT);
    await service.start();
    expect(await service.end('SIGTERM')).toBe(0);
  });
});
