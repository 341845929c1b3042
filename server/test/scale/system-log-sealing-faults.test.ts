import { beforeEach, describe, expect, test } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { readSealingLag } from '../../src/platform/operations/index.ts';
import { AnswerLateError } from '../../src/platform/postgres/index.ts';
import { packThreadFile } from '../../src/system-log/index.ts';
import { createPacking } from '../../src/system-log/sealing/packing/packing.ts';
import { isOutage, isTooLarge } from '../../src/system-log/sealing/sealing-errors.ts';
import { beforeTests } from '../support/before-tests.ts';
import { actingBefore, interruptedAt, isRemoval, onDay, SealingBench, withAnswers } from '../support/sealing-bench.ts';
import { BEGINNING, unsealedRows } from '../support/unsealed-rows.ts';

// An event that does not verify is not sealed, and a failure of one org does not keep the others from being sealed.

const bench = beforeTests(() => SealingBench.open());
beforeEach(() => bench.clear());

const LATER = onDay(0);
const SEALED = [
  [1, 2],
  [3, 4],
  [5, 5],
] as const;

async function newLog(): Promise<OrgId> {
  const orgId = await bench.log.newOrg();
  await bench.writeOlder(orgId, onDay(5, 60), onDay(5, 61), onDay(4, 5));
  await bench.write(orgId, onDay(4, 6), onDay(3, 7));
  return orgId;
}

const ofFourth = (change: string): string => `update log_fresh set ${change} where org_id = $1 and position = 4`;

describe('an event that is not what was written', () => {
  test.each<[string, string, number]>([
    ['has another body', ofFourth(`body = replace(body, 'SUCCESS', 'FAILURE')`), 4],
    ['has another salt', ofFourth(`salt = decode(repeat('ab', 32), 'hex')`), 4],
    ['has another digest', ofFourth(`digest = decode(repeat('ab', 32), 'hex')`), 4],
    ['has another hash', ofFourth(`hash = decode(repeat('ab', 32), 'hex')`), 4],
    ['has a column that its text does not say', ofFourth(`actor_id = 'nobody'`), 4],
    ['has other search terms', ofFourth('tokens = tokens[2:]'), 4],
    ['has no content, but was not erased', ofFourth('salt = null'), 4],
    ['was persisted before the event before it', ofFourth(`persisted_at = persisted_at - interval '1 day'`), 4],
    ['was persisted at no time', ofFourth(`persisted_at = 'infinity'`), 4],
    ['is missing', 'delete from log_fresh where org_id = $1 and position = 4', 4],
    ['is missing, and so is all behind it', 'delete from log_fresh where org_id = $1 and position > 3', 4],
    [
      'has a second one at its position',
      `insert into log_older select org_id, position, persisted_at, uuid, published, event_type, severity, actor_id,
         target_ids, outcome_result, client_ip_address, transaction_id, tokens, salt, digest, hash, erased_at, body
       from log_fresh where org_id = $1 and position = 4`,
      4,
    ],
    ['is not the one of the head', `update log_heads set hash = decode(repeat('ab', 32), 'hex') where org_id = $1`, 5],
  ])('and %s is reported, and nothing after it is sealed', async (_, statement, position) => {
    const [orgId, other] = [await newLog(), await newLog()];
    await bench.log.query(statement, [orgId]);
    bench.clock.set(LATER);
    const { errors, faults, sealer } = bench.sealer();
    for (const runs of [1, 2]) {
      await sealer.run(new AbortController().signal);
      expect([runs, faults, errors]).toMatchObject([runs, [{ orgId, position }], []]);
    }
    const { rows, segments } = await bench.formsOf(orgId);
    expect(segments.every(([, last]) => last < position)).toBe(true);
    expect(segments[0]).toEqual(SEALED[0]);
    if (!statement.includes('position > 3')) expect(rows.at(-1)).toBe(5);
    expect(await bench.formsOf(other)).toEqual({ segments: SEALED, rows: [] });
    expect(await bench.verify(orgId)).toMatchObject({ ok: false });
    expect(await readSealingLag(bench.database.db)).toMatchObject({ blockedOrgs: 1 });
  });

  test('is sealed when it is right again', async () => {
    const orgId = await newLog();
    await bench.log.query(ofFourth(`severity = 'WARN'`), [orgId]);
    bench.clock.set(LATER);
    const { faults, sealer } = bench.sealer();
    await sealer.run(new AbortController().signal);
    await bench.log.query(ofFourth(`severity = 'INFO'`), [orgId]);
    await sealer.run(new AbortController().signal);
    expect(faults).toHaveLength(1);
    expect((await bench.formsOf(orgId)).rows).toEqual([]);
    expect(await bench.verify(orgId)).toMatchObject({ ok: true, verified: 5 });
    expect(await readSealingLag(bench.database.db)).toMatchObject({ blockedOrgs: 0, unsealed: 0 });
  });

  test('is looked for in fewer and fewer walks, and counted in each of them', async () => {
    const orgId = await newLog();
    await bench.log.query(ofFourth(`severity = 'WARN'`), [orgId]);
    bench.clock.set(LATER);
    let reads = 0;
    const connections = withAnswers(bench.log.connections, (text) => {
      if (text.includes('bytes_before')) reads += 1;
      return null;
    });
    const { faults, sealer } = bench.sealer({ connections });
    const isRead: boolean[] = [];
    for (let walks = 0; walks < 12; walks += 1) {
      reads = 0;
      await sealer.run(new AbortController().signal);
      isRead.push(reads > 0);
      expect(await readSealingLag(bench.database.db)).toMatchObject({ blockedOrgs: 1 });
    }
    expect(isRead.map(Number).join('')).toBe('110100100001');
    expect(faults).toHaveLength(1);
  });

  test('is no fault if it is right at the second look', async () => {
    const orgId = await newLog();
    await bench.log.query(ofFourth(`severity = 'WARN'`), [orgId]);
    // Two transactions write the segments before the fault. The third one looks again.
    let begun = 0;
    const repair = async () => {
      await bench.log.query(ofFourth(`severity = 'INFO'`), [orgId]);
    };
    const connections = actingBefore(bench.log.connections, (text) => text === 'begin' && ++begun === 3, repair);
    expect(await bench.seal(LATER, { connections })).toMatchObject({ faults: [], errors: [], report: { segments: 2 } });
    expect(begun).toBe(3);
    await bench.seal(LATER);
    expect((await bench.formsOf(orgId)).rows).toEqual([]);
    expect(await bench.verify(orgId)).toMatchObject({ ok: true, verified: 5 });
  });

  test('beyond the head stays where it is', async () => {
    const orgId = await newLog();
    const third = await bench.log.query<{ hash: Buffer }>(
      'select hash from log_unsealed where org_id = $1 and position = 3',
      [orgId],
    );
    await bench.log.query('update log_heads set position = 3, hash = $2 where org_id = $1', [orgId, third[0]?.hash]);
    expect(await bench.seal(LATER)).toMatchObject({ faults: [], errors: [], report: { events: 3 } });
    expect(await bench.formsOf(orgId)).toEqual({ segments: [SEALED[0], [3, 3]], rows: [4, 5] });
  });
});

