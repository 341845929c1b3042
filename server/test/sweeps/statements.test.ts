import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DRAINED_TEXT } from '../support/drained.ts';
import { repeatingOutbound } from '../support/hook-receiver.ts';
import { useService } from '../support/use-service.ts';
import { ACROSS_ORGS } from './statements-across-orgs.ts';
import { useEveryRoute } from './use-every-route.ts';
import { watchStatements } from './watched-statements.ts';

/** These operations never succeed, because roles are never assigned through governance. */
const NEVER_ANSWERED: ReadonlySet<string> = new Set([
  'getRoleAssignmentGovernanceGrant',
  'getRoleAssignmentGovernanceGrantResources',
]);

const OWN_STATEMENTS: ReadonlySet<string> = new Set([DRAINED_TEXT]);

const executed = new Set<string>();
// In a pool of one connection, a request deadlocks if it waits for a second connection while it holds the first.
const { service } = useService({ maximumConnections: 1, outbound: repeatingOutbound });
let tenantTables: string[];
let answeredWell: ReadonlySet<string>;

const spelled = (text: string): string => text.replaceAll('"', '').toLowerCase();

beforeAll(async () => {
  const watched = watchStatements();
  const { rows } = await service.database.pool.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition`,
  );
  tenantTables = rows.map(({ name }) => name);
  answeredWell = await useEveryRoute(service);
  await service.drained();
  for (const { text } of watched) executed.add(spelled(text));
});
afterAll(() => vi.restoreAllMocks());

interface Use {
  readonly table: string;
  readonly alias: string;
}

const NOT_AN_ALIAS = new Set([
  'where',
  'set',
  'on',
  'join',
  'left',
  'cross',
  'inner',
  'order',
  'group',
  'limit',
  'for',
  'returning',
  'values',
  'using',
  'select',
  'union',
  'as',
  'tablesample',
  'natural',
  'right',
  'full',
  'offset',
  'default',
]);

/**
 * Finds the tenant tables whose rows a statement reads, updates or deletes, each with its alias, or its name if it has
 * none.
 */
function usesOf(statement: string): Use[] {
  // Column lists are removed first, because a column may have the name of a table.
  const text = statement.replaceAll(/(insert into \w+(?: as \w+)?) ?\([^)]*\)/g, '$1');
  return tenantTables.flatMap((table) => {
    const pattern = new RegExp(`(?:from|join|update|using|,) (?:only )?${table}\\b(?: as)?(?: (\\w+))?`, 'g');
    return [...text.matchAll(pattern)].map((match) => ({
      table,
      alias: match[1] === undefined || NOT_AN_ALIAS.has(match[1]) ? table : match[1],
    }));
  });
}

const PARAMETER = String.raw`(?:any ?\()?\$\d+`;

/** Returns whether a parameter of the statement names an org. If none does, the statement could read any org's rows. */
const isAnchored = (text: string): boolean =>
  new RegExp(
    String.raw`\borg_id = ${PARAMETER}|\(org_id, [^)]*\) = \(\$\d+|\borgs?\.id = \$\d+|unnest\(\$\d+::text\[\]`,
  ).test(text);

/** Returns whether the statement is anchored and ties the table's org to a parameter or to the org of another row. */
function isBound(text: string, { alias, table }: Use): boolean {
  const another = String.raw`\w+\.(?:org_id|id)\b`;
  const qualified = String.raw`\b${alias}\.org_id = (?:${PARAMETER}|${another})|${another} = ${alias}\.org_id\b`;
  const plain = String.raw`(?<![\w.])org_id = ${PARAMETER}|\(org_id, [^)]*\) = \(\$\d+`;
  return isAnchored(text) && new RegExp(alias === table ? `${qualified}|${plain}` : qualified).test(text);
}

const looseTables = (text: string): string[] => usesOf(text).flatMap((use) => (isBound(text, use) ? [] : [use.table]));

function insertsWithoutOrg(text: string): string[] {
  return tenantTables.filter((table) => {
    const match = new RegExp(`insert into ${table}(?: as \\w+)? ?\\(([^)]*)\\)`).exec(text);
    return text.includes(`insert into ${table} `) && match?.[1]?.split(',')[0]?.trim() !== 'org_id';
  });
}

/**
 * Tells whether a statement contains `in (select ... limit n)`. If the table outside the parentheses is empty according
 * to its statistics, PostgreSQL may compare every row of that table with every selected row.
 */
function joinsBoundedPick(text: string): boolean {
  for (const { index } of text.matchAll(/\bin ?\( ?select /g)) {
    const from = text.indexOf('(', index);
    let depth = 0;
    let own = '';
    for (const character of text.slice(from)) {
      if (character === ')') depth -= 1;
      if (depth === 1) own += character;
      if (character === '(') depth += 1;
      if (depth === 0) break;
    }
    if (/ limit (?:\$|\d)/.test(own)) return true;
  }
  return false;
}

describe('every statement that ran', () => {
  test('came from a use of every route', () => {
    const missing = service.application.routes
      .map(({ operationId }) => operationId)
      .filter((id) => !answeredWell.has(id) && !NEVER_ANSWERED.has(id));
    expect(missing).toEqual([]);
    expect(executed.size).toBeGreaterThan(60);
  });

  test('had enough of one connection, those of jobs too', async () => {
    const waited = 'timeout exceeded when trying to connect';
    expect(service.logged()).not.toContain(waited);
    const text = 'select kind, last_error from jobs where last_error like $1';
    expect((await service.database.pool.query(text, [`%${waited}%`])).rows).toEqual([]);
  });

  test('names the org of every tenant table that it reads or changes', () => {
    const own = [...executed].filter(
      (text) =>
        !text.includes('pg_class') &&
        !OWN_STATEMENTS.has(text) &&
        !ACROSS_ORGS.some(({ pattern }) => pattern.test(text)),
    );
    const loose = own.flatMap((text) => looseTables(text).map((table) => `${table}: ${text}`));
    expect(loose).toEqual([]);
  });

  test.each([
    'select * from users where id = $1',
    'update users set status = $1 where id = $2',
    'delete from api_tokens',
    'select * from users u join api_tokens t on t.user_id = u.id where u.org_id = $1',
    'select * from users u join api_tokens t on t.org_id = u.org_id where u.id = $1',
  ])('this check finds %s', (text) => {
    expect(looseTables(text)).not.toEqual([]);
  });

  test('inserts rows with their org first', () => {
    expect([...executed].flatMap((text) => insertsWithoutOrg(text).map((table) => `${table}: ${text}`))).toEqual([]);
  });

  test('picks a bounded number of rows before it looks for them, whatever the planner believes', () => {
    expect([...executed].filter(joinsBoundedPick)).toEqual([]);
  });

  test.each([
    'delete from users where org_id = $1 and id in (select id from users where org_id = $1 order by id limit $2)',
    'delete from users where (org_id, id) in (select org_id, id from users where f(id, (select 1)) limit 5 for update)',
  ])('this check finds %s', (text) => {
    expect(joinsBoundedPick(text)).toBe(true);
  });

  test('no exemption is left over, and each is in the file it names', () => {
    for (const { file, pattern } of ACROSS_ORGS) {
      expect([String(pattern), [...executed].some((text) => pattern.test(text))]).toEqual([String(pattern), true]);
      expect(file).toMatch(/store\.ts$/);
      expect(readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8')).toMatch(/\b(org|Org)/);
    }
  });
});
