import { beforeEach, describe, expect, test } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { verifyOrg } from '../../src/system-log/index.ts';
import { chainHash } from '../../src/system-log/rendering/digest.ts';
import { searchTermsOf } from '../../src/system-log/rendering/terms/search-terms.ts';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';
import { created, LogBench } from '../support/system-log.ts';

// F26 (docs/faults.md): an attacker manipulates the ledger in the database. The tests check what verification reports.
const database = beforeTests(() => openTestDatabase({ isSwitched: false }));
const bench = beforeTests(() => new LogBench(database.pool));
let orgId: OrgId;

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

const checkpoint = (place: { position: number; hash: Buffer }) => ({
  checkpoints: [{ ...place, source: 'from outside' }],
});

const uuidAt = async (position: number): Promise<string | undefined> => {
  const [row] = await bench.query<{ uuid: string }>(
    'select uuid from log_events where org_id = $1 and position = $2 order by persisted_at limit 1',
    [orgId, position],
  );
  return row?.uuid;
};

const move = (from: number, to: number) =>
  bench.query('update log_events set position = $3 where org_id = $1 and position = $2', [orgId, from, to]);

const COLUMNS =
  'org_id, uuid, published, event_type, severity, actor_id, target_ids, outcome_result, client_ip_address, ' +
  'transaction_id, tokens, salt, digest, hash, body';

const copyTo = (position: number, from: number) =>
  bench.query(
    `insert into log_events (position, persisted_at, ${COLUMNS})
     select $2, persisted_at + interval '1 ms', ${COLUMNS} from log_events where org_id = $1 and position = $3`,
    [orgId, position, from],
  );

test('an untouched log verifies, and so does one without events', async () => {
  const head = await headOf(orgId);
  expect(await verify()).toEqual({
    ok: true,
    start: 0,
    verified: 6,
    erased: 0,
    checkpoints: 0,
    head: { position: 6, hash: head.hash.toString('hex') },
    fault: null,
  });
  orgId = await bench.newOrg();
  expect(await verify()).toMatchObject({ ok: true, verified: 0, head: { position: 0 } });
});

