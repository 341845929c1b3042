import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { operatorMessage } from '../../src/process/operator-errors.ts';
import { beforeTests } from '../support/before-tests.ts';
import { newPlace, run } from '../support/server-process.ts';

describe('a start that is refused', () => {
  const place = beforeTests(() => newPlace());
  afterAll(() => place.remove());

  test.each(['port', 'managementPort'] as const)('for its %s says so before anything is made', async (name) => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(place[name], '127.0.0.1', resolve));
    const server = run(place, 'process/start');
    expect(await server.ended).toBe(1);
    expect(server.output.stderr).toBe(
      `Gatehouse: 127.0.0.1:${place[name]} is in use by another program. Set ${
        name === 'port' ? 'GATEHOUSE_PORT' : 'GATEHOUSE_MANAGEMENT_PORT'
      } to another port.\n`,
    );
    expect(existsSync(place.dataDirectory)).toBe(false);
    await new Promise((resolve) => other.close(resolve));
  });

  test('for its folder says which file, and why, without a stack', async () => {
    // Not even root can create a folder below a file.
    const server = run(place, 'process/start', [], { GATEHOUSE_DATA_DIR: '/dev/null/data' });
    expect(await server.ended).toBe(1);
    expect(server.output.stderr).toMatch(/^Gatehouse: Can't mkdir \/dev\/null\/data\S*: .*\.\n$/);
  });

  test.each([
    ['EROFS', 'its file system is read-only'],
    ['ENOSPC', 'no space is left on the disk'],
    ['EACCES', 'permission denied'],
    ['EEXIST', 'it already exists'],
    ['ENOENT', 'it or a folder above it does not exist'],
    ['EISDIR', 'it is a folder'],
  ])('with %s is told in words', (code, words) => {
    const error = Object.assign(new Error(`${code}: open`), { code, syscall: 'open', path: '/data/owner.lock' });
    expect(operatorMessage(error)).toBe(`Can't open /data/owner.lock: ${words}.`);
  });
});
