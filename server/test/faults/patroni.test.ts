import { expect, test } from 'vitest';
import { FROM_BUILD } from '../../../tools/crash/service-process.ts';
import { openNetwork } from '../../../tools/failover/network.ts';
import { FAILOVER_PACKAGES } from '../../../tools/failover/packages.ts';
import { runFailovers } from '../../../tools/failover/rounds.ts';
import { HAPROXY } from '../../../tools/nodes/haproxy.ts';
import { ensureBuild } from '../support/build.ts';
import { hasPackages } from '../support/debian-packages.ts';
import { openSmallDisk } from '../support/small-disk.ts';

// This file tests fault F34 (docs/faults.md) with three blows. `tools/failover-test.ts` has all of them.

/** Makes a network namespace and mounts a disk, which root may do outside of most containers. */
function tryMachines(): void {
  const network = openNetwork();
  try {
    network.machine('try');
  } finally {
    network.close();
  }
  const disk = openSmallDisk('1m');
  if (disk === null) throw new Error('no disk can be mounted');
  disk.remove();
}

function hasMachines(): boolean {
  if (!hasPackages('Patroni', { ...FAILOVER_PACKAGES, [HAPROXY]: 'haproxy' })) return false;
  try {
    tryMachines();
    return true;
  } catch (error) {
    console.warn('Patroni is not tested, because this process cannot make network namespaces and disks:', error);
    return false;
  }
}

test.skipIf(!hasMachines())(
  'a failover under load loses, doubles and moves nothing',
  async () => {
    await ensureBuild();
    const lines: string[] = [];
    const rounds = await runFailovers({
      launch: FROM_BUILD,
      blows: ['killPostgres', 'cutPrimaryFromStandby', 'killNode'],
      writers: 4,
      balancer: 'haproxy',
      database: 'haproxy',
      print: (line) => void lines.push(line),
    });
    expect(
      rounds.flatMap(({ faults }) => faults),
      lines.join('\n'),
    ).toEqual([]);
    expect(rounds).toHaveLength(3);
    for (const { acknowledged } of rounds) expect(acknowledged).toBeGreaterThan(100);
  },
  600_000,
);