describe('a segment that is not what was written', () => {
  test.each([
    ['that lies behind the head', 'update log_heads set position = 3 where org_id = $1', 4],
    ['without the hash of its last event', `update log_segments set hashes = '\\x00' where org_id = $1`, 4],
    ['with another hash', `update log_segments set hashes = decode(repeat('ab', 64), 'hex') where org_id = $1`, 5],
  ])('%s blocks its org', async (_, statement, position) => {
    const orgId = await newLog();
    await bench.seal(onDay(3));
    await bench.seal(onDay(3, 600));
    expect(await bench.formsOf(orgId)).toEqual({ segments: SEALED.slice(0, 2), rows: [5] });
    await bench.log.query(statement, [orgId]);
    expect(await bench.seal(LATER)).toMatchObject({ errors: [], faults: [{ orgId, position }] });
    expect((await bench.formsOf(orgId)).rows).toEqual([5]);
    expect(await bench.verify(orgId)).toMatchObject({ ok: false });
    expect(await readSealingLag(bench.database.db)).toMatchObject({ blockedOrgs: 1 });
  });
});

/** Tells whether the removal of rows is that of an org. */
const isRemovalOf =
  (orgId: OrgId) =>
  (text: string, values: readonly unknown[]): boolean =>
    isRemoval(text) && values[0] === orgId;

const failure = (code: string): Error => Object.assign(new Error('a statement failed'), { code });

