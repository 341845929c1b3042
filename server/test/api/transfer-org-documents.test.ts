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
import { startTestService, type TestService } from '../support/service.ts';
import { fillParts, TAMPERED_PARTS, type Tampering } from '../support/tampered-rows.ts';
import { setTheme } from '../support/themes.ts';

// Documents of an org's file are read as the API reads them: what is shown of a row is put back.

type Row = Record<string, unknown>;

const masterKey = masterKeyOf(Buffer.alloc(32, 7));

let service: TestService;
let directory: string;
/** The export of an org with something in many tables, header first, without its last line. */
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
  service = await startTestService();
  await fill();
  const ask: Ask = async <Found>(text: string, values: readonly unknown[]) =>
    (await service.database.pool.query(text, [...values])).rows as readonly Found[];
  let text = '';
  for await (const piece of exportOrg({ ask, masterKey }, service.org.id, { hashes: true, passphrase: null })) {
    text += piece.text;
  }
  lines = text.trim().split('\n').slice(0, -1);
});
afterAll(async () => {
  await service.close();
  await rm(directory, { recursive: true, force: true });
});

/** A trial, in the installation that the org is in: a file whose rows all pass is refused for its ids. */
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

/** The place of the first row of a table in which all of these texts stand. */
function placeOf(table: string, ...texts: readonly string[]): number {
  const index = lines.findIndex(
    (line) => line.startsWith(`{"table":"${table}"`) && texts.every((text) => line.includes(text)),
  );
  expect(index).toBeGreaterThan(0);
  return index;
}

/** A copy of a document with another value at a place; its members are there. */
function withValue(document: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  if (Array.isArray(document)) return document.with(Number(name), withValue(document[Number(name)], rest, value));
  const members = { ...(document as Row) };
  return { ...members, [name]: withValue(members[name], rest, value) };
}

test('what this server exported passes whole', async () => {
  await expect(tried(lines)).rejects.toThrow('is here already');
});

const POLICY_ROWS: readonly Tampering[] = [
  ['a type of policy that there is not', 'policies', 'Tampered', 'type', 'EVERYTHING', 'no such type'],
  ['groups that are no list', 'policies', 'Tampered', 'conditions.groups.include', {}, 'conditions'],
  ['a length beyond every limit', 'policies', '"type":"PASSWORD"', 'settings.complexity.minLength', -1, 'minLength'],
  ['an access that there is not', 'policy_rules', 'Tampered', 'actions.access', 'MAYBE', 'access'],
  ['a rule of an unknown type', 'policy_rules', 'Tampered', 'type', 'OTHER', 'no such type'],
  ['a rule without actions', 'policy_rules', 'Tampered', 'actions', {}, 'not of the form'],
  ['people that are none', 'policy_rules', 'Tampered', 'conditions.users.include', {}, 'conditions'],
  ['a network that is nowhere', 'policy_rules', 'Tampered', 'conditions.network.connection', 'NEAR', 'connection'],
  [
    'a check of apps that there is not',
    'policy_rules',
    '"type":"ACCESS_POLICY"',
    'actions.appSignOn.verificationMethod.type',
    'NOTHING',
    'verificationMethod',
  ],
  [
    'a pattern without bounds',
    'policy_rules',
    '"type":"IDP_DISCOVERY"',
    'conditions.userIdentifier.patterns',
    [{ matchType: 'EXPRESSION', value: '(a{1,30}){1,30}' }],
    'too large',
  ],
];

const SERVER_ROWS: readonly Tampering[] = [
  ['an audience that is none', 'authorization_servers', 'Tampered', 'audiences', [], 'audiences'],
  ['a scope with a blank', 'authorization_server_scopes', 'Tampered', 'name', 'a b', 'ASCII only'],
  ['a scope of the system', 'authorization_server_scopes', 'Tampered', 'is_system', true, 'by itself'],
  ['a claim of the service', 'authorization_server_claims', 'Tampered', 'name', 'sub', 'made by the service'],
  ['a claim of the system', 'authorization_server_claims', 'Tampered', 'is_system', true, 'by itself'],
  ['an expression without an end', 'authorization_server_claims', 'Tampered', 'value', '((', 'at position'],
  ['clients that are no list', 'authorization_server_policies', 'Tampered', 'clients', {}, 'must be a list'],
  [
    'a grant that there is not',
    'authorization_server_rules',
    'Tampered',
    'conditions.grantTypes.include',
    ['any'],
    'the grant type any',
  ],
  [
    'tokens for a year',
    'authorization_server_rules',
    'Tampered',
    'access_token_lifetime_minutes',
    525_600,
    'accessTokenLifetimeMinutes',
  ],
];

