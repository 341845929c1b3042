import { beforeAll, describe, expect, test } from 'vitest';
import { ADMISSION_PATHS } from '../../src/access/admission.ts';
import { REACTIONS, SET_REACTIONS } from '../../src/app/reactions.ts';
import { EVENT_TYPES } from '../../src/system-log/index.ts';
import { useService } from '../support/use-service.ts';
import { EVENTS_APART, PATHS_APART, TABLES_APART } from './ends-apart.ts';
import { ENDINGS } from './ends-changes.ts';
import type { Ending } from './ends-ending.ts';
import { HELD } from './ends-held.ts';
import type { Held } from './ends-holding.ts';
import { type EndsWorld, type Ground, newGround, newWorld } from './ends-world.ts';

/**
 * This file tests which credentials end after each change, such as a deactivation or deletion (attack 82 in
 * docs/security-rows.md). One service makes the change and another one checks it a second later, like two processes,
 * because cached data may be a second old.
 */
const { service } = useService({ isShared: false });
const { service: second } = useService(() => ({ database: service.database, publicPort: service.port }));
let ground: Ground;

beforeAll(async () => {
  ground = await newGround({ service, second }, service.org);
});

async function groundFor({ alone }: Ending): Promise<Ground> {
  if (alone === undefined) return ground;
  if (alone === 'org') return newGround({ service, second }, await service.newOrg());
  return newGround({ service, second }, service.org);
}

const isEnded = ({ ends }: Ending, { hangsOn }: Held): boolean => hangsOn.some((parent) => ends.includes(parent));

async function asked(world: EndsWorld, ending: Ending): Promise<Record<string, boolean>> {
  const attempts = await Promise.all(HELD.map(async (held) => ({ held, attempt: await held.hold(world) })));
  const ask = async (isSpent: boolean): Promise<(readonly [string, boolean])[]> =>
    Promise.all(
      attempts
        .filter(({ held }) => (held.isSpent === true) === isSpent)
        .map(async ({ attempt, held }) => [held.name, await attempt()] as const),
    );
  // The first check fills the caches of the second service.
  second.clock.advance(1_000);
  expect((await ask(false)).filter(([, holds]) => !holds)).toEqual([]);
  await ending.apply(world);
  for (const clock of [service.clock, second.clock]) clock.advance(1_000);
  // Credentials that a check consumes come last. Redeeming a code, for example, issues a refresh token, which the list
  // of refresh tokens would show.
  const kept = await ask(false);
  return Object.fromEntries([...kept, ...(await ask(true))]);
}

const NOTHING: Ending = { name: 'nothing happens', events: [], ends: [], apply: async () => undefined };

describe('a second later, at the other process, when', () => {
  test.each([NOTHING, ...ENDINGS].map((ending): [string, Ending] => [ending.name, ending]))('%s', async (_, ending) => {
    const world = await newWorld(await groundFor(ending), ending.by ?? 'user');
    const expected = Object.fromEntries(HELD.map((held) => [held.name, !isEnded(ending, held)]));
    expect(await asked(world, ending)).toEqual(expected);
  });

  test('every change was what its row says, by the log', async () => {
    const claimed = new Set(ENDINGS.flatMap(({ events }) => events));
    await service.drained();
    const { rows } = await service.database.pool.query<{ type: string }>(
      'select distinct event_type as type from log_unsealed',
    );
    const seen = new Set(rows.map(({ type }) => type));
    expect([...claimed].filter((event) => !seen.has(event))).toEqual([]);
  });
});

const ENDING = /delet|deactivat|revoke|remove|suspend|clear|\.end$|expire|reset|lock$|update_password|disable/;
const REPLACING = /rollover|invalidate|rotate|reuse|slo$/;

describe('nothing is missing:', () => {
  test('every event that ends something has a row, or a reason; so has every event with a reaction', () => {
    const rows = new Set<string>(ENDINGS.flatMap(({ events }) => events));
    const isApart = (name: string): boolean =>
      Object.keys(EVENTS_APART).some((one) => name === one || (one.endsWith('.') && name.startsWith(one)));
    const named = EVENT_TYPES.filter((name) => ENDING.test(name) || REPLACING.test(name));
    const reacted = [...Object.keys(REACTIONS), ...Object.keys(SET_REACTIONS)];
    const all = [...new Set([...named, ...reacted])];
    expect(all.filter((name) => !rows.has(name) && !isApart(name))).toEqual([]);
    expect(all.filter((name) => rows.has(name) && isApart(name))).toEqual([]);
    const isUsed = (one: string): boolean => all.some((name) => name === one || name.startsWith(one));
    expect(Object.keys(EVENTS_APART).filter((one) => !isUsed(one))).toEqual([]);
  });

  test('every row of the table of admission, and every table with what expires or is voided', async () => {
    const paths = new Set<string>(HELD.flatMap((held) => held.paths));
    expect(Object.keys(ADMISSION_PATHS).filter((path) => !paths.has(path) && !(path in PATHS_APART))).toEqual([]);
    expect(Object.keys(PATHS_APART).filter((path) => paths.has(path))).toEqual([]);
    const { rows } = await service.database.pool.query<{ name: string }>(
      `select distinct c.table_name as name from information_schema.columns c
         join information_schema.tables t on t.table_name = c.table_name and t.table_schema = c.table_schema
       where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
         and c.column_name in ('expires_at', 'idle_expires_at', 'issued_at', 'valid_after', 'token_hash')`,
    );
    const tables = new Set(HELD.flatMap((held) => held.tables));
    expect(rows.map(({ name }) => name).filter((name) => !tables.has(name) && !(name in TABLES_APART))).toEqual([]);
  });

  test('everything that something hangs on is ended by a row, and every row ends something or says why not', () => {
    const ended = new Set(ENDINGS.flatMap(({ ends }) => ends));
    const parents = new Set(HELD.flatMap(({ hangsOn }) => hangsOn));
    expect([...parents].filter((parent) => !ended.has(parent))).toEqual([]);
    expect([...ended].filter((parent) => !parents.has(parent))).toEqual([]);
    const names = [...ENDINGS, ...HELD].map(({ name }) => name);
    expect(names).toHaveLength(new Set(names).size);
    const silent = ENDINGS.filter(({ ends, name }) => ends.length === 0 && !name.includes(':'));
    expect(silent.map(({ name }) => name)).toEqual(['a claim of the authorization server is deleted']);
  });
});
