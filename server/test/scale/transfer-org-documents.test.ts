import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ask, exportOrg, importOrg, OPERATOR_PARTS, openOrgFile } from '../../src/directory-transfer/index.ts';
import { masterKeyOf } from '../../src/platform/crypto/index.ts';
import { systemContext } from '../../src/system-log/index.ts';
import { kindNamed, newAppOf } from '../support/app-kinds.ts';
import { createApp, webApp } from '../support/apps.ts';
import {
  createClaim,
  createScope,
  createServerPath,
  createServerPolicyPath,
  createServerRule,
} from '../support/authorization-servers.ts';
import { createHook, newHook } from '../support/hook-receiver.ts';
import { newOidcProvider } from '../support/identity-providers.ts';
import { createStream, newHttpsStream } from '../support/log-streams.ts';
import { resealedExport } from '../support/org-files.ts';
import { createPolicy, createRule, newSignOnRule, POLICIES } from '../support/policies.ts';
import { defineAttributes, GROUP_SCHEMA } from '../support/schemas.ts';
import { TAMPERED_DOCUMENTS } from '../support/tampered-documents.ts';
import { fillParts, TAMPERED_PARTS } from '../support/tampered-rows.ts';
import { setTheme } from '../support/themes.ts';
import { useService } from '../support/use-service.ts';

type Row = Record<string, unknown>;

const masterKey = masterKeyOf(Buffer.alloc(32, 7));

const { service } = useService({ isShared: false });
let directory: string;
/** The lines of an export of an org with rows in many tables, without the last line, which contains the digest. */
let lines: readonly string[];
let files = 0;

async function fill(): Promise<void> {
  const { org } = service;
  const policy = await createPolicy(org, { name: 'Tampered' });
  await createRule(org, `${POLICIES}/${policy.id}`, newSignOnRule({ name: 'Tampered' }));
  const server = await createServerPath(org, { name: 'Tampered' });
  await createScope(org, server, { name: 'Tampered' });
  await createClaim(org, server, { name: 'Tampered' });
  await createServerRule(org, await createServerPolicyPath(org, server, { name: 'Tampered' }), { name: 'Tampered' });
  const proxies = [{ type: 'CIDR', value: '10.0.0.0/16' }];
  await org.admin.post('/api/v1/zones', { body: { type: 'IP', name: 'Tampered', proxies } });
  await createHook(org, newHook('https://hooks.example/in', { name: 'Tampered' }));
  await createStream(org, { ...newHttpsStream(), name: 'Tampered' });
  await setTheme(org);
  await createApp(org, webApp({}, {}, { label: 'Tampered' }));
  await createApp(org, newAppOf(kindNamed('BOOKMARK bookmark')));
  await org.admin.post('/api/v1/idps', { body: newOidcProvider('Tampered') });
  await defineAttributes(org, { tampered: { title: 'T', type: 'string', pattern: 'a+' } });
  await defineAttributes(org, { tampered: { title: 'T', type: 'string' } }, GROUP_SCHEMA);
  await fillParts(org);
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'transfer-documents-'));
  await fill();
  const ask: Ask = async <Found>(text: string, values: readonly unknown[]) =>
    (await service.database.pool.query(text, [...values])).rows as readonly Found[];
  let text = '';
  for await (const piece of exportOrg({ ask, masterKey }, service.org.id, { hashes: true, passphrase: null })) {
    text += piece.text;
  }
  lines = text.trim().split('\n').slice(0, -1);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Tries an import into the org's own installation. Rejects if no row is refused, because the org already exists. */
async function tried(text: readonly string[]) {
  files += 1;
  const path = join(directory, `${files}.ndjson`);
  await writeFile(path, resealedExport(text));
  const { namespace, work } = service.application;
  const context = systemContext({ orgId: service.org.id, namespace, name: 'test', now: service.clock.now() });
  return importOrg({ work, masterKey, baseDomain: 'localhost' }, context, await openOrgFile(path), {
    passphrase: null,
    subdomain: null,
    isTrial: true,
    keep: new Set(OPERATOR_PARTS),
    operator: 'test',
    progressed: () => undefined,
  });
}

const rowOf = (line: string): Row => (JSON.parse(line) as { row: Row }).row;

function placeOf(table: string, ...texts: readonly string[]): number {
  const index = lines.findIndex(
    (line) => line.startsWith(`{"table":"${table}"`) && texts.every((text) => line.includes(text)),
  );
  expect(index).toBeGreaterThan(0);
  return index;
}

/** Returns a copy of a document with another value at a path. */
function withValue(document: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  if (Array.isArray(document)) return document.with(Number(name), withValue(document[Number(name)], rest, value));
  const members = { ...(document as Row) };
  return { ...members, [name]: withValue(members[name], rest, value) };
}

test('what this server exported passes whole', async () => {
  await expect(tried(lines)).rejects.toThrow('already exists in this installation');
});

