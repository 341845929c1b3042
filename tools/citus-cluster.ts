// `npx tsx tools/citus-cluster.ts [--workers 2] [--port 6400] -- npx vitest run --project http` starts a Citus cluster
// of PostgreSQL 15 and runs a command with its address in GATEHOUSE_TEST_DATABASE_URL. The exit code is that of the
// command. Citus must be installed (docs/operate/citus.md).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { CITUS_LIBRARY, startCitusCluster } from './citus/cluster.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    workers: { type: 'string', default: '2' },
    port: { type: 'string', default: '6400' },
  },
});
const [command, ...given] = positionals;
if (command === undefined) throw new Error('no command was given');
if (!existsSync(CITUS_LIBRARY)) throw new Error(`${CITUS_LIBRARY} is missing: install Citus (docs/operate/citus.md)`);

const cluster = await startCitusCluster({
  parent: existsSync('/dev/shm') ? '/dev/shm' : tmpdir(),
  workers: Number(values.workers),
  port: Number(values.port),
});
try {
  const environment = { ...process.env, GATEHOUSE_TEST_DATABASE_URL: cluster.url };
  const child = spawn(command, given, { stdio: 'inherit', env: environment });
  const [code] = await once(child, 'exit');
  process.exitCode = typeof code === 'number' ? code : 1;
} finally {
  await cluster.stop();
}
