import { beforeEach, describe, expect, test } from 'vitest';
import type { Context } from '../../kernel/context.ts';
import { lifecycle } from '../../kernel/lifecycle.ts';
import type { Version } from '../../kernel/version.ts';
import { toOrgId } from '../../kernel/words/ids.ts';
import { namespaceOf } from '../../kernel/words/namespace.ts';
import { BoundKysely } from '../../platform/postgres/connections/dialect.ts';
import { columns } from '../../platform/postgres/index.ts';
import { changeTarget, type NewEvent, systemContext, type Work } from '../../system-log/index.ts';
import { resource, statusChange } from './resource.ts';
import { resourceStore } from './resource-store.ts';

interface Zone {
  readonly id: string;
  readonly name: string;
  readonly status: 'ACTIVE' | 'INACTIVE';
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

const STORE = resourceStore(
  'zone',
  columns<Zone>('network_zones', {
    id: 'key',
    name: 'changes',
    status: 'changes',
    lastUpdatedAt: 'changes',
    revision: 'revision',
  }),
);
const SELECT = 'select id, name, status, last_updated_at as "lastUpdatedAt", revision from network_zones';

const followed: (readonly [Zone | null, Zone | null])[] = [];
const zones = resource<Zone>({
  noun: 'NetworkZone',
  store: STORE,
  version: ({ id, revision }): Version => ({ kind: 'zone', id, revision }),
  target: changeTarget(
    ({ id }: Zone) => ({ id, type: 'NetworkZone' }),
    ({ name, status }) => ({ name, status }),
  ),
  events: { create: 'zone.create', update: 'zone.update', delete: 'zone.delete' },
  limit: { maximum: 2, field: 'name', plural: 'zones' },
  follow: async (_tx, _context, change) => {
    followed.push(change);
  },
});
const changeStatus = statusChange(
  zones,
  lifecycle({
    activate: { from: ['INACTIVE'], to: ['ACTIVE'], event: 'zone.activate' },
    deactivate: { from: ['ACTIVE'], to: ['INACTIVE'], event: 'zone.deactivate' },
  } as const),
  (_context, action) => ({ name: `${action}d` }),
);

const now = new Date('2026-11-20T12:00:00.123Z');
const context: Context = systemContext({ orgId: toOrgId('00o1'), namespace: namespaceOf('svc'), name: 'test', now });
const home: Zone = { id: 'nzo1', name: 'Home', status: 'ACTIVE', lastUpdatedAt: new Date(0), revision: 3 };

let stored: Zone | null = home;
let count = 0;
const statements: string[] = [];
const events: NewEvent[] = [];

const tx = new BoundKysely(async ({ text }) => {
  statements.push(text);
  const row = text.startsWith('select count') ? { count } : stored;
  return { rows: row === null ? [] : [row], rowCount: 1, command: '', oid: 0, fields: [] };
});
const work: Work = (_context, run) => run(tx, (event) => events.push(event));

beforeEach(() => {
  stored = home;
  count = 0;
  for (const list of [followed, statements, events]) list.length = 0;
});

describe('a resource', () => {
  test('that the org does not have is refused by its noun', async () => {
    stored = null;
    const refusal = { code: 'E0000007', message: expect.stringContaining('nzo2 (NetworkZone)') };
    await expect(zones.get(tx, context, 'nzo2')).rejects.toMatchObject(refusal);
    await expect(zones.delete(work, context, 'nzo2')).rejects.toMatchObject(refusal);
    expect(events).toEqual([]);
  });

  test('is locked in the version that the client has, whatever changes it', async () => {
    const other = { ...context, precondition: (version: Version | null) => version?.revision === 2 };
    const refusal = { code: 'E0000231' };
    await expect(zones.delete(work, other, 'nzo1')).rejects.toMatchObject(refusal);
    await expect(zones.replace(work, other, 'nzo1', () => ({ name: 'Away' }))).rejects.toMatchObject(refusal);
    await expect(changeStatus(work, other, 'nzo1', 'deactivate')).rejects.toMatchObject(refusal);
    expect(new Set(statements)).toEqual(new Set([`${SELECT} where org_id = $1 and id = $2 for update`]));
  });

  test('is created up to the limit, one create at a time', async () => {
    expect(await zones.create(work, context, home)).toBe(home);
    expect(statements).toHaveLength(3);
    expect(statements[0]).toContain('pg_advisory_xact_lock');
    expect(events.map(({ eventType }) => eventType)).toEqual(['zone.create']);
    expect(followed).toEqual([[null, home]]);
    count = 2;
    await expect(zones.create(work, context, home)).rejects.toMatchObject({
      code: 'E0000001',
      causes: [{ errorSummary: 'name: An org may have at most 2 zones.' }],
    });
  });

  test('changes in the next revision, and not at all where nothing told changes', async () => {
    const after = await zones.replace(work, context, 'nzo1', ({ name }) => ({ name: `${name}!` }));
    const second = new Date('2026-11-20T12:00:00.000Z');
    expect(after).toEqual({ ...home, name: 'Home!', lastUpdatedAt: second, revision: 4 });
    expect(followed).toEqual([[home, after]]);
    expect(await zones.replace(work, context, 'nzo1', () => ({ name: 'Home' }))).toBe(home);
    expect(events.map(({ eventType }) => eventType)).toEqual(['zone.update']);
    expect(statements.filter((text) => text.startsWith('update'))).toHaveLength(1);
  });

  test('is deleted unless the check refuses', async () => {
    const refusal = new Error('in use');
    const check = () => {
      throw refusal;
    };
    await expect(zones.delete(work, context, 'nzo1', check)).rejects.toBe(refusal);
    expect(events).toEqual([]);
    await zones.delete(work, context, 'nzo1');
    expect(events.map(({ eventType }) => eventType)).toEqual(['zone.delete']);
    expect(followed).toEqual([[home, null]]);
  });

  test('stays as it is in a status that it has', async () => {
    expect(await changeStatus(work, context, 'nzo1', 'activate')).toBe(home);
    expect(events).toEqual([]);
    const after = await changeStatus(work, context, 'nzo1', 'deactivate');
    expect(after).toMatchObject({ status: 'INACTIVE', name: 'deactivated', revision: 4 });
    expect(events.map(({ eventType }) => eventType)).toEqual(['zone.deactivate']);
  });
});

describe('a store', () => {
  test('reads a page on either side of a key, of the org alone', async () => {
    await STORE.readPage(tx, toOrgId('00o1'), [], { key: null, backwards: false, rows: 3 });
    await STORE.readPage(tx, toOrgId('00o1'), [], { key: 'Home', backwards: true, rows: 3 }, 'name');
    expect(statements.map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
      `${SELECT} where org_id = $1 order by id asc limit $2`,
      `${SELECT} where org_id = $1 and name < $2 order by name desc limit $3`,
    ]);
  });
});
