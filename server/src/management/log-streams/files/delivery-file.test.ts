import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { toOrgId } from '../../../kernel/words/ids.ts';
import { takeOwnerLock } from '../../../platform/postgres/embedded/postmaster/owner-lock.ts';
import type { SinkBatch } from '../../../system-log/index.ts';
import type { FileSettings } from '../settings/stream-types-rules.ts';
import { deliverToFile, streamDirectory } from './delivery-file.ts';

const ORG = toOrgId('00o1');
const STREAM = '0oa1';
const SETTINGS = { type: 'file_ndjson', maximumMegabytes: 1, maximumFiles: 4 } as const;

let data: string;
let folder: string;

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'gatehouse-files-'));
  folder = streamDirectory(data, ORG, STREAM);
});
afterEach(() => rmSync(data, { recursive: true }));

const bodyOf = (position: number, bytes = 0): string =>
  JSON.stringify({ uuid: `uuid-${position}`, filling: 'x'.repeat(bytes) });

const batchOf = (first: number, last: number, given: Partial<SinkBatch> & { bytes?: number } = {}): SinkBatch => ({
  orgId: ORG,
  sinkId: STREAM,
  id: `batch-${first}-${last}`,
  events: Array.from({ length: last - first + 1 }, (_, index) => ({
    position: first + index,
    uuid: `uuid-${first + index}`,
    published: new Date(0),
    eventType: 'user.session.start',
    body: bodyOf(first + index, given.bytes),
  })),
  attempt: 1,
  now: new Date('2026-11-20T12:00:00Z'),
  checkpoint: null,
  ...given,
});

const deliver = (batch: SinkBatch, settings: FileSettings = SETTINGS) =>
  deliverToFile(data, settings, batch, new AbortController().signal);
const again = (batch: SinkBatch) => deliver({ ...batch, attempt: batch.attempt + 1 });
const path = (name: string): string => join(folder, name);
const textOf = (name = 'current.ndjson'): string => readFileSync(path(name), 'utf8');
const uuidsIn = (name?: string): number[] =>
  textOf(name)
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Number(JSON.parse(line).uuid.slice(5)));
const names = (): string[] => readdirSync(folder).filter((name) => name.startsWith('events-'));
const DELIVERED = { outcome: 'delivered', status: null };

