import { describe, expect, test } from 'vitest';
import { ApiError } from '../../kernel/errors/errors.ts';
import { wireGrantType } from '../../kernel/grant-types.ts';
import { claimValueChecker } from './claims/check-claim-value.ts';
import { readClaim, readSystemClaim } from './claims/claim-rules.ts';
import { readPolicy, readRule } from './rules/rule-document-rules.ts';
import { assertSystemScopeKeeps, readScope } from './scopes/scope-rules.ts';
import { SYSTEM_CLAIMS, SYSTEM_SCOPES } from './servers/seed-rules.ts';
import { readServer } from './servers/server-rules.ts';

type Body = Readonly<Record<string, unknown>>;

function causesOf(read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.causes.map(({ errorSummary }) => errorSummary);
  }
}

const long = 'x'.repeat(2_000);

describe('servers', () => {
  const body = { name: ' Shop ', audiences: ['api://shop'] };

  test('say what is not said by default, and keep it when they are replaced', () => {
    const given = {
      name: 'Shop',
      description: '',
      audiences: ['api://shop'],
      issuerMode: 'DYNAMIC',
      rotationMode: 'AUTO',
    };
    expect(readServer(body)).toEqual(given);
    const kept = { issuerMode: 'ORG_URL', rotationMode: 'MANUAL' } as const;
    expect(readServer(body, kept)).toEqual({ ...given, ...kept });
  });

  test.each<[string, Body]>([
    ['name: The field cannot be left blank', { name: '  ' }],
    ['name: must be at most', { name: long }],
    ['description: must be at most', { description: long }],
    ['audiences: The field cannot be left blank', { audiences: [] }],
    ['audiences: must have at most one entry', { audiences: ['a', 'b'] }],
    ['issuerMode: must be one of', { issuerMode: 'OTHER' }],
    ['issuerMode: is not supported yet', { issuerMode: 'CUSTOM_URL' }],
    ['credentials.signing.rotationMode: must be one of', { credentials: { signing: { rotationMode: 'NEVER' } } }],
    ['credentials.signing.use: must be one of', { credentials: { signing: { use: 'enc' } } }],
    ['credentials.encryption: is not supported yet', { credentials: { encryption: {} } }],
    ['jwks: is not supported yet', { jwks: { keys: [] } }],
    ['jwks_uri: is not supported yet', { jwks_uri: 'https://x.example' }],
    ['accessTokenEncryptedResponseAlgorithm: is not', { accessTokenEncryptedResponseAlgorithm: 'RSA-OAEP-256' }],
  ])('%s', (cause, given) => {
    expect(causesOf(() => readServer({ ...body, ...given }))).toEqual([expect.stringContaining(cause)]);
  });

  test('are told all faults at once', () => {
    expect(causesOf(() => readServer({ audiences: [], issuerMode: 'X', jwks_uri: 'x' }))).toHaveLength(4);
  });
});

describe('scopes', () => {
  test.each([
    ['a space', 'a b'],
    ['a quotation mark', 'a"b'],
    ['a backslash', 'a\\b'],
    ['a letter beyond ASCII', 'straße'],
    ['nothing', ''],
    ['too much', long],
    ['the word for all', '*'],
    ['the prefix of scopes of the API', 'svc.users.read'],
    ['the same in another case', 'SVC.users.read'],
    ['a colon behind the word', 'svc:x'],
    ['the word alone', 'svc'],
    ['the word alone in another case', 'Svc'],
  ])('have no name with %s', (_, name) => {
    expect(causesOf(() => readScope({ name }, 'svc'))).toEqual([expect.stringMatching(/^name: /)]);
  });

  test.each(['acme', 'acme:x', 'ACME.users.read', 'svc', 'svc:x', 'svc.users.read'])(
    'have no name %s where the word is another one',
    (name) => {
      expect(causesOf(() => readScope({ name }, 'acme'))).toEqual([expect.stringMatching(/^name: /)]);
    },
  );

  test.each(['svcx', 'svc-x', 'x.svc', 'acme.users.read'])('may have the name %s', (name) => {
    expect(readScope({ name }, 'svc').name).toBe(name);
  });

  test('keep a name from before', () => {
    expect(readScope({ name: 'svc:x' }, 'svc', { name: 'svc:x', displayName: null }).name).toBe('svc:x');
    expect(causesOf(() => readScope({ name: 'svc:x' }, 'svc', { name: 'svc:y', displayName: null }))).toHaveLength(1);
  });

  test('read what is not said as private, without consent', () => {
    expect(readScope({ name: 'car:order' }, 'svc')).toEqual({
      name: 'car:order',
      displayName: null,
      description: null,
      metadataPublish: 'NO_CLIENTS',
      consent: 'IMPLICIT',
      isOptional: false,
      isDefault: false,
    });
  });

  test('of the system keep their name, and nobody is asked for them', () => {
    const [openid] = SYSTEM_SCOPES;
    if (openid === undefined) throw new Error('no scopes');
    expect(causesOf(() => assertSystemScopeKeeps(openid, { ...openid, displayName: 'x', isDefault: true }))).toEqual(
      [],
    );
    for (const change of [{ name: 'x' }, { consent: 'REQUIRED' }, { isOptional: true }] as const) {
      expect(causesOf(() => assertSystemScopeKeeps(openid, { ...openid, ...change }))).toHaveLength(1);
    }
  });
});

