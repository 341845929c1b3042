import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { BEGINNING, timeText, unsealedRows } from '../../../../test/support/unsealed-rows.ts';
import { toOrgId } from '../../../kernel/words/ids.ts';
import { readSegment } from '../../ledger/segments/read-segment.ts';
import { GENESIS_HASH } from '../../rendering/digest.ts';
import { Packer } from './packer.ts';
import type { ChainEnd, UnsealedRow } from './unsealed-row.ts';

const orgId = toOrgId('00opacker');
const NOON = Date.parse('2026-11-20T12:00:00.000Z');
const rowsAt = (times: readonly Date[]): UnsealedRow[] => unsealedRows(orgId, times);
const minutes = (...numbers: readonly number[]): Date[] => numbers.map((number) => new Date(NOON + number * 60_000));
const ERASED = {
  salt: null,
  erasedAt: timeText(new Date(NOON)),
  body: '{}',
  tokens: '{}',
  actorId: '',
  targetIds: [],
  clientIpAddress: null,
  transactionId: '',
};
const packer = (maximumEvents = 32_768, from: ChainEnd = BEGINNING): Packer =>
  new Packer({ orgId, from, maximumEvents });

describe('a packer', () => {
  test('packs rows of several pages, with the search terms that filters of segments need', () => {
    const rows = rowsAt(minutes(0, 1, 2, 2, 5));
    const one = packer();
    expect(one.add(rows.slice(0, 2))).toEqual({ taken: 2, end: null, fault: null });
    expect(one.add(rows.slice(2))).toEqual({ taken: 3, end: null, fault: null });
    const { count, last, segment } = one.finish();
    const events = readSegment(segment);
    expect([count, last.position, events.map(({ position }) => position)]).toEqual([5, 5, [1, 2, 3, 4, 5]]);
    expect(events.map(({ body }) => body.toString())).toEqual(rows.map(({ body }) => body));
    for (const [index, { terms }] of events.entries()) {
      // Two further terms stand for the event type and the actor's id.
      expect(terms.length).toBe((rows[index]?.tokens.split(',').length ?? 0) + 2);
    }
  });

  test('ends at the end of a day, and where the segment is full', () => {
    const rows = rowsAt(minutes(0, 1, 720, 721));
    expect(packer().add(rows)).toEqual({ taken: 2, end: 'day', fault: null });
    expect(packer(1).add(rows)).toEqual({ taken: 1, end: 'full', fault: null });
    expect(packer(2).add(rows)).toEqual({ taken: 2, end: 'full', fault: null });
  });

  test('goes on after a sealed event', () => {
    const [first, ...others] = rowsAt(minutes(0, 1, 2));
    if (first === undefined) throw new Error('there are rows');
    const from = { position: 1, hash: first.hash, persistedAt: first.persistedAt };
    expect(packer(9, from).add(others)).toEqual({ taken: 2, end: null, fault: null });
    expect(packer(9, { ...from, hash: GENESIS_HASH }).add(others)).toMatchObject({ taken: 0, end: 'fault' });
    const late = { ...from, persistedAt: timeText(new Date(NOON + 3_600_000)) };
    expect(packer(9, late).add(others)).toMatchObject({ taken: 0, fault: { position: 2 } });
  });

  test('makes another fingerprint of other rows', () => {
    const printOf = (rows: readonly UnsealedRow[]) => {
      const one = packer();
      one.add(rows);
      return one.finish().fingerprint.toString('hex');
    };
    const rows = rowsAt(minutes(0, 1));
    expect(printOf(rows)).toBe(printOf(rows));
    expect(printOf(rows)).not.toBe(printOf(rows.slice(0, 1)));
    const [one, two] = rows;
    if (one === undefined || two === undefined) throw new Error('there are rows');
    const erased = { ...two, ...ERASED };
    expect(printOf([one, erased])).not.toBe(printOf(rows));
  });
});

const bytes = (text: string): Buffer => Buffer.alloc(32, text);

describe('a row is not packed', () => {
  test.each<[string, Partial<UnsealedRow>, number]>([
    ['whose body was changed', { body: '{}' }, 2],
    ['whose salt was changed', { salt: bytes('s') }, 2],
    ['whose salt is gone', { salt: null }, 2],
    ['that is marked as erased', { erasedAt: timeText(new Date(NOON)) }, 2],
    ['whose hash was changed', { hash: bytes('h') }, 2],
    ['whose digest was changed', { digest: bytes('d') }, 2],
    ['with another type', { eventType: 'user.session.start' }, 2],
    ['with another severity', { severity: 'WARN' }, 2],
    ['with another actor', { actorId: '00uother' }, 2],
    ['with another target', { targetIds: [] }, 2],
    ['with another outcome', { outcomeResult: 'FAILURE' }, 2],
    ['with another address', { clientIpAddress: '198.51.100.1' }, 2],
    ['with another transaction', { transactionId: 'other' }, 2],
    ['with another UUID', { uuid: randomUUID() }, 2],
    ['without search terms', { tokens: '{}' }, 2],
    ['that was persisted before it was published', { persistedAt: timeText(new Date(NOON - 60_000)) }, 2],
    ['that was persisted at no time', { persistedAt: 'infinity' }, 2],
    ['that was published at no time', { published: '-infinity' }, 2],
    ['that was published before this era', { published: '0044-03-15 12:00:00+00 BC' }, 2],
    ['that is at another position', { position: 3 }, 2],
    ['that has the position of the row before', { position: 1 }, 1],
  ])('%s', (_, change, position) => {
    const rows = rowsAt(minutes(0, 1, 2)).map((row, index) => (index === 1 ? { ...row, ...change } : row));
    expect(packer().add(rows)).toMatchObject({ taken: 1, end: 'fault', fault: { position } });
  });

  test('if it is erased and has any content', () => {
    const rows = rowsAt(minutes(0, 1, 2));
    const changed = (change: Partial<UnsealedRow>) =>
      rows.map((row, index) => (index === 1 ? { ...row, ...ERASED, ...change } : row));
    expect(packer().add(changed({}))).toEqual({ taken: 3, end: null, fault: null });
    const contents: readonly Partial<UnsealedRow>[] = [
      { body: '' },
      { body: 'null' },
      { body: '{"actor":{"id":"00uother"}}' },
      { tokens: '{1}' },
      { actorId: '00uother' },
      { targetIds: ['00uother'] },
      { clientIpAddress: '198.51.100.1' },
      { transactionId: 'other' },
    ];
    for (const change of contents) {
      expect(packer().add(changed(change))).toMatchObject({ taken: 1, fault: { position: 2 } });
    }
  });
});
