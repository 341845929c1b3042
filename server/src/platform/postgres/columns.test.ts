import { describe, expect, expectTypeOf, test } from 'vitest';
import { textArray } from './binary-arrays.ts';
import { columns } from './columns.ts';

interface NewZone {
  readonly id: string;
  readonly type: string;
  readonly name: string | null;
  readonly document: { readonly gateways: readonly string[] } | null;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
}

interface Zone extends NewZone {
  readonly isSystem: boolean;
  readonly revision: number;
}

const ZONES = columns<Zone, NewZone>('network_zones', {
  id: 'key',
  type: 'fixed',
  name: 'changes',
  document: 'json',
  createdAt: 'fixed',
  lastUpdatedAt: { is: 'changes', name: 'changed_at' },
  isSystem: { is: 'read', reads: `(z.usage = 'POLICY')` },
  revision: 'revision',
});

const zone: NewZone = {
  id: 'nzo1',
  type: 'IP',
  name: null,
  document: { gateways: ['10.0.0.1'] },
  createdAt: new Date(1),
  lastUpdatedAt: new Date(2),
};

describe('columns', () => {
  test('select: in the spelling of the row, with or without an alias', () => {
    expect(ZONES.select()).toBe(
      `id, type, name, document, created_at as "createdAt", changed_at as "lastUpdatedAt", ` +
        `(z.usage = 'POLICY') as "isSystem", revision`,
    );
    expect(ZONES.select('z')).toBe(
      `z.id, z.type, z.name, z.document, z.created_at as "createdAt", z.changed_at as "lastUpdatedAt", ` +
        `(z.usage = 'POLICY') as "isSystem", z.revision`,
    );
  });

  test('insert: the org, the keys, and all that is not only read', () => {
    const { text, values } = ZONES.insert();
    expect(text).toBe(
      'insert into network_zones (org_id, id, type, name, document, created_at, changed_at) ' +
        'values ($1, $2, $3, $4, $5, $6, $7)',
    );
    expect(values('00o1', zone)).toEqual([
      '00o1',
      'nzo1',
      'IP',
      null,
      '{"gateways":["10.0.0.1"]}',
      zone.createdAt,
      zone.lastUpdatedAt,
    ]);
  });

  test('update: what changes, and the revision', () => {
    const { text, values } = ZONES.update();
    expect(text).toBe(
      'update network_zones set name = $3, document = $4, changed_at = $5, revision = revision + 1 ' +
        'where org_id = $1 and id = $2',
    );
    expect(values('00o1', { ...zone, document: null })).toEqual(['00o1', 'nzo1', null, null, zone.lastUpdatedAt]);
  });

  test('further columns are set to expressions, over the parameters of the row and those after them', () => {
    const further = ZONES.update((places) => ({
      usage: places.free(0),
      status: `case when ${places.of('name')} is null then 'INACTIVE' else ${places.free(1)} end`,
    }));
    expect(further.text).toBe(
      'update network_zones set name = $3, document = $4, changed_at = $5, revision = revision + 1, usage = $6, ' +
        `status = case when $3 is null then 'INACTIVE' else $7 end where org_id = $1 and id = $2`,
    );
    const insert = ZONES.insert((places) => ({ usage: places.free(0), status: `'ACTIVE'` }));
    expect(insert.text).toBe(
      'insert into network_zones (org_id, id, type, name, document, created_at, changed_at, usage, status) ' +
        `values ($1, $2, $3, $4, $5, $6, $7, $8, 'ACTIVE')`,
    );
    expect(insert.places.free(1)).toBe('$9');
  });

  test('upsert: what changes is replaced, by the names of the key', () => {
    const upsert = ZONES.upsert(({ free }) => ({ usage: free(0) }));
    expect(upsert.text).toBe(
      'insert into network_zones (org_id, id, type, name, document, created_at, changed_at, usage) ' +
        'values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (org_id, id) do update set name = excluded.name, ' +
        'document = excluded.document, changed_at = excluded.changed_at, revision = network_zones.revision + 1',
    );
    expect(upsert.values('00o1', zone)).toHaveLength(7);
  });

  test('insert many: an array of texts per column, cast to its type', () => {
    const { text, values } = ZONES.insertMany({ createdAt: 'timestamptz', lastUpdatedAt: 'timestamptz' });
    expect(text.replaceAll(/\s+/g, ' ')).toBe(
      'insert into network_zones (org_id, id, type, name, document, created_at, changed_at) select $1, r.id, r.type, ' +
        'r.name, r.document, r.created_at, r.changed_at ' +
        'from (select $2::text[] as first offset 0) as hidden_r, unnest(hidden_r.first, $3::text[], $4::text[], ' +
        '$5::text[]::jsonb[], $6::text[]::timestamptz[], $7::text[]::timestamptz[]) ' +
        'as r (id, type, name, document, created_at, changed_at)',
    );
    expect(values('00o1', [zone, { ...zone, id: 'nzo2', document: null }])).toEqual([
      '00o1',
      textArray(['nzo1', 'nzo2']),
      textArray(['IP', 'IP']),
      textArray([null, null]),
      textArray(['{"gateways":["10.0.0.1"]}', null]),
      textArray(['1970-01-01T00:00:00.001Z', '1970-01-01T00:00:00.001Z']),
      textArray(['1970-01-01T00:00:00.002Z', '1970-01-01T00:00:00.002Z']),
    ]);
  });

  test('update many: what changes, and the revision, from an array of texts per column', () => {
    const { free, text, values } = ZONES.updateMany(
      { lastUpdatedAt: 'timestamptz' },
      { usage: 'coalesce(r.name, t.usage)' },
    );
    expect(text).toBe(
      'update network_zones t set name = r.name, document = r.document, ' +
        'changed_at = r.changed_at, revision = t.revision + 1, usage = coalesce(r.name, t.usage) ' +
        'from (select $2::text[] as first offset 0) as hidden_r, unnest(hidden_r.first, $3::text[], ' +
        '$4::text[]::jsonb[], $5::text[]::timestamptz[]) ' +
        'as r (id, name, document, changed_at) where t.org_id = $1 and t.id = r.id',
    );
    expect(values('00o1', [zone, { ...zone, id: 'nzo2', document: null }])).toEqual([
      '00o1',
      textArray(['nzo1', 'nzo2']),
      textArray([null, null]),
      textArray(['{"gateways":["10.0.0.1"]}', null]),
      textArray(['1970-01-01T00:00:00.002Z', '1970-01-01T00:00:00.002Z']),
    ]);
    expect(free(0)).toBe('$6');
  });

  test('a column that is written and not of the row is never selected', () => {
    const tokens = columns<{ readonly id: string }, { readonly id: string; readonly tokenHash: string }>('api_tokens', {
      id: 'key',
      tokenHash: { is: 'fixed', reads: null },
    });
    expect(tokens.select('t')).toBe('t.id');
    expect(tokens.insert().text).toBe('insert into api_tokens (org_id, id, token_hash) values ($1, $2, $3)');
  });

  test('the org may be held by another column', () => {
    const orgs = columns<{ readonly id: string; readonly status: string }>(
      'orgs',
      { id: 'read', status: 'changes' },
      'id',
    );
    expect(orgs.isKey).toBe('id = $1');
    expect(orgs.insert().text).toBe('insert into orgs (id, status) values ($1, $2)');
  });

  test('a property that the statement does not bind has no place', () => {
    expect(() => ZONES.update().places.of('type')).toThrow('does not bind type');
  });

  test('several keys are compared in their order', () => {
    const keys = columns<{ readonly serverId: string; readonly kid: string }>('signing_keys', {
      serverId: 'key',
      kid: 'key',
    });
    expect(keys.isKey).toBe('org_id = $1 and server_id = $2 and kid = $3');
  });

  test('the map names each property, and what is not written is only read', () => {
    type MapOf<Row, Written = Row> = Parameters<typeof columns<Row, Written>>[1];
    type Named = Pick<Zone, 'id' | 'isSystem'>;
    expectTypeOf<{ id: 'key'; isSystem: 'changes' }>().toExtend<MapOf<Named>>();
    expectTypeOf<{ id: 'key' }>().not.toExtend<MapOf<Named>>();
    expectTypeOf<{ id: 'key'; isSystem: 'changes' }>().not.toExtend<MapOf<Named, Pick<Zone, 'id'>>>();
    expectTypeOf<{ id: 'key'; isSystem: 'read' }>().toExtend<MapOf<Named, Pick<Zone, 'id'>>>();
    expectTypeOf<{ id: 'key'; isSystem: 'changes' }>().not.toExtend<MapOf<Pick<Zone, 'id'>, Named>>();
    expectTypeOf<{ id: 'key'; isSystem: { is: 'changes'; reads: null } }>().toExtend<MapOf<Pick<Zone, 'id'>, Named>>();
    expectTypeOf(ZONES.insert().values).parameter(1).toEqualTypeOf<NewZone>();
  });
});