const ADDRESS_ROWS: readonly Tampering[] = [
  ['a colour that is a style', 'themes', '', 'primary_color', 'red;}body{display:none', 'must be a colour'],
  ['a proxy that is everybody', 'network_zones', 'Tampered', 'document.proxies.0.value', '0.0.0.0/0', 'too wide'],
  ['a gateway that is none', 'network_zones', 'Tampered', 'document.gateways', [{}], 'gateways[0].type'],
  ['a hook in the clear', 'event_hooks', 'Tampered', 'channel.uri', 'http://hooks.example/in', 'must be https'],
  [
    'a header of another kind',
    'event_hooks',
    'Tampered',
    'channel.headers',
    [{ key: 'Host', value: 'x' }],
    'is set by',
  ],
  ['an event that there is not', 'event_hooks', 'Tampered', 'subscription.items', ['every.thing'], 'no event type'],
  ['a stream in the clear', 'log_streams', 'Tampered', 'settings.url', 'http://logs.example/in', 'must be https'],
  ['a stream of another type', 'log_streams', 'Tampered', 'settings.type', 'file_ndjson', 'the type of the stream'],
];

const CLIENT = 'document.settings.oauthClient';
const ATTRIBUTE = 'custom_attributes.0.definition';

const APP_ROWS: readonly Tampering[] = [
  ['an address that is code', 'apps', 'Tampered', `${CLIENT}.redirect_uris`, ['javascript:alert(1)'], 'scheme'],
  ['a wildcard that nobody asked for', 'apps', 'Tampered', `${CLIENT}.redirect_uris`, ['https://*.a.com/'], 'wildcard'],
  ['a grant that there is not', 'apps', 'Tampered', `${CLIENT}.grant_types`, ['any'], 'grant_types'],
  ['a consent that there is not', 'apps', 'Tampered', `${CLIENT}.consent_method`, 'NEVER', 'consent_method'],
  ['a service without a proof', 'apps', 'Tampered', 'application_type', 'service', 'that of the document'],
  [
    'a client that proves nothing',
    'apps',
    'Tampered',
    'document.credentials.oauthClient',
    { token_endpoint_auth_method: 'none', autoKeyRotation: true, pkce_required: false },
    'pkce_required',
  ],
  ['a mode that there is not', 'apps', 'Tampered', 'sign_on_mode', 'OTHER', 'signOnMode'],
  [
    'a bookmark that is code',
    'apps',
    'bookmark',
    'document.settings.app.url',
    'javascript:alert(1)',
    'settings.app.url',
  ],
];

const PROVIDER = 'document.protocol';

const SCHEMA_ROWS: readonly Tampering[] = [
  ['a provider of no type', 'identity_providers', 'Tampered', 'type', 'OTHER', 'type'],
  ['keys from nowhere', 'identity_providers', 'Tampered', `${PROVIDER}.endpoints.jwks.url`, 'x:y', 'endpoints.jwks'],
  ['a protocol of another kind', 'identity_providers', 'Tampered', `${PROVIDER}.type`, 'OAUTH2', 'protocol.type'],
  ['a pattern without bounds', 'user_types', 'tampered', `${ATTRIBUTE}.pattern`, '(a{1,30}){1,30}', 'pattern'],
  ['a type that there is not', 'user_types', 'tampered', `${ATTRIBUTE}.type`, 'object', 'type'],
  ['a name that is none', 'user_types', 'tampered', 'custom_attributes.0.name', 'a b', 'A name'],
  [
    'a base pattern without bounds',
    'user_types',
    'tampered',
    'base_overrides',
    { login: { pattern: '((' } },
    'pattern',
  ],
  ['a base attribute that there is not', 'user_types', 'tampered', 'base_overrides', { a: {} }, 'no base attribute'],
  ['a length below none', 'profile_schemas', 'tampered', `${ATTRIBUTE}.minLength`, -1, 'minLength'],
];

const KINDS = [
  ['apps', APP_ROWS],
  ['providers and schemas', SCHEMA_ROWS],
  ['policies', POLICY_ROWS],
  ['authorization servers', SERVER_ROWS],
  ['zones, themes, hooks and streams', ADDRESS_ROWS],
  ...TAMPERED_PARTS,
] as const;

describe.each(KINDS)('a file with %s that the API would refuse', (_, rows) => {
  test.each(rows)('%s is named', async (_name, table, text, place, value, reason) => {
    const index = placeOf(table, text);
    const changed = withValue(rowOf(lines[index] ?? ''), place.split('.'), value);
    expect(changed).not.toEqual(rowOf(lines[index] ?? ''));
    const { refused } = await tried(lines.with(index, `{"table":"${table}","row":${JSON.stringify(changed)}}`));
    expect(refused).toEqual([{ line: index + 1, table, reason: expect.stringContaining(reason) }]);
  });
});

/** Rows of tables that go along with a passphrase alone, as they stand here. */
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
  // As many as there may be are not refused: the database then finds them to be the same.
  await expect(tried(lines.toSpliced(index, 0, ...more))).rejects.toThrow();
  const { refused } = await tried(lines.toSpliced(index, 0, ...more, lines[index] ?? ''));
  expect(refused).toEqual([
    { line: expect.any(Number), table, reason: expect.stringContaining(`have at most ${maximum} of these`) },
  ]);
});