describe('claims', () => {
  const body = { name: 'team', claimType: 'RESOURCE', valueType: 'EXPRESSION', value: 'user.department' };
  const caller = { principal: { kind: 'system', name: 'test' }, roles: [] } as const;
  const read = (given: Body) => readClaim({ ...body, ...given }, claimValueChecker(caller));

  test('of access tokens are in every one', () => {
    expect(read({ alwaysIncludeInToken: false })).toMatchObject({ alwaysInclude: true, scopes: [], status: 'ACTIVE' });
    expect(read({ claimType: 'IDENTITY', alwaysIncludeInToken: false })).toMatchObject({ alwaysInclude: false });
  });

  test.each<[string, Body]>([
    ['name: must not be iss, a claim', { name: 'iss' }],
    ['name: must not be sub, a claim', { name: 'sub' }],
    ['name: must not be cnf, a claim', { name: 'cnf' }],
    ['name: The field cannot', { name: null }],
    ['claimType: must be one of', { claimType: 'BOTH' }],
    ['claimType: must be one of', { claimType: null }],
    ['valueType: must be one of', { valueType: null }],
    ['valueType: must not be SYSTEM', { valueType: 'SYSTEM' }],
    ['value: The field cannot', { value: '' }],
    ['value: must be at most', { value: long }],
    ['value: Expected', { value: 'user.(' }],
    ['group_filter_type: belongs', { group_filter_type: 'EQUALS' }],
    ['group_filter_type: must be one of', { valueType: 'GROUPS' }],
    ['value: must be a regular expression', { valueType: 'GROUPS', group_filter_type: 'REGEX', value: '(' }],
    ['value: is too complex', { valueType: 'GROUPS', group_filter_type: 'REGEX', value: '(a{30}){30}' }],
    ['conditions.scopes: must be an array', { conditions: { scopes: 'openid' } }],
    ['conditions.people: is not supported', { conditions: { people: {} } }],
    ['status: must be one of', { status: 'GONE' }],
  ])('%s', (cause, given) => {
    expect(causesOf(() => read(given))).toEqual([expect.stringContaining(cause)]);
  });

  test('may name what nobody knows: an expression is read, not looked up', () => {
    expect(read({ value: 'cool' })).toMatchObject({ value: 'cool' });
  });

  test('of the system keep what they are; whether they are there and for which scopes may change', () => {
    const email = SYSTEM_CLAIMS.find(({ name }) => name === 'email');
    if (email === undefined) throw new Error('no claims');
    const asRecorded = {
      name: 'email',
      claimType: 'IDENTITY',
      valueType: 'SYSTEM',
      conditions: { scopes: ['openid'] },
    };
    expect(readSystemClaim({ ...asRecorded, alwaysIncludeInToken: true, status: 'INACTIVE' }, email)).toEqual({
      ...email,
      alwaysInclude: true,
      status: 'INACTIVE',
      scopes: ['openid'],
    });
    expect(readSystemClaim({}, email)).toEqual(email);
    for (const change of [{ name: 'x' }, { claimType: 'RESOURCE' }, { valueType: 'EXPRESSION' }, { value: 'x' }]) {
      expect(causesOf(() => readSystemClaim({ ...asRecorded, ...change }, email))).toHaveLength(1);
    }
  });
});