describe('a batch', () => {
  test('is appended as it is, a line an event, to files that only their owner reads', async () => {
    expect(await deliver(batchOf(1, 3))).toEqual(DELIVERED);
    expect(await deliver(batchOf(4, 4))).toEqual(DELIVERED);
    expect(textOf()).toBe([1, 2, 3, 4].map((position) => `${bodyOf(position)}\n`).join(''));
    for (const name of ['current.ndjson', 'position.json']) expect(statSync(path(name)).mode & 0o777).toBe(0o600);
    for (const made of [folder, join(folder, '..'), join(data, 'log-streams')]) {
      expect(statSync(made).mode & 0o777).toBe(0o700);
    }
  });

  test('that comes again because the cursor was not moved is not written again', async () => {
    const batch = batchOf(1, 3);
    await deliver(batch);
    expect(await again(batch)).toEqual(DELIVERED);
    expect(uuidsIn()).toEqual([1, 2, 3]);
    await deliver(batchOf(4, 5));
    expect(uuidsIn()).toEqual([1, 2, 3, 4, 5]);
  });

  test.each([0, 1, 20, bodyOf(3).length + 1, 2 * (bodyOf(3).length + 1)])(
    'of which a process wrote %i bytes before it ended is there once, whole',
    async (written) => {
      await deliver(batchOf(1, 2));
      const batch = batchOf(3, 4);
      const text = batch.events.map(({ body }) => `${body}\n`).join('');
      appendFileSync(path('current.ndjson'), text.slice(0, written));
      expect(await again(batch)).toEqual(DELIVERED);
      expect(uuidsIn()).toEqual([1, 2, 3, 4]);
      expect(textOf().endsWith('\n')).toBe(true);
    },
  );

  test('the very first, cut off by a crash, is there once too', async () => {
    await deliver(batchOf(1, 2));
    truncateSync(path('current.ndjson'), bodyOf(1).length + 5);
    unlinkSync(path('position.json'));
    expect(await again(batchOf(1, 2))).toEqual(DELIVERED);
    expect(uuidsIn()).toEqual([1, 2]);
  });

  test('follows the last event in the file where the position file is lost or torn', async () => {
    await deliver(batchOf(1, 3));
    for (const spoil of [() => unlinkSync(path('position.json')), () => writeFileSync(path('position.json'), '{"b')]) {
      spoil();
      expect(await again(batchOf(2, 4))).toEqual(DELIVERED);
      expect(uuidsIn().slice(0, 4)).toEqual([1, 2, 3, 4]);
    }
    expect(uuidsIn()).toEqual([1, 2, 3, 4]);
  });

  test('goes on where somebody shortened, emptied or took away the file', async () => {
    await deliver(batchOf(1, 3));
    truncateSync(path('current.ndjson'), bodyOf(1).length + 9);
    await deliver(batchOf(4, 4));
    expect(uuidsIn()).toEqual([1, 4]);
    truncateSync(path('current.ndjson'), 0);
    await deliver(batchOf(5, 5));
    unlinkSync(path('current.ndjson'));
    await deliver(batchOf(6, 6));
    await deliver(batchOf(7, 7));
    expect(uuidsIn()).toEqual([6, 7]);
  });

  test('that another process delivered stays, where one that was frozen saves its position late', async () => {
    const late = () => readFileSync(path('position.json'));
    await deliver(batchOf(1, 1));
    await deliver(batchOf(2, 2));
    const position = late();
    await deliver(batchOf(3, 4));
    writeFileSync(path('position.json'), position);
    await deliver(batchOf(5, 5));
    expect(uuidsIn()).toEqual([1, 2, 3, 4, 5]);
    const next = late();
    await deliver(batchOf(6, 7));
    writeFileSync(path('position.json'), next);
    appendFileSync(path('current.ndjson'), `${bodyOf(8)}\n${bodyOf(9).slice(0, 5)}`);
    await again(batchOf(8, 9));
    expect(uuidsIn()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('that was delivered to a new file is not repeated, where a frozen process tells of the old one', async () => {
    await deliver(batchOf(1, 9));
    const position = readFileSync(path('position.json'));
    const tomorrow = batchOf(10, 11, { now: new Date('2026-11-21T00:00:00Z') });
    await deliver(tomorrow);
    writeFileSync(path('position.json'), position);
    await again(tomorrow);
    await deliver(batchOf(12, 12, { now: new Date('2026-11-21T00:00:01Z') }));
    const written = [...names(), 'current.ndjson'].flatMap((name) => uuidsIn(name));
    expect(written.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
  });

  test('is not written while another process has the folder, which may stand still', async () => {
    await deliver(batchOf(1, 2));
    const lock = await takeOwnerLock(folder);
    expect(await deliver(batchOf(3, 4))).toEqual({
      outcome: 'failed',
      status: null,
      reason: 'Another process is writing to the files.',
    });
    await lock.release();
    expect(await again(batchOf(3, 4))).toEqual(DELIVERED);
    expect(uuidsIn()).toEqual([1, 2, 3, 4]);
  });

  test('two at once are written one after the other', async () => {
    await Promise.all([deliver(batchOf(1, 50)), deliver(batchOf(51, 90)), deliver(batchOf(91, 95))]);
    expect(uuidsIn()).toEqual(Array.from({ length: 95 }, (_, index) => index + 1));
  });
});

describe('a file', () => {
  test('ends before it grows beyond its size; the oldest go', async () => {
    for (let first = 1; first <= 13; first += 2) {
      expect(await deliver(batchOf(first, first + 1, { bytes: 300_000 }))).toEqual(DELIVERED);
      for (const name of names()) utimesSync(path(name), first, first);
    }
    expect(names().sort()).toEqual(['events-11.ndjson', 'events-7.ndjson', 'events-9.ndjson']);
    expect(uuidsIn('events-7.ndjson')).toEqual([7, 8]);
    expect(uuidsIn()).toEqual([13, 14]);
    for (const name of [...names(), 'current.ndjson']) expect(statSync(path(name)).size).toBeLessThan(1_000_000);
  });

  test('ends with the day in UTC', async () => {
    await deliver(batchOf(1, 2, { now: new Date('2026-11-20T23:59:59Z') }));
    await deliver(batchOf(3, 3, { now: new Date('2026-11-21T00:00:00Z') }));
    await deliver(batchOf(4, 4, { now: new Date('2026-11-21T23:00:00Z') }));
    expect(names()).toEqual(['events-1.ndjson']);
    expect(uuidsIn('events-1.ndjson')).toEqual([1, 2]);
    expect(uuidsIn()).toEqual([3, 4]);
  });

  test('that one file is allowed is the one written to', async () => {
    const settings = { ...SETTINGS, maximumFiles: 1 };
    for (const first of [1, 2, 3]) await deliver(batchOf(first, first, { bytes: 600_000 }), settings);
    expect(names()).toEqual([]);
    expect(uuidsIn()).toEqual([3]);
  });

  test('ended by a process that went away before it said so leaves nothing out and nothing twice', async () => {
    await deliver(batchOf(1, 2));
    const position = readFileSync(path('position.json'));
    const batch = batchOf(3, 3, { now: new Date('2026-11-21T00:00:00Z') });
    await deliver(batch);
    // This is the state between renaming the old file and saving the new position.
    unlinkSync(path('current.ndjson'));
    writeFileSync(path('position.json'), position);
    await again(batch);
    expect(uuidsIn('events-1.ndjson')).toEqual([1, 2]);
    expect(uuidsIn()).toEqual([3]);
  });

  test('of a replay is another one, and overwrites none', async () => {
    const [one, two] = [batchOf(1, 2), batchOf(3, 3)];
    await deliver(one);
    await deliver(two);
    await deliver(one);
    await deliver(two);
    expect(names()).toEqual(['events-1.ndjson']);
    await deliver(two);
    expect(names().sort()).toEqual(['events-1-2.ndjson', 'events-1.ndjson']);
    expect(uuidsIn('events-1.ndjson')).toEqual([1, 2, 3]);
    expect(uuidsIn('events-1-2.ndjson')).toEqual([1, 2, 3]);
    expect(uuidsIn()).toEqual([3]);
  });
});

describe('checkpoints', () => {
  test('are kept beside the events, each once', async () => {
    await deliver(batchOf(1, 1, { checkpoint: 'a.b.c' }));
    await deliver(batchOf(2, 2, { checkpoint: 'a.b.c' }));
    appendFileSync(path('checkpoints.ndjson'), '{"checkpo');
    await deliver(batchOf(3, 3, { checkpoint: 'd.e.f' }));
    await again(batchOf(3, 3, { checkpoint: 'd.e.f' }));
    expect(textOf('checkpoints.ndjson')).toBe('{"checkpoint":"a.b.c"}\n{"checkpoint":"d.e.f"}\n');
  });
});

describe('nothing is written', () => {
  test.each(['../00o1', '..', '.', '', 'a/b', 'a\\b', 'a\0b'])('for an id like %j', (id) => {
    expect(() => streamDirectory(data, id, STREAM)).toThrow(TypeError);
    expect(() => streamDirectory(data, ORG, id)).toThrow(TypeError);
  });

  test('through a link', async () => {
    await deliver(batchOf(1, 1));
    unlinkSync(path('current.ndjson'));
    const elsewhere = join(data, 'elsewhere');
    symlinkSync(elsewhere, path('current.ndjson'));
    expect(await deliver(batchOf(2, 2))).toEqual({
      outcome: 'failed',
      status: null,
      reason: 'A link stands where a file of the stream belongs.',
    });
    expect(readdirSync(data)).not.toContain('elsewhere');
  });

  test('once the time is over', async () => {
    const result = await deliverToFile(data, SETTINGS, batchOf(1, 1), AbortSignal.abort());
    expect(result).toMatchObject({ outcome: 'failed', reason: 'The disk did not answer in time.' });
    expect(readdirSync(data)).toEqual([]);
  });

  test('and no path is told where a folder cannot be made', async () => {
    writeFileSync(join(data, 'log-streams'), 'a file');
    chmodSync(join(data, 'log-streams'), 0o600);
    const result = await deliver(batchOf(1, 1));
    expect(result).toEqual({ outcome: 'failed', status: null, reason: 'The file could not be written: ENOTDIR.' });
  });
});
