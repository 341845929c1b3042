import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { DatabaseChange } from '../../platform/postgres/index.ts';
import { createDatabaseLog } from './database-log.ts';

function newLog() {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line) => lines.push(JSON.parse(line)) });
  return { lines, log: createDatabaseLog(log) };
}

const change = (state: DatabaseChange['state'], more: Partial<DatabaseChange> = {}): DatabaseChange => ({
  state,
  reason: null,
  code: null,
  milliseconds: 0,
  ...more,
});
const refused = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const cancelled = () => Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
const [INFO, WARN, ERROR] = [30, 40, 50];

test('an outage is logged when it begins, stalls and ends, with the number of failures in between', () => {
  const { lines, log } = newLog();
  log.changed(change('away', { code: 'ECONNREFUSED', reason: 'refused' }));
  log.failed(refused(), 'a job failed');
  log.failed(refused(), 'the relay failed');
  log.changed(change('stalled', { reason: 'no response' }));
  log.changed(change('well', { milliseconds: 1_234.5 }));
  expect(lines).toMatchObject([
    { level: WARN, code: 'ECONNREFUSED', reason: 'refused', msg: 'the database is unreachable' },
    { level: ERROR, reason: 'no response' },
    { level: INFO, milliseconds: 1_235, untold: 2, msg: 'the database is reachable again' },
  ]);
  expect(lines).toHaveLength(3);
});

test('failures with the same code are logged once, and those of statements once for each kind of work', () => {
  const { lines, log } = newLog();
  for (const what of ['a job failed', 'the relay failed']) {
    log.failed(refused(), what);
    log.failed(cancelled(), what);
    log.failed(cancelled(), what);
  }
  log.changed(change('well'));
  expect(lines.map(({ code, msg, untold }) => [code, msg, untold])).toEqual([
    ['ECONNREFUSED', 'a job failed', undefined],
    ['57014', 'a job failed', undefined],
    ['57014', 'the relay failed', undefined],
    [undefined, 'the database is reachable again', 3],
  ]);
});

test('a failure that is no outage is logged with its error, each time', () => {
  const { lines, log } = newLog();
  log.failed(new Error('broken'), 'a job failed');
  log.failed(new Error('broken'), 'a job failed');
  expect(lines).toMatchObject(Array.from({ length: 2 }, () => ({ msg: 'a job failed', err: { message: 'broken' } })));
});
