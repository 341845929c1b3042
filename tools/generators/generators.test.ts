import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { describe, expect, test } from 'vitest';
import { type AnyRoute, route } from '../../server/src/platform/http/route.ts';
import { generateCustomRoles, generatePermissions, type RoleTable } from './permissions.ts';
import { generateRoutes, generateScopes } from './routes.ts';
import { generateSchema } from './schema.ts';
import { generateConfig } from './tables.ts';
import { staleFiles, writeFiles } from './write-files.ts';

const Door = Type.Object({ id: Type.String(), open: Type.Boolean() }, { $id: 'Door' });

const getDoor = route({
  operationId: 'getDoor',
  method: 'GET',
  url: '/api/v1/doors/:doorId',
  summary: 'Retrieve a door',
  tag: 'Door',
  access: 'authenticated',
  scopes: ['doors.read'],
  permission: 'doors.read',
  params: Type.Object({ doorId: Type.String() }),
  response: { status: 200, schema: Door },
  errors: ['E0000007'],
  bucket: 'management',
  cors: true,
  handler: () => Promise.reject(new Error('never called')),
});

const knock: AnyRoute = { ...getDoor, operationId: 'knock', method: 'POST', access: 'public', scopes: [] };
const routes = [knock, getDoor];

test('the page of settings shows the former name of a renamed one', () => {
  const row = { name: 'GATEHOUSE_NEW', type: 'text', default: 'a', meaning: 'An example.', read: String } as const;
  const shown = (formerly?: { name: 'GATEHOUSE_OLD'; until: string }) =>
    generateConfig({ example: { ...row, ...(formerly && { formerly }) } });
  expect(shown()).toContain('| `GATEHOUSE_NEW` | text | `a` | An example. |');
  expect(shown({ name: 'GATEHOUSE_OLD', until: '0.4.0' })).toContain(
    'An example. Formerly `GATEHOUSE_OLD`, which works until release 0.4.0. |',
  );
});

describe('pages of routes', () => {
  test('the order does not depend on the order of declarations', () => {
    expect(generateRoutes(routes)).toBe(generateRoutes([...routes].reverse()));
    expect(generateScopes(routes)).toContain('| `doors.read` | `getDoor` |');
  });

  const left: Readonly<Record<string, 'some' | 'own'>> = { WARDEN: 'some', KEEPER: 'own' };
  const roleTable: RoleTable = {
    roles: ['PORTER', 'GUEST', 'WARDEN', 'KEEPER'],
    targets: (role) => (role in left ? 'doors' : null),
    reach: (role, { access }, isNarrowed) => {
      if (access === 'public') return 'all';
      if (role === 'GUEST') return 'nothing';
      return isNarrowed ? (left[role] ?? 'all') : 'all';
    },
    customPermissions: ['doors.look', 'gates.paint'],
    customReach: (name, _route, isNarrowed) => {
      if (name === 'gates.paint') return 'nothing';
      return isNarrowed ? 'some' : 'all';
    },
  };

  test('permissions say role by route who may', () => {
    const text = generatePermissions(routes, roleTable);
    expect(text).toContain(
      '| GET `/api/v1/doors/:doorId` | `doors.read` | all | nothing | all / targets | all / own |',
    );
    expect(text).toContain('| POST `/api/v1/doors/:doorId` | (public) | all | all | all | all |');
  });

  test('custom roles say by which permissions a route is opened, and which open none', () => {
    const text = generateCustomRoles(routes, roleTable);
    expect(text).toContain('| GET `/api/v1/doors/:doorId` | `doors.read` | `doors.look` | some |');
    expect(text).not.toContain('POST');
    expect(text).toContain('open nothing yet: `gates.paint`');
  });
});

describe('schema', () => {
  const column = { table_name: 'door_keys', column_name: 'id', type_name: 'int8', not_null: true, generated: false };
  const schemaOf = (...rows: object[]) => generateSchema(async () => rows.map((row) => ({ ...column, ...row })));

  test.each([
    [{}, 'id: number;'],
    [{ generated: true }, 'id: Generated<number>;'],
    [{ not_null: false, type_name: 'timestamptz' }, 'id: Date | null;'],
    [{ not_null: false, type_name: 'jsonb' }, 'id: unknown;'],
    [{ type_name: '_text' }, 'id: string[];'],
    [{ type_name: '_int4', not_null: false, generated: true }, 'id: Generated<number[] | null>;'],
    [{ type_name: 'bytea' }, 'id: Buffer;'],
  ])('%j becomes %s', async (row, expected) => {
    const text = await schemaOf(row);
    expect(text).toContain(expected);
    expect(text).toContain('door_keys: DoorKeys;');
  });

  test('an unknown type and an empty database are refused', async () => {
    await expect(schemaOf({ type_name: 'point' })).rejects.toThrow('door_keys.id');
    await expect(schemaOf()).rejects.toThrow('no tables');
  });
});

describe('files', () => {
  test('are written once, removed without a generator, and fresh afterwards', () => {
    const root = mkdtempSync(join(tmpdir(), 'gatehouse-files-'));
    try {
      mkdirSync(join(root, 'docs'));
      writeFileSync(join(root, 'docs', 'gone.md'), 'old');
      const files = new Map([['docs/new.md', 'text\n']]);
      expect(staleFiles(root, files, ['docs'])).toEqual(['docs/gone.md', 'docs/new.md']);
      expect(writeFiles(root, files, ['docs'])).toEqual(['docs/gone.md', 'docs/new.md']);
      expect(staleFiles(root, files, ['docs'])).toEqual([]);
      expect(readFileSync(join(root, 'docs', 'new.md'), 'utf8')).toBe('text\n');
      writeFileSync(join(root, 'docs', 'new.md'), 'by hand');
      expect(staleFiles(root, files, ['docs'])).toEqual(['docs/new.md']);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
