import { beforeAll, describe, expect, test } from 'vitest';
import { verifyOrg } from '../../src/system-log/index.ts';
import { DamagedSegmentError } from '../../src/system-log/ledger/segments/bytes.ts';
import { beforeStatements } from '../support/before-statements.ts';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';
import { replaceTexts } from '../support/rewritten-segment.ts';
import { keepRows, mixForms } from '../support/sealed-log.ts';
import { created, LogBench, numbersTo } from '../support/system-log.ts';

const database = beforeTests(() => openTestDatabase({ isSwitched: false }));
const bench = beforeTests(() => new LogBench(database.pool));

/** Two segments, a row and a fresh row. */
const FORMS = { ends: [4, 8], freshAfter: 9 };

const log = beforeTests(async () => {
  const orgId = await bench.newOrg();
  const events = numbersTo(10).map((number) => {
    const eventType = number % 3 === 0 ? 'user.lifecycle.suspend' : 'user.lifecycle.create';
    return created(`00u${number}`, { eventType });
  });
  await bench.write(orgId, events);
  await bench.drainAll();
  const [head] = await bench.query<{ position: string; hash: Buffer }>(
    'select position, hash from log_heads where org_id = $1',
    [orgId],
  );
  const restoreHead = () =>
    bench.query('update log_heads set position = $2, hash = $3 where org_id = $1', [orgId, head?.position, head?.hash]);
  return { orgId, restore: await keepRows(bench, orgId), restoreHead };
});

async function sealedLog() {
  await log.restore();
  await mixForms(bench, log.orgId, FORMS);
  return log.orgId;
}

test('all forms are verified as one chain', async () => {
  const orgId = await sealedLog();
  for (const batchSize of [1, 3, 100]) {
    expect(await verifyOrg(bench.connections, orgId, { batchSize })).toMatchObject({ ok: true, verified: 10 });
  }
});

/** Flips all bits of a byte. The place is an SQL expression. */
const flip = (column: string, place: string): string =>
  `update log_segments set ${column} = set_byte(${column}, ${place}, 255 - get_byte(${column}, ${place}))
   where org_id = $1 and last_position = 4`;

const ofFirst = (change: string): string => `update log_segments set ${change} where org_id = $1 and last_position = 4`;

const STRINGS = [
  'published',
  'persisted',
  'kinds',
  'salts',
  'hashes',
  'bodies',
  'part_ends',
  'postings',
  'bucket_ends',
] as const;

describe('verification finds', () => {
  test.each<[string, string, { position?: number; kind: string }]>([
    ['a changed body', flip('bodies', 'octet_length(bodies) / 2'), { kind: 'altered' }],
    ['a changed length of a body', flip('bodies', '0'), { position: 1, kind: 'altered' }],
    ['a changed salt', flip('salts', '40'), { position: 2, kind: 'altered' }],
    ['a changed hash', flip('hashes', '40'), { position: 2, kind: 'altered' }],
    ['a changed kind', flip('kinds', '2'), { position: 3, kind: 'altered' }],
    ['a kind of another event', ofFirst('kinds = set_byte(kinds, 2, 0)'), { position: 3, kind: 'altered' }],
    ['changed postings', flip('postings', 'octet_length(postings) - 1'), { position: 1, kind: 'altered' }],
    ['cut postings', ofFirst(`bucket_ends = ''`), { position: 1, kind: 'altered' }],
    ['a changed end of a part', flip('part_ends', '3'), { position: 1, kind: 'altered' }],
    ['a changed head', flip('head', '0'), { position: 1, kind: 'altered' }],
    [
      'a segment that seems to be of another time',
      ofFirst(
        `first_published = first_published - interval '1 hour', last_published = last_published - interval '1 hour'`,
      ),
      { position: 1, kind: 'altered' },
    ],
    [
      'a segment with another first position',
      ofFirst('first_position = 2, events = 3'),
      { position: 1, kind: 'altered' },
    ],
    ...STRINGS.map((column): [string, string, { position: number; kind: string }] => [
      `one more byte behind ${column}`,
      ofFirst(`${column} = ${column} || decode('00', 'hex')`),
      { position: 1, kind: 'altered' },
    ]),
    ['a large head', ofFirst(`head = head || decode(repeat('00', 4000000), 'hex')`), { position: 1, kind: 'altered' }],
    [
      'a missing segment',
      'delete from log_segments where org_id = $1 and last_position = 4',
      { position: 1, kind: 'missing' },
    ],
    [
      'a missing segment in between',
      'delete from log_segments where org_id = $1 and last_position = 8',
      { position: 5, kind: 'missing' },
    ],
    [
      'a row beside a sealed event',
      `insert into log_fresh select org_id, 3, persisted_at, uuid, published, event_type, severity, actor_id,
         target_ids, outcome_result, client_ip_address, transaction_id, tokens, salt, digest, hash, erased_at, body
       from log_fresh where org_id = $1`,
      { position: 3, kind: 'added' },
    ],
    [
      'segments that belong to other places',
      `update log_segments set head = other.head, salts = other.salts, hashes = other.hashes, bodies = other.bodies,
         kinds = other.kinds, part_ends = other.part_ends, postings = other.postings, bucket_ends = other.bucket_ends
       from (select * from log_segments where org_id = $1 and last_position = 8) other
       where log_segments.org_id = $1 and log_segments.last_position = 4`,
      { position: 1, kind: 'missing' },
    ],
  ])('%s', async (_, statement, fault) => {
    const orgId = await sealedLog();
    await bench.query(statement, [orgId]);
    for (const batchSize of [1, 100]) {
      expect(await verifyOrg(bench.connections, orgId, { batchSize })).toMatchObject({ ok: false, fault });
    }
  });
});