describe('an org whose events cannot be sealed now', () => {
  const twoLogs = async () => {
    const logs = [await newLog(), await newLog()].toSorted();
    return logs as [OrgId, OrgId];
  };

  test('because another transaction holds a row does not delay the next org', async () => {
    const [first, second] = await twoLogs();
    const lock = 'select from log_fresh where org_id = $1 and position = 4 for update';
    await bench.whileLocked(lock, [first], async () => {
      bench.clock.set(LATER);
      const { errors, faults, sealer } = bench.sealer();
      const run = () => sealer.run(new AbortController().signal);
      // A conflict passes, so only the third one in a row is reported.
      for (const runs of [1, 2]) expect([runs, await run(), errors]).toMatchObject([runs, {}, []]);
      await run();
      expect([errors, faults]).toMatchObject([[{ orgId: first, error: { code: '55P03' } }], []]);
    });
    expect(await bench.formsOf(first)).toEqual({ segments: SEALED.slice(0, 1), rows: [3, 4, 5] });
    expect(await bench.formsOf(second)).toEqual({ segments: SEALED, rows: [] });
    await bench.seal(LATER);
    expect((await bench.formsOf(first)).rows).toEqual([]);
  });

  test('because another sealer or an erasure is at work does not delay the next org', async () => {
    const [first, second] = await twoLogs();
    const lock = `select pg_advisory_xact_lock(hashtextextended('log_sealing ' || $1::text, 0))`;
    await bench.whileLocked(lock, [first], async () => {
      expect(await bench.seal(LATER)).toMatchObject({ errors: [], faults: [], report: { segments: 3 } });
    });
    expect((await bench.formsOf(first)).segments).toEqual([]);
    expect(await bench.formsOf(second)).toEqual({ segments: SEALED, rows: [] });
  });

  test.each(['57014', '55P03', '40P01', '40001', '23514', '42P01'])(
    'because of %s does not delay the next org',
    async (code) => {
      const [first, second] = await twoLogs();
      const isMeant = isRemovalOf(first);
      const connections = withAnswers(bench.log.connections, (text, values) =>
        isMeant(text, values) ? Promise.reject(failure(code)) : null,
      );
      const { errors, faults, report } = await bench.seal(LATER, { connections });
      const isConflict = ['55P03', '40P01', '40001'].includes(code);
      expect(errors).toMatchObject(isConflict ? [] : [{ orgId: first, error: { code } }]);
      expect([faults, report]).toMatchObject([[], { segments: 3 }]);
      expect(await bench.formsOf(second)).toEqual({ segments: SEALED, rows: [] });
      expect((await readSealingLag(bench.database.db))?.seconds).toBeGreaterThan(0);
      await bench.seal(LATER);
      expect((await bench.formsOf(first)).rows).toEqual([]);
    },
  );

  test('because its statement takes too long gets smaller segments', async () => {
    const orgId = await bench.log.newOrg();
    await bench.writeMany(orgId, 600, onDay(4, 5));
    bench.clock.set(LATER);
    const isTooLong = (values: readonly unknown[]): boolean => Number(values[2]) - Number(values[1]) > 300;
    const connections = withAnswers(bench.log.connections, (text, values) =>
      isRemoval(text) && isTooLong(values) ? Promise.reject(failure('57014')) : null,
    );
    const { errors, sealer } = bench.sealer({ connections });
    for (let runs = 0; (await bench.formsOf(orgId)).rows.length > 0; runs += 1) {
      expect(runs).toBeLessThan(20);
      await sealer.run(new AbortController().signal);
    }
    expect(errors.length).toBeGreaterThan(5);
    expect((await bench.formsOf(orgId)).segments[0]).toEqual([1, 256]);
    expect(await bench.verify(orgId)).toMatchObject({ ok: true, verified: 600 });
  });

  test('because an answer does not come in time does not delay the next org', async () => {
    const [first, second] = await twoLogs();
    const isMeant = isRemovalOf(first);
    const connections = withAnswers(bench.log.connections, (text, values) =>
      isMeant(text, values) ? Promise.reject(new AnswerLateError()) : null,
    );
    const { errors, report } = await bench.seal(LATER, { connections });
    expect([errors, report]).toMatchObject([[{ orgId: first }], { segments: 3 }]);
    expect(await bench.formsOf(second)).toEqual({ segments: SEALED, rows: [] });
  });

  test('because the thread is too slow gets smaller segments', async () => {
    const orgId = await newLog();
    const packing = createPacking(packThreadFile(), 0);
    const rows = unsealedRows(orgId, [onDay(3)]);
    const packed = packing.add({ orgId, from: BEGINNING, maximumEvents: 9 }, rows);
    const error: unknown = await packed.catch((reason: unknown) => reason);
    await packing.close();
    expect([error, isTooLarge(error), isOutage(error)]).toMatchObject([{ code: 'ERR_PACKING_TIMEOUT' }, true, false]);
  });

  test('ends the run if the database is lost, and is not the first one of the next run', async () => {
    const [first, second] = await twoLogs();
    bench.clock.set(LATER);
    const isMeant = isRemovalOf(first);
    const connections = withAnswers(bench.log.connections, (text, values) =>
      isMeant(text, values) ? Promise.reject(failure('57P01')) : null,
    );
    const { errors, sealer } = bench.sealer({ connections });
    await expect(sealer.run(new AbortController().signal)).rejects.toMatchObject({ code: '57P01' });
    expect(errors).toMatchObject([{ orgId: null, error: { code: '57P01' } }]);
    expect((await bench.formsOf(second)).segments).toEqual([]);
    await sealer.run(new AbortController().signal).catch(() => undefined);
    expect(await bench.formsOf(second)).toEqual({ segments: SEALED, rows: [] });
  });

  test('stops between two pages when it is told to', async () => {
    const orgId = await newLog();
    const controller = new AbortController();
    bench.clock.set(LATER);
    const connections = interruptedAt(bench.log.connections, 4, async () => controller.abort());
    const { errors, sealer } = bench.sealer({ connections });
    expect(await sealer.run(controller.signal)).toMatchObject({ segments: 0, unfinished: true });
    expect([errors, (await bench.formsOf(orgId)).segments]).toEqual([[], []]);
  });
});