describe('policies and rules', () => {
  const all = { clients: { include: ['app', 'ALL_CLIENTS', 'app'] } };
  const people = { groups: { include: ['EVERYONE'] } };
  const conditions = { people, grantTypes: { include: ['implicit', 'implicit'] }, scopes: { include: ['a', '*'] } };
  const rule = (given: Body = {}) => readRule({ name: 'R', conditions, ...given }, 'svc');
  const token = (given: Body) => rule({ actions: { token: given } });

  test('say all by one word', () => {
    expect(readPolicy({ name: 'P', conditions: all, priority: null }).clients).toEqual(['ALL_CLIENTS']);
    expect(rule()).toMatchObject({
      conditions: { grantTypes: { include: ['implicit'] }, scopes: { include: ['*'] } },
      accessTokenLifetimeMinutes: 60,
      refreshTokenLifetimeMinutes: 0,
      refreshTokenWindowMinutes: 10_080,
      wanted: null,
      givenStatus: null,
    });
  });

  test('hold grants of the namespace without its word', () => {
    const include = ['urn:svc:params:oauth:grant-type:otp'];
    expect(rule({ conditions: { ...conditions, grantTypes: { include } } }).conditions.grantTypes.include).toEqual([
      'otp',
    ]);
    expect(wireGrantType('otp', { word: 'svc' })).toBe(include[0]);
    expect(wireGrantType('password', { word: 'svc' })).toBe('password');
  });

  test.each<[string, () => unknown]>([
    ['type: must be one of', () => readPolicy({ name: 'P', type: 'PASSWORD', conditions: all })],
    ['name: must be at most 100', () => readPolicy({ name: long, conditions: all })],
    ['description: must be at most 255', () => readPolicy({ name: 'P', description: long, conditions: all })],
    ['conditions.clients.include: The field cannot', () => readPolicy({ name: 'P', conditions: { clients: {} } })],
    ['conditions.people: is not supported', () => readPolicy({ name: 'P', conditions: { ...all, people } })],
    ['priority: must be a whole number', () => readPolicy({ name: 'P', conditions: all, priority: 0 })],
    ['status: must be one of', () => readPolicy({ name: 'P', conditions: all, status: 'NONE' })],
    ['type: must be one of', () => rule({ type: 'SIGN_ON' })],
    ['conditions: The field cannot', () => rule({ conditions: null })],
    ['conditions.grantTypes.include: The field', () => rule({ conditions: { people } })],
    [
      'must not contain refresh_token',
      () => rule({ conditions: { people, grantTypes: { include: ['refresh_token'] } } }),
    ],
    ['conditions.people: must include users or groups', () => rule({ conditions: { ...conditions, people: {} } })],
    [
      'conditions.people.groups.include: must have at most',
      () => rule({ conditions: { ...conditions, people: { groups: { include: Array(101).fill('g') } } } }),
    ],
    ['conditions.network: is not supported', () => rule({ conditions: { ...conditions, network: {} } })],
    [
      'accessTokenLifetimeMinutes: must be a whole number from 5 to 1440',
      () => token({ accessTokenLifetimeMinutes: 4 }),
    ],
    ['accessTokenLifetimeMinutes: must be a whole', () => token({ accessTokenLifetimeMinutes: 1_441 })],
    ['accessTokenLifetimeMinutes: must be a whole', () => token({ accessTokenLifetimeMinutes: '60' })],
    ['refreshTokenLifetimeMinutes: must be 0 or', () => token({ refreshTokenLifetimeMinutes: 59 })],
    [
      'refreshTokenWindowMinutes: must be a whole number from 10 to 2628000',
      () => token({ refreshTokenWindowMinutes: 9 }),
    ],
    ['refreshTokenWindowMinutes: must be a whole', () => token({ refreshTokenWindowMinutes: 2_628_001 })],
    ['actions.token.inlineHook: is not supported', () => token({ inlineHook: { id: 'cal' } })],
  ])('%s', (cause, read) => {
    expect(causesOf(read)).toEqual([expect.stringContaining(cause)]);
  });

  test('of a client alone need nobody', () => {
    const alone = { grantTypes: { include: ['client_credentials'] }, scopes: { include: ['*'] } };
    expect(causesOf(() => rule({ conditions: alone }))).toEqual([]);
  });
});