describe.each([...TAMPERED_DOCUMENTS, ...TAMPERED_PARTS])('a file with %s that the API would refuse', (_, rows) => {
  test.each(rows)('%s is named', async (_name, table, text, place, value, reason) => {
    const index = placeOf(table, text);
    const changed = withValue(rowOf(lines[index] ?? ''), place.split('.'), value);
    expect(changed).not.toEqual(rowOf(lines[index] ?? ''));
    const { refused } = await tried(lines.with(index, `{"table":"${table}","row":${JSON.stringify(changed)}}`));
    expect(refused).toEqual([{ line: index + 1, table, reason: expect.stringContaining(reason) }]);
  });
});

/** Tries an import with an additional row of a table that an export without a passphrase leaves out. */
const withKey = async (table: string, change: (row: Row) => object) => {
  const { rows } = await service.database.pool.query<{ row: Row }>(
    `select row_to_json(k) as row from ${table} k where org_id = $1 limit 1`,
    [service.org.id],
  );
  const row = { ...rows[0]?.row };
  expect(row['kid']).toBeDefined();
  return tried([...lines, `{"table":"${table}","row":${JSON.stringify({ ...row, ...change(row) })}}`]);
};

test.each<[string, string, object]>([
  ['signing_keys', 'algorithm', { algorithm: 'none' }],
  ['signing_keys', 'nothing else', { public_jwk: { kty: 'RSA', e: 'AQAB', n: 'AAAA', x5u: 'https://a.example' } }],
  ['signing_keys', 'thumbprint', { public_jwk: { kty: 'RSA', e: 'AQAB', n: 'AAAA' } }],
  ['app_signing_keys', 'certificate', { jwk: { kty: 'RSA', e: 'AQAB', n: 'AAAA', x5c: ['AAAA'] } }],
  ['app_signing_keys', 'thumbprint', { kid: 'other' }],
])('a key of %s is named that would be published: %s', async (table, reason, change) => {
  await expect(withKey(table, () => ({}))).rejects.toThrow();
  const { refused } = await withKey(table, () => change);
  expect(refused).toEqual([{ line: lines.length + 1, table, reason: expect.stringContaining(reason) }]);
});

test.each<[string, string, number]>([
  ['log_streams', 'Tampered', 10],
  ['event_hooks', 'Tampered', 25],
  ['behaviors', 'Tampered', 100],
  ['email_customizations', 'Tampered', 100],
  ['app_keys', 'tampered', 50],
  ['authorization_servers', 'Tampered', 500],
  ['policy_rules', '"type":"SIGN_ON","name":"Tampered"', 100],
  ['resource_set_resources', '"group"', 1_000],
])('more rows of %s than the API lets be made are named', async (table, text, maximum) => {
  const index = placeOf(table, text);
  const among = lines.filter((line) => line.startsWith(`{"table":"${table}"`));
  const own = table === 'authorization_servers' ? among.length : 1;
  const more = Array.from({ length: maximum - own }, () => lines[index] ?? '');
  // The maximum number of rows is not refused. The import then fails only because the org already exists.
  await expect(tried(lines.toSpliced(index, 0, ...more))).rejects.toThrow();
  const { refused } = await tried(lines.toSpliced(index, 0, ...more, lines[index] ?? ''));
  expect(refused).toEqual([
    { line: expect.any(Number), table, reason: expect.stringContaining(`at most ${maximum} of these`) },
  ]);
});

test.each<[string, string, (row: Row) => object, number, string]>([
  [
    'network_zones',
    'Tampered',
    ({ document }) => ({
      document: {
        ...(document as object),
        proxies: Array.from({ length: 75 }, (_, at) => ({ type: 'CIDR', value: `10.0.${at}.0/24` })),
      },
    }),
    14,
    'at most 1000 proxies',
  ],
  [
    'policy_rules',
    '"type":"IDP_DISCOVERY"',
    ({ conditions }) => {
      const patterns = Array.from({ length: 20 }, () => ({ matchType: 'EXPRESSION', value: 'a+' }));
      const { userIdentifier } = conditions as { userIdentifier: object };
      const widened = { ...(conditions as object), userIdentifier: { ...userIdentifier, patterns } };
      return { system: false, conditions: widened };
    },
    6,
    'at most 100 regular expressions',
  ],
])('what rows of %s hold is counted, too', async (table, text, change, rows, reason) => {
  const index = placeOf(table, text);
  const row = rowOf(lines[index] ?? '');
  const changed = { ...row, ...change(row) };
  const line = `{"table":"${table}","row":${JSON.stringify(changed)}}`;
  const many = Array.from({ length: rows }, () => line);
  const { refused } = await tried(lines.toSpliced(index, 1, ...many));
  expect(refused).toEqual([{ line: index + rows, table, reason: expect.stringContaining(reason) }]);
});