describe('names the first fault', () => {
  const at3 = 'where org_id = $1 and position = 3';
  const set = (change: string) => `update log_events set ${change} ${at3}`;

  test.each([
    ['one byte of a body altered', set(`body = replace(body, 'New-York', 'New-Yorc')`), 'digest'],
    ['a body and its digest altered', set(`body = '{}', digest = sha256(salt || '{}')`), 'uuid'],
    ['the salt altered', set(`salt = sha256(salt)`), 'digest'],
    ['the digest altered', set(`digest = sha256(digest)`), 'digest'],
    ['the hash altered', set(`hash = sha256(hash)`), 'its hash'],
    ['the salt removed', set('salt = null'), 'salt'],
    ['marked as erased', set('erased_at = now()'), 'marked as erased'],
    ['uuid', set('uuid = gen_random_uuid()'), 'uuid'],
    ['published', set(`published = published - interval '100 days'`), 'published'],
    ['event_type', set(`event_type = 'user.lifecycle.delete'`), 'event_type'],
    ['severity', set(`severity = 'DEBUG'`), 'severity'],
    ['actor_id', set(`actor_id = 'nobody'`), 'actor_id'],
    ['target_ids emptied', set(`target_ids = '{}'`), 'target_ids'],
    ['target_ids enlarged', set(`target_ids = target_ids || '{z}'`), 'target_ids'],
    ['outcome_result', set(`outcome_result = 'FAILURE'`), 'outcome_result'],
    ['outcome_result gone', set('outcome_result = null'), 'outcome_result'],
    ['client_ip_address', set(`client_ip_address = '198.51.100.1'`), 'client_ip_address'],
    ['client_ip_address gone', set('client_ip_address = null'), 'client_ip_address'],
    ['transaction_id', set(`transaction_id = 'reqother'`), 'transaction_id'],
    ['all tokens gone', set(`tokens = '{}'`), 'tokens'],
    ['one token gone', set('tokens = tokens[2:]'), 'tokens'],
    ['one token added', set('tokens = tokens || 2147483647'), 'tokens'],
    ['persisted before the event before', set(`persisted_at = persisted_at - interval '1 ms'`), 'persisted_at'],
  ])('%s', async (_, statement, detail) => {
    const uuid = await uuidAt(3);
    await bench.query(statement, [orgId]);
    const report = await verify();
    expect(report).toMatchObject({ ok: false, verified: 2, fault: { position: 3, kind: 'altered' } });
    expect(report.fault?.detail).toContain(detail);
    expect(report.fault?.uuid).toBe(statement.includes('set uuid') ? await uuidAt(3) : uuid);
  });

  test('every column of the ledger is compared, or is none that anything is found by', async () => {
    const rows = await bench.query<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = 'log_events'::regclass and attnum > 0 order by 1`,
    );
    const compared = ['uuid', 'published', 'event_type', 'severity', 'actor_id', 'target_ids', 'outcome_result'].concat(
      ['client_ip_address', 'transaction_id', 'tokens', 'persisted_at', 'position', 'org_id'],
      ['salt', 'digest', 'hash', 'erased_at', 'body'],
    );
    expect(rows.map(({ name }) => name)).toEqual(compared.toSorted());
  });

  test('a body, its digest, columns and tokens altered so that they agree', async () => {
    const [row] = await bench.query<{ body: string }>(`select body from log_events ${at3}`, [orgId]);
    const body = (row?.body ?? '').replaceAll('New-York', 'New-Yorc');
    await bench.query(
      `update log_events set body = $2, digest = sha256(salt || convert_to($2, 'UTF8')), tokens = $3 ${at3}`,
      [orgId, body, [...searchTermsOf(orgId, JSON.parse(body))]],
    );
    expect(await verify()).toMatchObject({ ok: false, fault: { position: 3, kind: 'altered', uuid: await uuidAt(3) } });
  });

  test.each([1, 3, 6])('one row deleted, at position %i', async (position) => {
    await bench.query('delete from log_events where org_id = $1 and position = $2', [orgId, position]);
    const kind = position === 6 ? 'cut' : 'missing';
    expect(await verify()).toMatchObject({ ok: false, verified: position - 1, fault: { position, kind, uuid: null } });
  });

  test('one row deleted, and those behind it moved up', async () => {
    await bench.query(`delete from log_events ${at3}`, [orgId]);
    for (const position of [4, 5, 6]) await move(position, position - 1);
    expect(await verify()).toMatchObject({ ok: false, fault: { position: 3, kind: 'reordered' } });
  });

  test('two swapped', async () => {
    const uuid = await uuidAt(4);
    await move(3, 1_000);
    await move(4, 3);
    await move(1_000, 4);
    expect(await verify()).toMatchObject({
      ok: false,
      fault: { position: 3, kind: 'reordered', uuid, detail: 'it belongs at position 4' },
    });
  });

  test.each([2, 3, 6])('a row added beside position %i', async (position) => {
    await copyTo(position, position);
    expect(await verify()).toMatchObject({ ok: false, fault: { position, kind: 'added' } });
  });

  test('a row added in between, those behind it moved down, the head with them', async () => {
    for (const position of [6, 5, 4, 3]) await move(position, position + 1);
    await copyTo(3, 2);
    await bench.query(
      `update log_events set persisted_at = persisted_at + interval '5 ms' where org_id = $1 and position > 3`,
      [orgId],
    );
    await bench.query('update log_heads set position = 7 where org_id = $1', [orgId]);
    expect(await verify()).toMatchObject({
      ok: false,
      verified: 2,
      fault: { position: 3, kind: 'added', detail: 'the event that belongs here is at 4' },
    });
  });

  test('a row added behind the head', async () => {
    await copyTo(7, 6);
    expect(await verify()).toMatchObject({ ok: false, verified: 6, fault: { position: 7, kind: 'added' } });
  });

  test('the head moved back, and moved on', async () => {
    await bench.query(
      `update log_heads set position = 4, hash = (select hash from log_events where org_id = $1 and position = 4)
       where org_id = $1`,
      [orgId],
    );
    expect(await verify()).toMatchObject({ ok: false, fault: { position: 5, kind: 'added' } });
    await bench.query('update log_heads set position = 9 where org_id = $1', [orgId]);
    expect(await verify()).toMatchObject({ ok: false, fault: { position: 7, kind: 'cut' } });
  });

  test('the head names another hash, or is gone', async () => {
    await bench.query('update log_heads set hash = sha256(hash) where org_id = $1', [orgId]);
    expect(await verify()).toMatchObject({ ok: false, verified: 6, fault: { position: 6, kind: 'altered' } });
    await bench.query('delete from log_heads where org_id = $1', [orgId]);
    expect(await verify()).toMatchObject({ ok: false, fault: { position: 1, kind: 'added' } });
  });

  test('the tail cut', async () => {
    await bench.query('delete from log_events where org_id = $1 and position > 4', [orgId]);
    expect(await verify()).toMatchObject({ ok: false, fault: { position: 5, kind: 'cut' } });
  });

  test('the tail cut and the head moved back: only a checkpoint from outside tells', async () => {
    const head = await headOf(orgId);
    await bench.query('delete from log_events where org_id = $1 and position > 4', [orgId]);
    await bench.query(
      `update log_heads set position = 4, hash = (select hash from log_events where org_id = $1 and position = 4)
       where org_id = $1`,
      [orgId],
    );
    expect(await verify()).toMatchObject({ ok: true, verified: 4 });
    expect(await verify(checkpoint(head))).toMatchObject({ ok: false, fault: { position: 5, kind: 'cut' } });
  });

  test('history written anew, so that the chain holds: the checkpoint names another event', async () => {
    const before = await headOf(orgId);
    const rows = await bench.query<{ position: number; digest: Buffer; hash: Buffer }>(
      'select position, digest, hash from log_events where org_id = $1 order by position',
      [orgId],
    );
    const [row] = await bench.query<{ body: string }>(`select body from log_events ${at3}`, [orgId]);
    const body = (row?.body ?? '').replaceAll('New-York', 'New-Yorc');
    await bench.query(
      `update log_events set body = $2, digest = sha256(salt || convert_to($2, 'UTF8')), tokens = $3 ${at3}`,
      [orgId, body, [...searchTermsOf(orgId, JSON.parse(body))]],
    );
    const [altered] = await bench.query<{ digest: Buffer }>(`select digest from log_events ${at3}`, [orgId]);
    let hash = rows[1]?.hash ?? Buffer.alloc(0);
    for (const { digest, position } of rows.slice(2)) {
      const own = position === 3 ? (altered?.digest ?? digest) : digest;
      hash = chainHash(orgId, position, own, hash);
      await bench.query('update log_events set hash = $3 where org_id = $1 and position = $2', [orgId, position, hash]);
    }
    await bench.query('update log_heads set hash = $2 where org_id = $1', [orgId, hash]);
    expect(await verify()).toMatchObject({ ok: true, verified: 6 });
    expect(await verify(checkpoint(before))).toMatchObject({
      ok: false,
      fault: { position: 6, kind: 'forked', uuid: await uuidAt(6) },
    });
  });
});

describe('an erased event', () => {
  const erase = (position: number) =>
    bench.query(
      `update log_events set salt = null, body = '{}', tokens = '{}', erased_at = now()
       where org_id = $1 and position = $2`,
      [orgId, position],
    );

  test('is counted, not taken for altered, where an event says that something was erased', async () => {
    await erase(3);
    await bench.write(orgId, [{ eventType: 'system.log.event.erase' }]);
    expect(await verify()).toMatchObject({ ok: true, verified: 6, erased: 1 });
    await bench.drainAll();
    expect(await verify()).toMatchObject({ ok: true, verified: 7, erased: 1 });
  });

  test('that no event behind it accounts for was made away with', async () => {
    await bench.write(orgId, [{ eventType: 'system.log.event.erase' }, created('g')]);
    await bench.drainAll();
    await erase(8);
    expect(await verify()).toMatchObject({
      ok: false,
      verified: 8,
      erased: 1,
      fault: { position: 8, kind: 'altered' },
    });
  });

  test('keeps its digest in the chain', async () => {
    await erase(3);
    await bench.write(orgId, [{ eventType: 'system.log.event.erase' }]);
    await bench.query('update log_events set digest = sha256(digest) where org_id = $1 and position = 3', [orgId]);
    expect(await verify()).toMatchObject({ ok: false, fault: { position: 3, kind: 'altered' } });
  });
});

test('says how far it is after each batch', async () => {
  const told: [number, number][] = [];
  await verify({ onProgress: (position: number, head: number) => told.push([position, head]) });
  expect(told).toEqual([
    [2, 6],
    [4, 6],
    [6, 6],
  ]);
});
