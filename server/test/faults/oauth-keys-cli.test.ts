import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { createTestClient, type TestClient } from '../support/client.ts';
import { gatehouse, newPlace, type Program, run, runServer, stopServer } from '../support/server-process.ts';

const place = beforeTests(() => newPlace());
let server: Program | null = null;
let client: TestClient & { close(): void };

beforeAll(async () => {
  server = await runServer(place);
  const written = await readFile(join(place.dataDirectory, 'bootstrap.json'), 'utf8');
  const { caFile } = JSON.parse(written) as { caFile: string };
  client = createTestClient({ port: place.port, hostname: 'localhost', ca: await readFile(caFile, 'utf8') });
});
afterAll(async () => {
  client.close();
  if (server !== null) await stopServer(server);
  await place.remove();
});

const publishedKids = async (): Promise<string[]> =>
  (await client.get('/oauth2/v1/keys')).body.keys.map(({ kid }: { kid: string }) => kid);

async function listed(): Promise<{ kid: string; state: string; acceptedUntil: string | null }[]> {
  const { code, stdout, stderr } = await gatehouse(place, 'keys', 'list', '--json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Awaited<ReturnType<typeof listed>>;
}

const untilPublished = (kids: readonly string[]) => expect.poll(publishedKids, { interval: 100 }).toEqual(kids);

describe('gatehouse keys', () => {
  test('rotate publishes a key that signs a day later, --now lets it sign; list shows which is which', async () => {
    const [first = ''] = await publishedKids();
    expect(await listed()).toMatchObject([{ kid: first, state: 'signing', acceptedUntil: null }]);

    const rotated = await gatehouse(place, 'keys', 'rotate');
    expect(rotated.code, rotated.stderr).toBe(0);
    const [second = ''] = rotated.stdout.split(' ');
    expect(rotated.stdout).toMatch(/^[\w-]{43} is published and signs from \S+Z\.\n$/);
    await untilPublished([second, first]);
    expect(await listed()).toMatchObject([
      { kid: second, state: 'waiting', acceptedUntil: null },
      { kid: first, state: 'signing', acceptedUntil: expect.any(String) as string },
    ]);

    expect(await gatehouse(place, 'keys', 'rotate', '--now')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(second) as string,
    });
    await expect
      .poll(async () => (await listed()).map(({ kid, state }) => [kid, state]), { interval: 100 })
      .toEqual([
        [second, 'signing'],
        [first, 'former'],
      ]);
  });

  test('rekey changes the master key: servers of both go on, and the old one is of no use behind it', async () => {
    const [own, old] = [join(place.dataDirectory, 'master.key'), join(place.dataDirectory, 'old.key')];
    const both = { GATEHOUSE_MASTER_KEY_PREVIOUS: old };
    const command = async (settings: Record<string, string>, ...given: string[]) => {
      const program = run(place, 'cli/gatehouse', given, settings);
      return { code: await program.ended, ...program.output };
    };
    const kids = await publishedKids();
    expect(await command({}, 'keys', 'rekey')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('GATEHOUSE_MASTER_KEY_PREVIOUS is not set') as string,
    });
    if (server !== null) await stopServer(server);
    await rename(own, old);
    server = await runServer(place, both);
    const wrong = Buffer.alloc(32, 5).toString('base64');
    expect(await command({ GATEHOUSE_MASTER_KEY_PREVIOUS: wrong }, 'keys', 'rekey')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/is not the one this database was made with/) as string,
    });
    const doctor = await command(both, 'doctor');
    expect(doctor.stdout).toMatch(/values are still sealed with the old key: gatehouse keys rekey/);
    const done = await command(both, 'keys', 'rekey');
    expect(done.code, done.stderr).toBe(0);
    expect(done.stdout).toMatch(/^[1-9]\d* values were sealed with the new key\.\nNothing is sealed with the old key/);
    expect(await publishedKids()).toEqual(kids);
    expect((await command({}, 'keys', 'rotate', '--now')).code).toBe(0);
  });

  test('of an org that there is not is refused', async () => {
    expect(await gatehouse(place, 'keys', 'rotate', '--org', 'nobody')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no org "nobody"') as string,
    });
  });
});
