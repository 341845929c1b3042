import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { FAILOVER_PACKAGES } from '../../../tools/failover/packages.ts';
import { HAPROXY } from '../../../tools/nodes/haproxy.ts';
import { ensureBuild } from '../support/build.ts';
import { hasPackages } from '../support/debian-packages.ts';
import { openSmallDisk } from '../support/small-disk.ts';

// This file tests fault F34 (docs/faults.md) with three blows. `tools/failover-test.ts` has all of them.

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * The program runs in a network namespace of its own, in which it makes those of its machines. A browser on this
 * machine, which another test may have started, would otherwise end its requests, because the network has changed.
 */
const APART = ['--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'] as const;

function hasMachines(): boolean {
  if (!hasPackages('Patroni', { ...FAILOVER_PACKAGES, [HAPROXY]: 'haproxy' })) return false;
  const disk = openSmallDisk('1m');
  disk?.remove();
  if (disk !== null && spawnSync('unshare', [...APART, 'true']).status === 0) return true;
  console.warn('Patroni is not tested, because this process cannot make network namespaces and disks.');
  return false;
}

interface Figures {
  readonly rounds?: number;
  readonly acknowledged?: number;
  readonly faults?: number;
}

/** Runs the program, and returns its exit code, its output and the sums that it leaves in `folder`. */
async function strike(blows: readonly string[], folder: string) {
  const sums = join(folder, 'sums.json');
  const program = [join(ROOT, 'node_modules', 'tsx', 'dist', 'cli.mjs'), join(ROOT, 'tools', 'failover-test.ts')];
  const options = ['--built', '--writers', '4', '--balancer', 'haproxy', '--database', 'haproxy'];
  const args = [...program, ...options, '--blows', blows.join(','), '--sums', sums];
  const child = spawn('unshare', [...APART, process.execPath, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
  const [code] = await once(child, 'close');
  const figures = JSON.parse(await readFile(sums, 'utf8').catch(() => '{}')) as Figures;
  return { code: Number(code), output, figures };
}

test.skipIf(!hasMachines())(
  'a failover under load loses, doubles and moves nothing',
  async () => {
    await ensureBuild();
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-patroni-'));
    try {
      const { code, figures, output } = await strike(['killPostgres', 'cutPrimaryFromStandby', 'killNode'], folder);
      expect({ code, figures }, output).toMatchObject({ code: 0, figures: { rounds: 3, faults: 0 } });
      expect(figures.acknowledged).toBeGreaterThan(300);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  600_000,
);
