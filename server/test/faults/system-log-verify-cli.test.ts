import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { openLogCommandLine, until } from '../support/log-command-line.ts';

const cli = beforeTests(() => openLogCommandLine());

// Each command is a separate process, which starts slowly on busy cores.
vi.setConfig({ testTimeout: 180_000 });

beforeAll(async () => {
  await cli.write(Array.from({ length: 100 }, (_, number) => `u${number}`));
  await cli.drained();
});

const file = (name: string): string => join(cli.place.directory, name);

test.each([
  ['verify', ['verify']],
  ['tail', ['tail']],
  ['export', ['export']],
])('%s asks for the migration that it needs', async (_, given) => {
  const gone = await cli.pool.query('delete from schema_migrations where version = 50 returning *');
  const [row = {}] = gone.rows as Record<string, unknown>[];
  const { code, stderr } = await cli.log(...given);
  const restore = 'insert into schema_migrations select * from json_populate_record(null::schema_migrations, $1)';
  await cli.pool.query(restore, [JSON.stringify(row)]);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/without 50, but this command needs it\. Start this release, or run .*migrate/);
});

describe('verify', () => {
  test('knows an altered file, names the event, and its exit code says so', async () => {
    const path = file('altered');
    await cli.log('export', '--to-position', '20', '--proof', '--output', path);
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('New-York', 'New-Yorc'));
    const { code, stderr, stdout } = await cli.log('verify', '--file', path, '--json');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    const [line = ''] = text.split('\n').filter((one) => one.includes('New-York'));
    const { event, position } = JSON.parse(line) as { event: { uuid: string }; position: number };
    expect(JSON.parse(stdout)).toMatchObject([{ result: 'altered', position, uuid: event.uuid }]);
  });

  test('says when a file that agrees with itself is proved by nothing', async () => {
    const path = file('unproved');
    await cli.log('export', '--to-position', '20', '--proof', '--output', path);
    expect(await cli.log('verify', '--file', path)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('no checkpoint covers it') as string,
    });
    const { rows } = await cli.pool.query<{ hash: Buffer }>(
      'select hash from log_unsealed where org_id = $1 and position = 20',
      [cli.orgId],
    );
    const noted = `20:${rows[0]?.hash.toString('hex') ?? ''}`;
    const proved = await cli.log('verify', '--file', path, '--checkpoint', noted, '--json');
    expect(proved).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(proved.stdout)).toMatchObject([{ result: 'intact', verified: 20, provedTo: 20 }]);
  });

  test('takes checkpoints of the API and keys kept elsewhere, for the log and for a file', async () => {
    await cli.pool.query('update orgs set created_at = created_at - interval $$1 hour$$');
    await cli.pool.query(`update jobs set run_at = now() where kind = 'systemLog.checkpoints'`);
    const answer = await until(async () => {
      const { body } = await cli.client.get('/api/v1/logs/checkpoints');
      return body.length > 0 ? body : null;
    });
    const position: number = answer[0].position;
    const checkpoints = file('checkpoints.json');
    await writeFile(checkpoints, JSON.stringify(answer));
    const { stdout: keys } = await cli.log('keys', '--org', 'acme');
    const jwks = file('keys.json');
    await writeFile(jwks, keys);
    expect(JSON.parse(keys)).toMatchObject((await cli.client.get('/oauth2/v1/keys')).body);
    expect(JSON.parse((await cli.log('checkpoints')).stdout)).toEqual(answer);

    const given = ['--checkpoint', checkpoints, '--jwks', jwks];
    const whole = await cli.log('verify', '--org', 'acme', ...given, '--json');
    expect(whole).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(whole.stdout)).toMatchObject([{ org: 'acme', result: 'intact', checkpoints: 2 }]);

    const path = file('proved');
    await cli.log('export', '--proof', '--output', path);
    const proved = await cli.log('verify', '--file', path, ...given, '--json');
    expect(JSON.parse(proved.stdout)).toMatchObject([{ result: 'intact', checkpoints: 2, provedTo: position }]);

    const forged = file('forged.json');
    const [{ jws }] = answer;
    await writeFile(forged, `${jws.slice(0, -6)}AAAAAA\n`);
    const refused = await cli.log('verify', '--org', 'acme', '--checkpoint', forged);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('forged.json:1 has a signature that does not hold');
  });
});
