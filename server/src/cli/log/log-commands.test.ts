import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ExportFile, type ExportState, readState, statePath } from './export-file.ts';
import { checkpointOption, linesOf, openCheckpoints, readKeyFile } from './log-arguments.ts';
import { addLogCommands } from './log-commands.ts';
import { eventLine } from './log-tail.ts';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gatehouse-log-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Runs a command that fails because of its arguments, before it connects to a database. Returns its error output. */
async function usageError(...given: string[]): Promise<string> {
  let said = '';
  const program = new Command('gatehouse').exitOverride().configureOutput({
    writeErr: (text) => {
      said += text;
    },
  });
  addLogCommands(program);
  const log = program.commands[0];
  for (const command of log?.commands ?? []) {
    command.exitOverride().configureOutput({
      writeErr: (text) => {
        said += text;
      },
    });
  }
  const error: unknown = await program
    .parseAsync(['node', 'gatehouse', 'log', ...given])
    .catch((thrown: unknown) => thrown);
  if (!(error instanceof CommanderError)) throw error;
  return said;
}

test.each([
  [['export', '--since', '2026-01-01', '--from-position', '3'], 'either by time or by position'],
  [['export', '--proof', '--format', 'csv'], '--proof'],
  [['export', '--resume'], '--output'],
  [['export', '--format', 'xml'], 'ndjson'],
  [['export', '--since', 'yesterday'], 'date-time'],
  [['export', '--from-position', '0'], 'from 1'],
  [['verify', '--file', 'a', '--org', 'b'], '--org'],
  [['verify', '--file', 'a', '--checkpoint', 'b'], '--jwks'],
  [['tail', '-n', 'many'], 'from 0'],
  [['tail', '-n', '10001'], '10000'],
  [['checkpoints', '--limit', '0'], 'from 1'],
])('%j is wrong usage', async (given, part) => {
  expect(await usageError(...given)).toContain(part);
});

describe('a checkpoint', () => {
  test('is a place in hex or base64url, or else a file', async () => {
    const hash = Buffer.alloc(32, 250);
    for (const text of [`7:${hash.toString('hex')}`, `7:${hash.toString('base64url')}`]) {
      expect(checkpointOption(text, undefined)).toEqual([{ position: 7, hash, source: text }]);
      expect(checkpointOption('kept.json', [{ file: 'a' }])).toEqual([{ file: 'a' }, { file: 'kept.json' }]);
    }
    await expect(openCheckpoints([{ file: join(directory, 'none') }], new Map(), null)).rejects.toThrow(
      "can't be read",
    );
  });

  test.each([
    ['{}'],
    ['[]'],
    ['{"keys":[]}'],
    ['{"keys":[{"kty":"EC","kid":"a"}]}'],
    ['{"keys":[{"kty":"RSA","kid":"a"}]}'],
    ['no'],
  ])('of the keys %s none is checked', async (text) => {
    const path = join(directory, 'keys.json');
    await writeFile(path, text);
    await expect(readKeyFile(path)).rejects.toThrow('is not a JSON Web Key Set');
  });
});

test('only a line feed ends a line, wherever chunks of the file end', async () => {
  const path = join(directory, 'lines');
  const lines = ['a\u2028b', '', 'c\rd', 'é'.repeat(200_000), 'x'.repeat(262_143), 'last'];
  for (const end of ['\n', '']) {
    await writeFile(path, lines.join('\n') + end);
    const read: string[] = [];
    for await (const line of linesOf(path)) read.push(line);
    expect(read).toEqual(lines);
  }
});

describe('the file of an export', () => {
  const STATE: Omit<ExportState, 'bytes'> = {
    version: 1,
    org: '00o',
    request: { format: 'ndjson' },
    plan: { start: { position: 0, hash: 'a' }, to: 9, checkpoint: null },
    position: 3,
    hash: 'b',
    events: 3,
    complete: false,
  };

  test('goes on where its state left off, whatever was written behind that', async () => {
    const path = join(directory, 'export');
    const file = await ExportFile.create(path);
    await file.write('one\n');
    await file.write('zwölf\n');
    await file.save(STATE, true);
    await file.write('lost, as far as the state knows');
    await file.close();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const state = await readState(path);
    expect(state).toEqual({ ...STATE, bytes: 11 });
    const resumed = await ExportFile.resume(path, state.bytes);
    await resumed.write('three\n');
    await resumed.save({ ...STATE, position: 4 }, false);
    await resumed.close();
    expect(await readFile(path, 'utf8')).toBe('one\nzwölf\nthree\n');
    expect(await readState(path)).toMatchObject({ position: 4, bytes: 17 });
    await expect(ExportFile.create(path)).rejects.toThrow('already exists');
    await expect(ExportFile.resume(path, 100)).rejects.toThrow('has been changed since');
    await writeFile(statePath(path), '{"version":2}');
    await expect(readState(path)).rejects.toThrow('is not a state file');
    await expect(readState(join(directory, 'none'))).rejects.toThrow('nothing to resume');
  });
});

test('an event is one line that moves no cursor, whatever it says and lacks', () => {
  const event = {
    published: '2026-11-20T12:00:00.000Z',
    severity: 'WARN',
    eventType: 'user.session.start',
    actor: { id: '00u', alternateId: 'a\u001b[31m\u009b\u202e\nb' },
    target: [{ type: 'User', id: '00u2', alternateId: null, displayName: 'Ada' }, { type: 'App' }],
    outcome: { result: 'FAILURE', reason: 'LOCKED_OUT' },
  };
  expect(eventLine(JSON.stringify(event))).toBe(
    '2026-11-20T12:00:00.000Z  WARN   user.session.start  a?[31m?? b  ->  User:Ada +1  FAILURE (LOCKED_OUT)',
  );
  expect(eventLine('{}')).toBe('-  -      -  -  ->  -  -');
});
