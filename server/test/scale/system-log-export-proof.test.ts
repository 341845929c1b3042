import { describe, expect, test } from 'vitest';
import { statementKeys, verifyFile } from '../../src/system-log/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';
import { EXPORTED_EVENTS, linesOf, minutesIn, openExportBench } from '../support/log-export.ts';
import { created } from '../support/system-log.ts';

const database = beforeTests(() => openTestDatabase());
const log = beforeTests(() => openExportBench(database));

describe('with proof', () => {
  const keys = () => statementKeys([{ ...log.key.publicJwk, kid: log.key.kid }]);

  async function* lines(text: string | readonly string[]): AsyncGenerator<string> {
    yield* typeof text === 'string' ? linesOf(text) : text;
  }
  const verify = (text: string | readonly string[], options: Partial<Parameters<typeof verifyFile>[1]> = {}) =>
    verifyFile(lines(text), { keys: keys(), checkpoints: [], ...options });

  const placeAt = async (position: number) => {
    const [row] = await log.bench.query<{ hash: Buffer }>(
      'select hash from log_fresh where org_id = $1 and position = $2',
      [log.orgId, position],
    );
    return { position, hash: row?.hash ?? Buffer.alloc(0), source: 'noted' };
  };

  test('a file verifies by itself, up to the checkpoint it holds', async () => {
    const text = await log.exported({ proof: true });
    expect(await verify(text)).toEqual({
      ok: true,
      org: log.orgId,
      from: 1,
      to: EXPORTED_EVENTS,
      verified: EXPORTED_EVENTS,
      leftOut: 0,
      erased: 0,
      checkpoints: 1,
      provedTo: EXPORTED_EVENTS,
      fault: null,
    });
    expect(await verify(text, { keys: null })).toMatchObject({ ok: true, provedTo: null });
  });

  test('holds the events as they are stored', async () => {
    const [, first = ''] = linesOf(await log.exported({ proof: true, toPosition: 1 }));
    const [body = ''] = await log.bodies('position = 1');
    expect(first.endsWith(`,"event":${body}}`)).toBe(true);
    expect(JSON.parse(first)).toMatchObject({ position: 1, event: JSON.parse(body) as object });
  });

  test.each([
    [{ filter: 'outcome.result eq "FAILURE"' }, 250, 1, EXPORTED_EVENTS],
    [{ since: minutesIn(3), until: minutesIn(5) }, 200, 301, 500],
    [{ fromPosition: 2_401 }, 100, 2_401, EXPORTED_EVENTS],
  ])('%j: what is left out stands there by its digest alone', async (given, events, from, to) => {
    const text = await log.exported({ proof: true, ...given });
    const report = await verify(text);
    expect(report).toMatchObject({ ok: true, from, to, verified: to - from + 1 });
    expect(report.verified - report.leftOut).toBe(events);
    expect(text.match(/"salt":/g)).toHaveLength(events);
    expect(text.match(/"uuid":/g)).toHaveLength(events);
  });

  describe('names the first fault', () => {
    const file = async () => linesOf(await log.exported({ proof: true, fromPosition: 2_481 }));
    const uuidIn = (line: string | undefined) => (JSON.parse(line ?? '') as { event: { uuid: string } }).event.uuid;

    const spoil: [string, (lines: string[]) => void, object][] = [
      ['one byte altered', (all) => (all[3] = (all[3] ?? '').replace('New-York', 'New-Yorc')), { kind: 'altered' }],
      ['a salt altered', (all) => (all[3] = (all[3] ?? '').replace(/"salt":"../, '"salt":"AA')), { kind: 'altered' }],
      ['a hash altered', (all) => (all[3] = (all[3] ?? '').replace(/"hash":"../, '"hash":"AA')), { kind: 'altered' }],
      [
        'a digest altered',
        (all) => (all[3] = (all[3] ?? '').replace(/"digest":"../, '"digest":"AA')),
        { kind: 'altered' },
      ],
      ['a line that is none', (all) => (all[3] = '{}'), { kind: 'altered' }],
      ['a line deleted', (all) => all.splice(3, 1), { kind: 'missing' }],
      ['two swapped', (all) => all.splice(3, 2, all[4] ?? '', all[3] ?? ''), { kind: 'missing' }],
      ['a line twice', (all) => all.splice(3, 0, all[2] ?? ''), { position: 2_482, kind: 'added' }],
      ['an event taken out', (all) => (all[3] = (all[3] ?? '').replace(/,"salt".*/, '}')), { kind: 'missing' }],
      ['the end cut', (all) => all.splice(-2), { position: 2_499, kind: 'cut' }],
      [
        'a line added behind the end',
        (all) => all.push((all.at(-1) ?? '').replace('2500', '2501')),
        { position: 2_501, kind: 'added' },
      ],
      ['a line behind the end', (all) => all.push('{"more":1}'), { position: 2_501, kind: 'altered' }],
      [
        'another org named',
        (all) => (all[0] = (all[0] ?? '').replaceAll(log.orgId, '00oother')),
        { throws: 'another org' },
      ],
      [
        'another beginning',
        (all) => (all[0] = (all[0] ?? '').replace(/"previousHash":"../, '"previousHash":"AA')),
        { position: 2_481 },
      ],
    ];

    test.each(spoil)('%s', async (_, change, fault) => {
      const all = await file();
      change(all);
      if ('throws' in fault) {
        await expect(verify(all)).rejects.toThrow(String(fault.throws));
        return;
      }
      const report = await verify(all);
      expect(report).toMatchObject({ ok: false, fault: { position: 2_483, ...fault } });
    });

    test('with the uuid of the event where it is there', async () => {
      const all = await file();
      const uuid = uuidIn(all[3]);
      all[3] = (all[3] ?? '').replace('New-York', 'New-Yorc');
      expect((await verify(all)).fault?.uuid).toBe(uuid);
    });

    test('two swapped, their positions with them', async () => {
      const all = await file();
      const [third = '', fourth = ''] = [all[3], all[4]];
      all[3] = fourth.replace('"position":2484', '"position":2483');
      all[4] = third.replace('"position":2483', '"position":2484');
      const fault = { position: 2_483, kind: 'reordered', uuid: uuidIn(fourth), detail: 'it belongs at position 2484' };
      expect(await verify(all)).toMatchObject({ ok: false, fault });
    });

    test('a file cut together with its header, by a checkpoint behind its end', async () => {
      const all = await file();
      const header = JSON.parse(all[0] ?? '') as Record<string, unknown>;
      const cut = [JSON.stringify({ ...header, to: 2_490, checkpoint: null }), ...all.slice(1, 11)];
      expect(await verify(cut)).toMatchObject({ ok: true, to: 2_490, provedTo: null });
      const checkpoints = [await placeAt(EXPORTED_EVENTS)];
      expect(await verify(cut, { checkpoints })).toMatchObject({ ok: false, fault: { position: 2_491, kind: 'cut' } });
    });

    test('a file made anew, by a checkpoint', async () => {
      const own = await log.bench.newOrg();
      await log.bench.write(
        own,
        ['x', 'y', 'z'].map((id) => created(id)),
      );
      await log.bench.drainAll();
      const text = await log.exported({ proof: true }, own);
      const named = text.replace(own, log.orgId);
      expect(await verify(named, { keys: null })).toMatchObject({ ok: false });
      const checkpoints = [{ ...(await placeAt(2)), org: own }];
      expect(await verify(text, { checkpoints })).toMatchObject({ ok: false, fault: { position: 2, kind: 'forked' } });
    });

    test('a checkpoint in the file that is forged, or of another org', async () => {
      const all = await file();
      const header = JSON.parse(all[0] ?? '') as { checkpoint: string };
      const forged = `${header.checkpoint.slice(0, -6)}AAAAAA`;
      all[0] = JSON.stringify({ ...header, checkpoint: forged });
      await expect(verify(all)).rejects.toThrow('signature that does not hold');
      const foreign = [{ ...(await placeAt(3)), org: '00oother' }];
      await expect(verify(await file(), { checkpoints: foreign })).rejects.toThrow('another org');
    });

    test('what is no export with proof is refused', async () => {
      await expect(verify(await log.exported({ toPosition: 3 }))).rejects.toThrow('--proof');
      await expect(verify('')).rejects.toThrow('--proof');
    });
  });

  test('an erased event is counted', async () => {
    const own = await log.bench.newOrg();
    await log.bench.write(
      own,
      ['a', 'b', 'c'].map((id) => created(id)),
    );
    await log.bench.drainAll();
    await log.bench.query(
      `update log_fresh set salt = null, body = '{}', tokens = '{}', erased_at = now()
       where org_id = $1 and position = 2`,
      [own],
    );
    expect(await verify(await log.exported({ proof: true }, own))).toMatchObject({ ok: true, verified: 3, erased: 1 });
  });
});
