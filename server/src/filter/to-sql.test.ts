import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely';
import { describe, expect, test } from 'vitest';
import { OPERATORS } from './ast.ts';
import { readFilter } from './check.ts';
import { fieldTable } from './fields.ts';
import { columnLeaf, columnLeaves, type LeafSql, toSql } from './to-sql.ts';

const compiler = new Kysely<Record<string, never>>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});
const fields = fieldTable([
  { name: 'id', type: 'string', operators: OPERATORS },
  { name: 'login', type: 'string', operators: ['eq', 'sw', 'co'], caseInsensitive: ['eq', 'sw'] },
  { name: 'level', type: 'number', operators: ['gt'] },
  { name: 'active', type: 'boolean', operators: ['eq'] },
  { name: 'created', type: 'date', operators: ['ge', 'pr'] },
  { name: 'tags', type: 'string', array: true, operators: ['eq', 'pr'] },
  { name: 'unmapped', type: 'string', operators: ['pr'], caseInsensitive: ['eq'] },
]);
const column = (name: string): RawBuilder<unknown> => sql.ref(`users.${name}`);
const leaves = columnLeaves(
  new Map([
    ['id', { value: column('id') }],
    ['login', { value: column('login'), key: column('login_value_key') }],
    ['level', { value: column('level') }],
    ['active', { value: column('active') }],
    ['created', { value: column('created') }],
    ['tags', { value: column('tags') }],
  ]),
);

function compiled(filter: string, leafSql: LeafSql = leaves): [string, readonly unknown[]] {
  const query = toSql(readFilter(filter, fields), leafSql).compile(compiler);
  return [query.sql.replaceAll('"users".', ''), query.parameters];
}

const ownLeaves: LeafSql = (leaf) =>
  leaf.field.name === 'tags' ? sql<boolean>`probe(${leaf.op})` : columnLeaf(leaf, { value: column('id') });

describe('toSql', () => {
  test.each<[string, string, unknown[]]>([
    ['id eq "x"', 'coalesce("id" = cast($1 as text), false)', ['x']],
    ['id ne "x"', 'coalesce("id" <> cast($1 as text), false)', ['x']],
    ['id pr', `coalesce("id" <> '', false)`, []],
    ['id ge "x"', 'coalesce("id" collate "C" >= cast($1 as text), false)', ['x']],
    ['id sw "a%_\\\\"', 'coalesce("id" collate "C" like $1, false)', ['a\\%\\_\\\\%']],
    ['id ew "%"', 'coalesce("id" collate "C" like $1, false)', ['%\\%']],
    ['id co "\'; drop"', 'coalesce("id" collate "C" like $1, false)', ["%'; drop%"]],
    ['login eq "ANN"', 'coalesce("login_value_key" = cast($1 as text), false)', ['ann']],
    ['login sw "AN"', 'coalesce("login_value_key" collate "C" like $1, false)', ['an%']],
    ['login co "AN"', 'coalesce("login" collate "C" like $1, false)', ['%AN%']],
    ['level gt 1.5', 'coalesce("level" > cast($1 as double precision), false)', [1.5]],
    ['active eq true', 'coalesce("active" = cast($1 as boolean), false)', [true]],
    [
      'created ge "2024-01-01T00:00:00Z"',
      'coalesce("created" >= cast($1 as timestamptz), false)',
      ['2024-01-01T00:00:00.000Z'],
    ],
    ['created pr', 'coalesce("created" is not null, false)', []],
    [
      'tags eq "x"',
      'coalesce(exists (select from unnest("tags") as element(value) ' +
        'where "element"."value" = cast($1 as text)), false)',
      ['x'],
    ],
    [
      'not (id pr and (created pr or id eq "x"))',
      `not ((coalesce("id" <> '', false) and ` +
        '(coalesce("created" is not null, false) or coalesce("id" = cast($1 as text), false))))',
      ['x'],
    ],
  ])('%s', (filter, text, parameters) => {
    expect(compiled(filter)).toEqual([text, parameters]);
  });

  test("a resource's own leaf SQL is wrapped too", () => {
    expect(compiled('tags eq "x" or id pr', ownLeaves)).toEqual([
      `(coalesce(probe($1), false) or coalesce("id" <> '', false))`,
      ['eq'],
    ]);
  });

  test('a field without its column is our mistake, not the client’s', () => {
    expect(() => compiled('unmapped pr')).toThrow('filter field unmapped has no column');
    const keyless = columnLeaves(new Map([['login', { value: column('login') }]]));
    expect(() => compiled('login eq "x"', keyless)).toThrow('filter field login ignores case but has no key column');
  });
});
