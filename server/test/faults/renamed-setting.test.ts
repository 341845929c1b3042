import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newPlace, type Place, type Program, runCommand, stopServer, whenReady } from '../support/server-process.ts';

const SERVER = fileURLToPath(new URL('../../', import.meta.url));
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

const WARNING =
  'GATEHOUSE_DRAIN_TIME is now GATEHOUSE_DRAIN_SECONDS: ' +
  'rename the variable before release 99.0.0, which refuses the old name';

async function renameInBuild(folder: string): Promise<void> {
  for (const name of ['migrations', 'package.json', 'word-lists'])
    await symlink(join(SERVER, name), join(folder, name));
  await symlink(MODULES, join(folder, 'node_modules'));
  await cp(join(SERVER, 'dist'), join(folder, 'dist'), { recursive: true, filter: (path) => !path.endsWith('.map') });
  const row = 'name: "GATEHOUSE_DRAIN_SECONDS",';
  const changed: string[] = [];
  for (const name of await readdir(join(folder, 'dist', 'chunks'))) {
    const path = join(folder, 'dist', 'chunks', name);
    const text = await readFile(path, 'utf8');
    if (!text.includes(row)) continue;
    await writeFile(path, text.replace(row, `${row} formerly: { name: "GATEHOUSE_DRAIN_TIME", until: "99.0.0" },`));
    changed.push(name);
  }
  expect(changed).toHaveLength(1);
}

describe('a setting that was renamed', () => {
  let place: Place;
  let server: Program;

  const run = (program: string, given: readonly string[], settings: Record<string, string>): Program =>
    runCommand(place, [process.execPath, join(place.directory, 'dist', `${program}.js`), ...given], settings);

  async function gatehouse(given: readonly string[], settings: Record<string, string>) {
    const program = run('cli/gatehouse', given, settings);
    return { code: await program.ended, ...program.output };
  }

  beforeAll(async () => {
    place = await newPlace();
    await renameInBuild(place.directory);
    server = await whenReady(run('main', [], { GATEHOUSE_DRAIN_TIME: '1', GATEHOUSE_WORKERS: '2' }));
  });
  afterAll(async () => {
    await stopServer(server);
    await place.remove();
  });

  const findingWith = async (settings: Record<string, string>): Promise<unknown> => {
    const { stdout } = await gatehouse(['doctor', '--json'], settings);
    return (JSON.parse(stdout) as { check: string }[]).find(({ check }) => check === 'Settings');
  };

  test('is set by its former name; the log says so once, whatever the number of workers', () => {
    const lines = server.output.stderr.split('\n').filter((line) => line.includes('GATEHOUSE_DRAIN_TIME'));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ level: 40, msg: WARNING }),
    ]);
  });

  test('is a warning of the doctor under its former name', async () => {
    expect(await findingWith({ GATEHOUSE_DRAIN_TIME: '1' })).toEqual({
      check: 'Settings',
      state: 'warn',
      detail: WARNING,
    });
    expect(await findingWith({ GATEHOUSE_DRAIN_SECONDS: '1' })).toMatchObject({ state: 'ok' });
  });

  test('is listed under its present name', async () => {
    const { code, stderr, stdout } = await gatehouse(['config', '--json'], { GATEHOUSE_DRAIN_TIME: '7' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({ name: 'GATEHOUSE_DRAIN_SECONDS', value: '7', source: 'environment' }),
    );
  });

  test.each([
    ['main', []],
    ['cli/gatehouse', ['config']],
  ])('is refused by %s where both names are set to different values', async (program, given) => {
    const refused = run(program, given, { GATEHOUSE_DRAIN_SECONDS: '7', GATEHOUSE_DRAIN_TIME: '8' });
    expect(await refused.ended).toBe(2);
    expect(refused.output.stderr).toContain(
      'GATEHOUSE_DRAIN_SECONDS and its former name GATEHOUSE_DRAIN_TIME are set to different values: ' +
        'remove GATEHOUSE_DRAIN_TIME',
    );
  });
});
