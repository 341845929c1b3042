import { expect, test } from 'vitest';
import { INSTALLATION } from '../../src/platform/jobs/index.ts';
import { verifyOrg } from '../../src/system-log/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';
import { switchLog } from '../support/log-switch.ts';
import { onDay } from '../support/sealing-bench.ts';
import { startTestService } from '../support/service.ts';
import { created, LogBench, numbersTo, testClock } from '../support/system-log.ts';

const database = beforeTests(() => openTestDatabase({ isSwitched: false }));

test('a service seals the days that are over, once every process can read segments', async () => {
  // The events are written before the service starts, because its relay would append them today.
  const bench = new LogBench(database.pool, testClock(onDay(3, 60)));
  const orgId = await bench.newOrg();
  await bench.write(
    orgId,
    numbersTo(5).map((number) => created(`00u${number}`)),
  );
  await bench.drainAll();
  const service = await startTestService({ database });
  try {
    const { application } = service;
    const job = application.jobs.kinds['log.sealing'];
    const run = () =>
      job?.run({
        orgId: INSTALLATION,
        id: 1,
        kind: 'log.sealing',
        payload: {},
        attempt: 1,
        signal: new AbortController().signal,
        isHeld: () => true,
      });
    const segments = () =>
      bench.query(
        'select first_position::integer as first, last_position::integer as last from log_segments where org_id = $1',
        [orgId],
      );
    await application.nodes.beat();
    expect(job).toBeDefined();
    await run();
    expect(await segments()).toHaveLength(0);
    expect(await switchLog(database)).toBe(true);
    await application.nodes.beat();
    await expect
      .poll(async () => {
        await run();
        return (await segments()).length;
      })
      .toBe(1);
    expect(await segments()).toEqual([{ first: 1, last: 5 }]);
    expect(await verifyOrg(bench.connections, orgId)).toMatchObject({ ok: true });
  } finally {
    await service.close();
  }
});
