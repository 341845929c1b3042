import { describe, expect, test, vi } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { openLogCommandLine, until } from '../support/log-command-line.ts';
import { run } from '../support/server-process.ts';

// This file tests `gatehouse log tail` as a separate process, which a signal or a closed pipe may end.
const cli = beforeTests(() => openLogCommandLine());

// Each command is a separate process, which starts slowly on busy cores.
vi.setConfig({ testTimeout: 180_000 });

describe('tail', () => {
  test('shows the newest, a line each for people', async () => {
    await cli.write(['shown']);
    await cli.drained();
    const { code, stderr, stdout } = await cli.log('tail', '-n', '1', '--filter', 'target.id eq "shown"');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^\d{4}-\S+Z {2}INFO {3}user\.lifecycle\.create {2}ada@example\.com {2}-> {2}User:shown@\S+ {2}SUCCESS\n$/,
    );
  });

  test('never moves the cursor of a terminal', async () => {
    await cli.write(['\u001b[31mred\u009b']);
    await cli.drained();
    const { stdout } = await cli.log('tail', '-n', '1');
    expect(stdout).toContain('?[31mred?');
    expect(stdout).not.toContain('\u001b');
    expect(stdout).not.toContain('\u009b');
  });

  test('--json has them as they are stored', async () => {
    const { stdout } = await cli.log('tail', '-n', '3', '--json');
    expect(stdout.split('\n').slice(0, -1)).toEqual((await cli.bodies()).slice(-3));
  });

  test('-f follows with a filter, and ends cleanly when it is interrupted', async () => {
    const program = run(cli.place, 'cli/gatehouse', [
      'log',
      'tail',
      '-f',
      '-n',
      '1',
      '--json',
      '--filter',
      'target.id sw "followed"',
    ]);
    await cli.write(['followed-0']);
    const lines = () => program.output.stdout.split('\n').slice(0, -1);
    await until(async () => (lines().length >= 1 ? true : null));
    for (let round = 1; round <= 3; round += 1) {
      await cli.write([`followed-${round}`, `other-${round}`]);
      await until(async () => (lines().length >= round + 1 ? true : null));
    }
    program.process.kill('SIGINT');
    expect(await program.ended).toBe(0);
    const ids = lines().map((line) => (JSON.parse(line) as { target: { id: string }[] }).target[0]?.id);
    expect({ ids, stderr: program.output.stderr }).toEqual({
      ids: ['followed-0', 'followed-1', 'followed-2', 'followed-3'],
      stderr: '',
    });
  });

  test('-f ends when its reader has gone', async () => {
    let isOver = false;
    const ended = cli.pipe('gatehouse log tail -f -n 5 | head -n 2 | wc -l').finally(() => {
      isOver = true;
    });
    // The command notices the closed pipe when it writes the next event.
    await until(async () => {
      await cli.write(['more']);
      return isOver ? true : null;
    });
    expect(await ended).toEqual({ code: 0, stdout: '2\n', stderr: '' });
  });
});
