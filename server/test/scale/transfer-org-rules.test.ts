import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type Ask,
  exportOrg,
  importOrg,
  OPERATOR_PARTS,
  type OperatorPart,
  openOrgFile,
} from '../../src/directory-transfer/index.ts';
import { masterKeyOf } from '../../src/platform/crypto/index.ts';
import { systemContext } from '../../src/system-log/index.ts';
import { createApp, webApp } from '../support/apps.ts';
import { createClaim, createServerPath } from '../support/authorization-servers.ts';
import { createRule } from '../support/group-rules.ts';
import { createGroup } from '../support/groups.ts';
import { resealedExport } from '../support/org-files.ts';
import { type TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const masterKey = masterKeyOf(Buffer.alloc(32, 7));

const { service: from } = useService({ isShared: false });
const { service: to } = useService({ isShared: false });
let org: TestOrg;
let directory: string;
/** The lines of an export of an org, without the last line, which contains the digest. */
let lines: readonly string[];
let files = 0;
let names = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'transfer-rules-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const pool = () => from.database.pool;
const CHOSEN = 'Moved.Client_1';
const settings = {
  rateLimits: { authn: 100_000_000 },
  perTokenPercent: 50,
  logRetentionDays: 3_650,
  httpRedirectUris: 'allowed',
};

beforeEach(async () => {
  org = await from.newOrg();
  names += 1;
  await createRule(org, [(await createGroup(org)).id], 'user.city == "a"');
  await createClaim(org, await createServerPath(org), { valueType: 'GROUPS', group_filter_type: 'REGEX', value: 'a+' });
  await createApp(org, webApp({}, { client_id: CHOSEN }));
  await org.createUser();
  const stored = JSON.stringify({ ...settings, eventNames: 'current' });
  await pool().query('update orgs set settings = $2 where id = $1', [org.id, stored]);
  const now = new Date();
  const insert = (table: string, column: string, value: string) =>
    pool().query(`insert into ${table} (org_id, ${column}, created_at) values ($1, $2, $3)`, [org.id, value, now]);
  await insert('org_domains', 'domain', `login${names}.bigcorp.example`);
  await insert('org_trusted_proxies', 'cidr', '10.0.0.0/8');
  const ask: Ask = async <Row>(text: string, values: readonly unknown[]) =>
    (await pool().query(text, [...values])).rows as readonly Row[];
  await pool().query(`insert into client_ids values ($1, 'former.client', $2)`, [org.id, now]);
  let text = '';
  for await (const piece of exportOrg({ ask, masterKey }, org.id, { hashes: true, passphrase: null })) {
    text += piece.text;
  }
  lines = text.trim().split('\n').slice(0, -1);
});

interface Given {
  readonly keep?: readonly OperatorPart[];
  readonly subdomain?: string | null;
  readonly isTrial?: boolean;
}

async function imported(text: readonly string[], { isTrial = false, keep = [], subdomain = null }: Given) {
  files += 1;
  const path = join(directory, `${files}.ndjson`);
  await writeFile(path, resealedExport(text));
  const context = systemContext({
    orgId: org.id,
    namespace: to.application.namespace,
    name: 'test',
    now: to.clock.now(),
  });
  const ports = { work: to.application.work, masterKey, baseDomain: 'localhost' };
  return importOrg(ports, context, await openOrgFile(path), {
    passphrase: null,
    subdomain,
    isTrial,
    keep: new Set(keep),
    operator: 'test',
    progressed: () => undefined,
  });
}

async function storedHere() {
  const { rows } = await to.database.pool.query<{
    subdomain: string;
    settings: object;
    domains: number;
    proxies: number;
  }>(
    `select subdomain, settings, (select count(*) from org_domains where org_id = $1) as domains,
       (select count(*) from org_trusted_proxies where org_id = $1) as proxies from orgs where id = $1`,
    [org.id],
  );
  return rows[0] ?? null;
}

/**
 * Returns the export with the first row of a table changed. PostgreSQL formats the row, because the import exports the
 * org again and compares the result with the file.
 */
async function withRow(table: string, change: (row: Record<string, unknown>) => object): Promise<readonly string[]> {
  const index = lines.findIndex((line) => line.startsWith(`{"table":"${table}"`));
  const { row } = JSON.parse(lines[index] ?? '{}') as { row: Record<string, unknown> };
  const text = `select (select row_to_json(r)::text from (select ${Object.keys(row).join(', ')}) r) as text
    from json_populate_record(null::${table}, $1::json)`;
  const { rows } = await pool().query<{ text: string }>(text, [JSON.stringify({ ...row, ...change(row) })]);
  return lines.with(index, `{"table":"${table}","row":${rows[0]?.text}}`);
}

describe('what only operators set', () => {
  test('is left out and listed; the rest is here', async () => {
    const { leftOut, refused } = await imported(lines, { subdomain: `moved${names}` });
    expect(refused).toEqual([]);
    expect(leftOut.map((one) => one.split(':')[0])).toEqual([
      'limits',
      'limits',
      'redirects',
      'retention',
      'domains',
      'proxies',
    ]);
    expect(leftOut.join('\n')).toContain('cidr "10.0.0.0/8"');
    expect(leftOut.join('\n')).toContain('"authn":100000000');
    expect(await storedHere()).toEqual({
      subdomain: `moved${names}`,
      settings: { eventNames: 'current' },
      domains: 0,
      proxies: 0,
    });
  });

  test.each<[OperatorPart, object]>([
    ['domains', { domains: 1, proxies: 0, settings: { eventNames: 'current' } }],
    ['proxies', { domains: 0, proxies: 1, settings: { eventNames: 'current' } }],
    ['limits', { settings: { eventNames: 'current', rateLimits: settings.rateLimits, perTokenPercent: 50 } }],
    ['retention', { settings: { eventNames: 'current', logRetentionDays: 3_650 } }],
    ['redirects', { settings: { eventNames: 'current', httpRedirectUris: 'allowed' } }],
  ])('is taken over by its name: %s', async (part, expected) => {
    await imported(lines, { subdomain: `kept${names}`, keep: [part] });
    expect(await storedHere()).toMatchObject(expected);
  });

  test('all of it: the org exports as the same bytes', async () => {
    expect(await imported(lines, { keep: OPERATOR_PARTS })).toMatchObject({ leftOut: [], rows: lines.length - 1 });
    expect(await storedHere()).toMatchObject({ domains: 1, proxies: 1, settings });
  });

  test('the address too: without one, nothing is imported', async () => {
    await expect(imported(lines, {})).rejects.toThrow('--subdomain');
    expect(await storedHere()).toBeNull();
  });
});

describe('a row that the API would not have taken', () => {
  const hash = { algorithm: 'PBKDF2', iterationCount: 4_000_000_000, keySize: 32, digestAlgorithm: 'SHA256_HMAC' };
  const bytes = Buffer.alloc(32, 1).toString('base64');
  const deep = (levels: number): object => (levels === 0 ? {} : { a: deep(levels - 1) });

  test.each<[string, string, string, (row: Record<string, unknown>) => object]>([
    ['a reserved subdomain', 'orgs', 'which is reserved', () => ({ subdomain: 'login' })],
    ['an address that is code', 'orgs', 'website', () => ({ profile: { website: 'javascript:alert(1)' } })],
    ['a setting that there is not', 'orgs', 'There is no such setting', () => ({ settings: { everything: true } })],
    ['a limit beyond every limit', 'orgs', 'rateLimits', () => ({ settings: { rateLimits: { authn: 1e12 } } })],
    ['an org that is closed', 'orgs', 'Only an active org', () => ({ status: 'INACTIVE' })],
    ['a domain of one label', 'org_domains', 'at least two labels', () => ({ domain: 'localhost' })],
    ['a domain that is an address', 'org_domains', 'at least two labels', () => ({ domain: '1.2.3.4' })],
    [
      'a subdomain as a domain',
      'org_domains',
      'where orgs have their subdomains',
      () => ({ domain: 'globex.localhost' }),
    ],
    ['a domain in capitals', 'org_domains', 'lower case', () => ({ domain: 'Upper.example' })],
    ['a range that is none', 'org_trusted_proxies', 'CIDR', () => ({ cidr: 'everywhere' })],
    ['a dear hash', 'user_sign_in', 'iterationCount', () => ({ password: { ...hash, salt: bytes, value: bytes } })],
    ['a dear answer', 'user_sign_in', 'iterationCount', () => ({ recovery_answer: { ...hash, salt: bytes } })],
    ['an expression without an end', 'group_rules', 'at position', () => ({ expression: '('.repeat(4_000) })],
    [
      'a pattern without bounds',
      'authorization_server_claims',
      'too complex',
      () => ({
        name: 'mine',
        is_system: false,
        value_type: 'GROUPS',
        group_filter_type: 'REGEX',
        value: '(a{1,30}){1,30}',
      }),
    ],
    ['a client id of five characters', 'apps', 'must have 6 to 100', () => ({ chosen_client_id: 'short' })],
    ['a client id of our form', 'apps', 'have the form', () => ({ chosen_client_id: `00u${'a'.repeat(17)}` })],
    ['the word for all clients', 'client_ids', 'means all clients', () => ({ name_key: 'all_clients' })],
    ['a document without a floor', 'users', 'levels deep', () => ({ profile: deep(70) })],
  ])('%s is named, and nothing is written', async (_, table, reason, change) => {
    const changed = await withRow(table, change);
    const line = changed.findIndex((one, index) => one !== lines[index]) + 1;
    for (const isTrial of [true, false]) {
      const { refused } = await imported(changed, { keep: OPERATOR_PARTS, isTrial });
      expect(refused).toEqual([{ line, table, reason: expect.stringContaining(reason) }]);
    }
    expect(await storedHere()).toBeNull();
  });

  test('a trial of an honest file writes nothing either, and finds what is taken', async () => {
    expect(await imported(lines, { keep: OPERATOR_PARTS, isTrial: true })).toMatchObject({ refused: [] });
    expect(await storedHere()).toBeNull();
    await imported(lines, { keep: OPERATOR_PARTS });
    await expect(imported(lines, { keep: OPERATOR_PARTS, isTrial: true })).rejects.toThrow('already exists');
  });
});

describe('ids that were chosen for clients', () => {
  test('come along, with those that nobody may have any more', async () => {
    await imported(lines, { keep: OPERATOR_PARTS });
    const { rows } = await to.database.pool.query(
      `select array_agg(name_key order by name_key) as keys, (select array_agg(client_id) from apps
         where org_id = $1 and client_id <> id) as clients from client_ids where org_id = $1`,
      [org.id],
    );
    expect(rows).toEqual([{ keys: ['former.client', CHOSEN.toLowerCase()], clients: [CHOSEN] }]);
  });

  test('are nobody’s login: such a file is not taken, nor one whose id was never chosen', async () => {
    const login = 'former.client';
    const clash = await withRow('users', ({ profile }) => ({
      login,
      login_key: login,
      profile: { ...(profile as object), login },
    }));
    for (const isTrial of [true, false]) {
      await expect(imported(clash, { keep: OPERATOR_PARTS, isTrial })).rejects.toThrow('the same name');
    }
    const unclaimed = lines.filter((line) => !line.includes(`"name_key":"${CHOSEN.toLowerCase()}"`));
    expect(unclaimed.length).toBe(lines.length - 1);
    await expect(imported(unclaimed, { keep: OPERATOR_PARTS })).rejects.toThrow();
    expect(await storedHere()).toBeNull();
  });
});
