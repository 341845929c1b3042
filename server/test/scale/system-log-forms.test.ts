import { expect, test } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { renderThreadFile, verifyOrg } from '../../src/system-log/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';
import { created, LogBench, numbersTo, requestContext, targetIds } from '../support/system-log.ts';

const database = beforeTests(() => openTestDatabase());
const bench = beforeTests(() => new LogBench(database.pool));

const positionsOf = (orgId: OrgId): Promise<number[]> => bench.positions(orgId);

/** The forms in which events wait for the relay: inputs, or the rows that builds up to 0.3 wrote. */
const FORMS = ['inputs', 'rows'] as const;

test.each(FORMS)('a row the ledger refuses is set aside, and an event says so: %s', async (form) => {
  const orgId = await bench.newOrg();
  await bench.query(`alter table log_fresh add constraint poison_check check (transaction_id <> 'poison') not valid`);
  const context = requestContext(orgId, bench.clock.now());
  const write: typeof bench.write = (...given) =>
    form === 'inputs' ? bench.write(...given) : bench.writeRows(...given);
  await write(orgId, [created('00u1'), created('00u2')]);
  await write(orgId, [created('00upoison')], { ...context, requestId: 'poison' });
  await write(orgId, [created('00u3')]);
  const quarantined: string[] = [];
  await bench.drainAll(bench.relay({ onQuarantined: (_, reason) => quarantined.push(reason) }));
  await bench.query('alter table log_fresh drop constraint poison_check');

  const events = await bench.events(orgId);
  expect(events.map((event) => event['eventType'])).toEqual([
    'user.lifecycle.create',
    'user.lifecycle.create',
    'system.log.event.quarantine',
    'user.lifecycle.create',
  ]);
  expect(quarantined).toEqual([expect.stringContaining('poison_check')]);
  const kept = await bench.query<{ row: { body?: string; input?: string }; uuid: string }>(
    'select row, uuid from log_quarantine where org_id = $1',
    [orgId],
  );
  expect(kept).toHaveLength(1);
  expect(kept[0]?.row[form === 'inputs' ? 'input' : 'body']).toContain('00upoison');
  expect(targetIds(events)[2]).toBe(kept[0]?.uuid);
  expect(await verifyOrg(bench.connections, orgId)).toMatchObject({ ok: true, verified: 4 });
});

test('a relay that goes on late sets no other event aside than the one that failed', async () => {
  const orgId = await bench.newOrg();
  await bench.query(`alter table log_fresh add constraint poison_check check (transaction_id <> 'poison') not valid`);
  const poison = { ...requestContext(orgId, bench.clock.now()), requestId: 'poison' };
  await bench.write(orgId, [created('00upoison')], poison);
  const state = { hasFailed: false, isLate: false };
  const quarantined: string[] = [];
  const late = bench.relay({
    onQuarantined: (_, reason) => quarantined.push(reason),
    connections: {
      withConnection: async (use) => {
        // After a failed drain, the next connection is for setting the event aside.
        if (state.hasFailed) {
          state.isLate = true;
          await bench.drainAll();
          await bench.write(orgId, [created('00u2')]);
        }
        try {
          return await bench.connections.withConnection(use);
        } catch (error) {
          state.hasFailed = true;
          throw error;
        }
      },
    },
  });
  while (!state.isLate) {
    state.hasFailed = false;
    await late.drain();
  }
  await bench.drainAll();
  await bench.query('alter table log_fresh drop constraint poison_check');
  expect(quarantined).toEqual([]);
  expect((await bench.events(orgId)).map((event) => event['eventType'])).toEqual([
    'system.log.event.quarantine',
    'user.lifecycle.create',
  ]);
});

test('an input that cannot be rendered is set aside, and one of a later release waits', async () => {
  const [broken, later, here] = [await bench.newOrg(), await bench.newOrg(), await bench.newOrg()];
  await bench.write(broken, [created('00u1'), created('00u2'), created('00u3')]);
  await bench.query(`update log_inputs set input = replace(input, '"00u2"', 'null') where org_id = $1`, [broken]);
  await bench.write(later, [created('00u1')]);
  await bench.query('update log_inputs set format = 32767 where org_id = $1', [later]);
  await bench.write(here, [created('00u1')]);
  const relay = bench.relay();
  const errors: unknown[] = [];
  for (let drains = 0; drains < 40; drains += 1) await relay.drain().catch((error: unknown) => errors.push(error));
  expect((await bench.events(broken)).map((event) => event['eventType'])).toEqual([
    'user.lifecycle.create',
    'system.log.event.quarantine',
    'user.lifecycle.create',
  ]);
  expect(await verifyOrg(bench.connections, broken)).toMatchObject({ ok: true, verified: 3 });
  expect(await positionsOf(here)).toEqual([1]);
  expect(await positionsOf(later)).toEqual([]);
  expect(errors[0]).toMatchObject({ message: expect.stringContaining('newer version') as string });
  await bench.query('update log_inputs set format = 1 where org_id = $1', [later]);
  await bench.drainAll();
  expect(await positionsOf(later)).toEqual([1]);
});

test('old and new forms keep their order, and the thread renders as the relay itself', async () => {
  const orgId = await bench.newOrg();
  const ids = numbersTo(240).map((number) => `00u${number}`);
  for (const [index, id] of ids.entries()) {
    await (index % 80 < 40 ? bench.write(orgId, [created(id)]) : bench.writeRows(orgId, [created(id)]));
  }
  const file = renderThreadFile();
  expect(file).not.toBeNull();
  const errors: unknown[] = [];
  const relay = bench.relay({ renderThreadFile: file, onError: (error) => errors.push(error) });
  // One drain takes the waiting events of both forms.
  expect(await relay.drain()).toMatchObject({ events: 240 });
  await relay.stop();
  expect(errors).toEqual([]);
  expect(targetIds(await bench.events(orgId, { limit: '1000' }))).toEqual(ids);
  expect(await verifyOrg(bench.connections, orgId)).toMatchObject({ ok: true, verified: 240 });
});
