import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { ownerOf } from '../../src/platform/postgres/embedded/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { createTestClient, type TestClient } from '../support/client.ts';
import { newPlace, type Program, run, runServer, stopServer } from '../support/server-process.ts';

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a server that is looked after', () => {
  const place = beforeTests(() => newPlace());
  let server: Program | null = null;

  /** Returns the id of the process that owns the data folder, or 0 if there is none. */
  const serving = async (): Promise<number> => (await ownerOf(place.dataDirectory)) ?? 0;

  const started = async (): Promise<Program> => {
    server = await runServer(place, {}, [], 'process/start');
    return server;
  };

  const clientOf = async (): Promise<TestClient & { close(): void }> => {
    const text = await readFile(join(place.dataDirectory, 'bootstrap.json'), 'utf8');
    const { apiToken, caFile } = JSON.parse(text) as { apiToken: string; caFile: string };
    const ca = await readFile(caFile, 'utf8');
    return createTestClient({
      port: place.port,
      hostname: 'localhost',
      ca,
      headers: { authorization: `SSWS ${apiToken}` },
    });
  };
  afterEach(async () => {
    if (server !== null) await stopServer(server);
    server = null;
  });
  afterAll(() => place.remove());

  test('is started again when it dies, however often, and has lost nothing', async () => {
    const { output, process: above } = await started();
    const first = await clientOf();
    const profile = { firstName: 'Ada', lastName: 'L', login: 'ada@example.com', email: 'ada@example.com' };
    expect((await first.post('/api/v1/users?activate=false', { body: { profile } })).status).toBe(200);
    first.close();
    // A process whose heap is full ends with SIGABRT.
    for (const [count, signal] of (['SIGKILL', 'SIGABRT'] as const).entries()) {
      const pid = await serving();
      expect(pid).not.toBe(above.pid);
      process.kill(pid, signal);
      await expect.poll(() => output.stdout.split('Gatehouse is ready').length).toBe(count + 3);
      expect(isAlive(pid)).toBe(false);
      expect(output.stderr).toContain(`"servingPid":${pid},"code":null,"signal":"${signal}"`);
    }
    const again = await clientOf();
    expect(await again.get('/api/v1/users/ada@example.com')).toMatchObject({ status: 200, body: { profile } });
    again.close();
    const last = await serving();
    above.kill('SIGTERM');
    expect(await server?.ended).toBe(0);
    expect(isAlive(last)).toBe(false);
    expect(existsSync(join(place.dataDirectory, 'postgres', 'postmaster.pid'))).toBe(false);
  });

  test('a stop that is told to all its processes, and twice, is one stop', async () => {
    const { output, process: above, ended } = await started();
    const pid = await serving();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.kill(pid, signal);
      above.kill(signal);
    }
    expect(await ended).toBe(0);
    expect(output.stderr).not.toContain('started again');
    expect(existsSync(join(place.dataDirectory, 'postgres', 'postmaster.pid'))).toBe(false);
  });

  test('a stop of the serving process alone is the end of both', async () => {
    const { ended } = await started();
    process.kill(await serving(), 'SIGTERM');
    expect(await ended).toBe(0);
  });

  test('does not go on alone when what looks after it is killed', async () => {
    const { process: above, ended } = await started();
    const pid = await serving();
    above.kill('SIGKILL');
    expect(await ended).toBe('SIGKILL');
    await expect.poll(() => isAlive(pid)).toBe(false);
    // The next start can use the data folder and the ports immediately.
    await started();
  });

  test('a start that is refused is refused once', async () => {
    const misspelt = run(place, 'process/start', [], { GATEHOUSE_PORTT: '1' });
    expect(await misspelt.ended).toBe(2);
    expect(misspelt.output.stderr.split('GATEHOUSE_PORTT')).toHaveLength(2);
    await started();
    const second = run(place, 'process/start', [], { GATEHOUSE_PORT: '1', GATEHOUSE_MANAGEMENT_PORT: '2' });
    expect(await second.ended).toBe(1);
    expect(second.output.stderr).toContain(`pid ${await serving()}`);
    expect(second.output.stderr).not.toContain('started again');
  });
});
