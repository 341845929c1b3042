import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OrgId } from '../../src/kernel/ids.ts';
import { verifyOrg } from '../../src/system-log/index.ts';
import { openTestDatabase } from '../support/database.ts';
import { created, LogBench } from '../support/system-log.ts';

let database: Awaited<ReturnType<typeof openTestDatabase>>;
let bench: LogBench;
let orgId: OrgId;

beforeAll(async () => {
  database = await openTestDatabase();
  bench = new LogBench(database.pool);
});
afterAll(() => database.close());

beforeEach(async () => {
  orgId = await bench.newOrg();
  await bench.write(
    orgId,
    ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => created(id)),
  );
  await bench.drainAll();
});

const verify = (options = {}) => verifyOrg(bench.connections, orgId, { batchSize: 2, ...options });

const headOf = async (id: OrgId): Promise<{ position: number; hash: Buffer }> => {
  const [row] = await bench.query<{ position: string | number; hash: Buffer }>(
    'select position, hash from log_heads where org_id = $1',
    [id],
  );
  if (row === undefined) throw new Error('no head');
  return { position: Number(row.position), hash: row.hash };
};

test('an untouched log verifies, and so does one without events', async () => {
  const head = await headOf(orgId);
  expect(await verify()).toEqual({
    ok: true,
    start: 0,
    verified: 6,
    erased: 0,
    head: { position: 6, hash: head.hash.toString('hex') },
    fault: null,
  });
  orgId = await bench.newOrg();
  expect(await verify()).toMatchObject({ ok: true, verified: 0, head: { position: 0 } });
});

describe('names the first fault', () => {
  const at3 = 'where org_id = $1 and position = 3';

  test.each([
    ['one byte of a body altered', `update log_events set body = replace(body, 'New-York', 'New-Yorc') ${at3}`],
    ['a body and its digest altered', `update log_events set body = '{}', digest = sha256(salt || '{}') ${at3}`],
    ['a column altered', `update log_events set event_type = 'user.lifecycle.delete' ${at3}`],
    ['the actor hidden from searches', `update log_events set actor_id = 'nobody' ${at3}`],
    ['the salt removed', `update log_events set salt = null ${at3}`],
  ])('%s', async (_, statement) => {
    await bench.query(statement, [orgId]);
    expect(await verify()).toMatchObject({ ok: false, verified: 2, fault: { position: 3, kind: 'altered' } });
  });

  test('one row deleted', async () => {
    await bench.query(`delete from log_events ${at3}`, [orgId]);
    expect(await verify()).toMatchObject({ ok: false, fault: { position: 3, kind: 'missing' } });
  });

  test('two swapped', async () => {
    for (const [from, to] of [
      [3, 1_000],
      [4, 3],
      [1_000, 4],
    ]) {
      await bench.query('update log_events set position = $3 where org_id = $1 and position = $2', [orgId, from, to]);
    }
    expect(await verify()).toMatchObject({ ok: false, fault: { position: 3, kind: 'reordered' } });
  });

  test.each([2, 3, 6])('a row added beside position %i', async (position) => {
    const columns =
      'org_id, uuid, published, event_type, severity, actor_id, target_ids, transaction_id, ' +
      'tokens, salt, digest, hash, body';
    await bench.query(
      `insert into log_events (position, persisted_at, ${columns})
       select position, persisted_at + interval '1 ms', ${columns} from log_events where org_id = $1 and position = $2`,
      [orgId, position],
    );
    expect(await verify()).toMatchObject({ ok: false, fault: { position, kind: 'added' } });
  });

  test('a row added behind the head', async () => {
    await bench.query('update log_events set position = 7 where org_id = $1 and position = 6', [orgId]);
    expect(await verify()).toMatchObject({ ok: false, fault: { position: 6, kind: 'cut' } });
    await bench.query('update log_heads set position = 5 where org_id = $1', [orgId]);
    expect(await verify()).toMatchObject({ ok: false });
  });

  test('the tail cut', async () => {
    await bench.query('delete from log_events where org_id = $1 and position > 4', [orgId]);
    expect(await verify()).toMatchObject({ ok: false, fault: { position: 5, kind: 'cut' } });
  });

  test('the tail cut and the head moved back: only a checkpoint from outside tells', async () => {
    const checkpoint = await headOf(orgId);
    await bench.query('delete from log_events where org_id = $1 and position > 4', [orgId]);
    await bench.query(
      `update log_heads set position = 4, hash = (select hash from log_events where org_id = $1 and position = 4)
       where org_id = $1`,
      [orgId],
    );
    expect(await verify()).toMatchObject({ ok: true, verified: 4 });
    expect(await verify({ checkpoint })).toMatchObject({ ok: false, fault: { position: 5, kind: 'cut' } });
  });

  test('history written anew: the checkpoint names another event', async () => {
    const checkpoint = { position: 4, hash: Buffer.alloc(32, 1) };
    expect(await verify({ checkpoint })).toMatchObject({ ok: false, fault: { position: 4, kind: 'forked' } });
  });
});

test('an erased event is counted, not taken for altered', async () => {
  await bench.query(
    `update log_events set salt = null, body = '{}', tokens = '{}', erased_at = now()
       where org_id = $1 and position = 3`,
    [orgId],
  );
  expect(await verify()).toMatchObject({ ok: true, verified: 6, erased: 1 });
});

test('behind an anchor the chain goes on', async () => {
  await bench.query(
    `insert into log_anchors (org_id, position, hash, signed, created_at)
     select org_id, position, hash, '', now() from log_events where org_id = $1 and position = 4`,
    [orgId],
  );
  await bench.query('delete from log_events where org_id = $1 and position <= 4', [orgId]);
  expect(await verify()).toMatchObject({ ok: true, start: 4, verified: 2 });
  await bench.query('update log_anchors set hash = sha256(hash) where org_id = $1', [orgId]);
  expect(await verify()).toMatchObject({ ok: false, fault: { position: 5, kind: 'reordered' } });
});