test('a page of a damaged segment fails, and other pages do not', async () => {
  const orgId = await sealedLog();
  await bench.query(flip('part_ends', '0'), [orgId]);
  await expect(bench.page(orgId, { since: '2026-11-20T00:00:00.000Z' })).rejects.toThrow(DamagedSegmentError);
  const filter = 'target.id eq "00u6"';
  expect((await bench.page(orgId, { since: '2026-11-20T00:00:00.000Z', filter })).bodies).toHaveLength(1);
});

test.each([
  ['one event', [3]],
  ['two events in a row', [1, 2]],
  ['a whole part', [0, 1, 2, 3]],
])('replaced texts of %s are altered, not reordered', async (_, ordinals) => {
  const orgId = await sealedLog();
  await replaceTexts(bench, orgId, 4, ordinals, (event) => ({ ...event, displayMessage: 'Something else' }));
  const fault = { position: (ordinals[0] ?? 0) + 1, kind: 'altered' };
  expect(await verifyOrg(bench.connections, orgId)).toMatchObject({ ok: false, fault });
});

test('the last event of the log may be a replaced one', async () => {
  const orgId = await sealedLog();
  await bench.query('delete from log_fresh where org_id = $1', [orgId]);
  await bench.query('delete from log_events where org_id = $1', [orgId]);
  await bench.query(
    `update log_heads set position = 8, hash = (
       select substring(hashes from 32 * events - 31 for 32) from log_segments where org_id = $1 and last_position = 8
     ) where org_id = $1`,
    [orgId],
  );
  await replaceTexts(bench, orgId, 8, [3], (event) => ({ ...event, displayMessage: 'Something else' }));
  const fault = { position: 8, kind: 'altered' };
  const report = await verifyOrg(bench.connections, orgId);
  await log.restoreHead();
  expect(report).toMatchObject({ ok: false, fault });
});

test('damage behind the head at the start is a fault too', async () => {
  await log.restore();
  const { orgId } = log;
  // An erasure that nothing explains makes the verification look for an explanation behind the head.
  await bench.query(
    `update log_events set salt = null, body = '{}', tokens = '{}', erased_at = now(), actor_id = '', target_ids = '{}',
       client_ip_address = null, transaction_id = ''
     where org_id = $1 and position = 2`,
    [orgId],
  );
  await mixForms(bench, orgId, FORMS);
  await bench.query(`update log_segments set head = set_byte(head, 0, 99) where org_id = $1 and last_position = 8`, [
    orgId,
  ]);
  await bench.query(
    `update log_heads set position = 4, hash = (
       select substring(hashes from 32 * events - 31 for 32) from log_segments where org_id = $1 and last_position = 4
     ) where org_id = $1`,
    [orgId],
  );
  // The log grows to its real head when the walk has ended.
  const connections = beforeStatements(bench.connections, async (text) => {
    if (text.includes('with head as materialized')) await log.restoreHead();
  });
  const report = await verifyOrg(connections, orgId);
  await log.restoreHead();
  expect(report).toMatchObject({ ok: false, verified: 4, fault: { position: 5, kind: 'altered' } });
});

// These tests come last, because they drop constraints as whoever may write to the database can.
describe('without the constraints on segments, verification finds', () => {
  beforeAll(async () => {
    for (const name of ['positions', 'events', 'published', 'persisted_at', 'day']) {
      await bench.query(`alter table log_segments drop constraint log_segments_${name}_check`);
    }
  });

  test.each([
    ['infinite times', `first_published = '-infinity', last_published = 'infinity'`],
    ['infinite times of the relay', `first_persisted_at = '-infinity', last_persisted_at = 'infinity'`],
    ['a time beyond all numbers', `last_published = '294276-12-31'`],
    ['the last position of the database', 'last_position = 9223372036854775807'],
    ['a gap', 'last_position = 9, events = 4'],
  ])('%s', async (_, change) => {
    const orgId = await sealedLog();
    await bench.query(`update log_segments set ${change} where org_id = $1 and last_position = 8`, [orgId]);
    for (const batchSize of [1, 100]) {
      const report = await verifyOrg(bench.connections, orgId, { batchSize });
      expect(report).toMatchObject({ ok: false, verified: 4, fault: { position: 5, kind: 'altered' } });
    }
    const query = { since: '2026-11-20T00:00:00.000Z', until: '2026-11-30T00:00:00.000Z' };
    await expect(bench.page(orgId, query)).rejects.toThrow(DamagedSegmentError);
  });
});
