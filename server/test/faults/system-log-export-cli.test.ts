import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { openLogCommandLine, until } from '../support/log-command-line.ts';
import { run } from '../support/server-process.ts';

// This file tests `gatehouse log export` as an operator runs it: to a file or through a pipe, in a process that may be
// killed.
const cli = beforeTests(() => openLogCommandLine());

const EVENTS = 8_000;

beforeAll(async () => {
  for (let index = 0; index < EVENTS; index += 500) {
    await cli.write(Array.from({ length: 500 }, (_, number) => `u${index + number}`));
  }
  await cli.drained();
});

const file = (name: string): string => join(cli.place.directory, name);

/** Each command is a separate process, which starts slowly on busy cores. */
const PATIENCE = 180_000;

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

interface State {
  readonly complete: boolean;
  readonly bytes: number;
}

/** Returns null if the export was complete before the kill. */
async function killedExport(path: string, range: readonly string[]): Promise<State | null> {
  await Promise.all([path, `${path}.state`].map((one) => rm(one, { force: true })));
  const program = run(cli.place, 'cli/gatehouse', ['log', 'export', ...range, '--output', path]);
  await until(async () => ((await sizeOf(path)) > 100_000 || program.process.exitCode !== null ? true : null));
  program.process.kill('SIGKILL');
  await program.ended;
  const state = JSON.parse(await readFile(`${path}.state`, 'utf8')) as State;
  return state.complete ? null : state;
}

describe('export', () => {
  test(
    'that was killed and resumed is byte for byte the same as one that was not',
    async () => {
      const range = ['--to-position', String(EVENTS), '--proof'];
      const [whole, killed] = [file('whole'), file('killed')];
      expect(await cli.log('export', ...range, '--output', whole)).toMatchObject({ code: 0, stdout: '' });
      const state = await until(() => killedExport(killed, range));
      expect(await sizeOf(killed)).toBeGreaterThan(state.bytes);
      const other = await cli.log('export', '--resume', '--output', killed, '--to-position', '5');
      expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('toPosition 8000') as string });
      expect(await cli.log('export', '--resume', '--output', killed)).toMatchObject({ code: 0, stdout: '' });
      expect((await readFile(killed)).equals(await readFile(whole))).toBe(true);
      expect(await cli.log('verify', '--file', killed, '--json')).toMatchObject({ code: 0 });
      const stderr = `acme: ${killed} is complete: ${EVENTS} events.\n`;
      expect(await cli.log('export', '--resume', '--output', killed)).toMatchObject({ code: 0, stderr });
      for (const path of [killed, `${killed}.state`]) expect((await stat(path)).mode & 0o777).toBe(0o600);
      const again = await cli.log('export', ...range, '--output', killed);
      expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('already exists') as string });
    },
    PATIENCE,
  );

  test(
    'is not resumed on a log that is another one than the file was written from',
    async () => {
      const path = file('killed');
      const state = JSON.parse(await readFile(`${path}.state`, 'utf8')) as State;
      await writeFile(`${path}.state`, JSON.stringify({ ...state, complete: false, hash: 'x' }));
      const refused = await cli.log('export', '--resume', '--output', path);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('a different event') as string });
    },
    PATIENCE,
  );

  test(
    'is what the ledger holds, through a pipe too',
    async () => {
      const { code, stdout } = await cli.log('export', '--to-position', '3000');
      expect(code).toBe(0);
      expect(stdout.split('\n').slice(0, -1)).toEqual((await cli.bodies()).slice(0, 3_000));
    },
    PATIENCE,
  );

  test('is an event of the log, with who, what and how much', async () => {
    await cli.drained();
    const filter = encodeURIComponent('eventType eq "system.log.export"');
    const { body } = await cli.client.get(`/api/v1/logs?filter=${filter}&sortOrder=DESCENDING&limit=2`);
    const facts = { firstPosition: '1', lastPosition: '3000', format: 'ndjson' };
    expect(body).toMatchObject([
      {
        eventType: 'system.log.export',
        actor: { id: 'gatehouse-cli', type: 'SystemPrincipal' },
        debugContext: { debugData: { ...facts, phase: 'completed', events: '3000' } },
      },
      { debugContext: { debugData: { ...facts, phase: 'started', operator: expect.any(String) as string } } },
    ]);
  });

  test(
    'ends quietly when its reader has gone, and the log says how many events were handed out',
    async () => {
      const piped = await cli.pipe('gatehouse log export | head -n 2 | wc -l');
      expect(piped).toEqual({ code: 0, stdout: '2\n', stderr: '' });
      await cli.drained();
      const filter = encodeURIComponent('eventType eq "system.log.export"');
      const { body } = await cli.client.get(`/api/v1/logs?filter=${filter}&sortOrder=DESCENDING&limit=1`);
      const debugData = { phase: 'abandoned', events: expect.stringMatching(/^[1-9]\d*$/) as string };
      expect(body).toMatchObject([{ debugContext: { debugData } }]);
    },
    PATIENCE,
  );

  test(
    'of nothing that can be exported is refused with exit code 1',
    async () => {
      for (const given of [
        ['--filter', 'nonsense'],
        ['--output', '/nowhere/at/all'],
        ['--org', 'nobody'],
      ]) {
        const refused = await cli.log('export', ...given);
        expect(refused).toMatchObject({ code: 1, stdout: '' });
        expect(refused.stderr).toContain(given[1]);
      }
    },
    PATIENCE,
  );
});
