import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors/errors.ts';
import { type FieldTable, readFields, sampleOf } from './field-rules.ts';
import { APP_KINDS, kindOf, kindOfApp, nameOfKind, readKindSettings, SIGN_ON_MODES } from './kind-rules.ts';

const SETTING = { baseUrl: 'https://acme.example' };

function fieldsOf(run: () => unknown): string[] {
  try {
    run();
    return [];
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'E0000001') throw error;
    return error.causes.map(({ errorSummary }) => errorSummary.split(': ')[0] ?? '');
  }
}

test('the table has a row for every sign-on mode of the contract, and no two of one name', () => {
  expect([...new Set(APP_KINDS.map(({ mode }) => mode))].toSorted()).toEqual(SIGN_ON_MODES.toSorted());
  const names = APP_KINDS.map(nameOfKind).filter((name) => name !== null);
  expect(new Set(names).size).toBe(names.length);
});

test.each([
  ['OPENID_CONNECT', 'oidc_client', false, false],
  ['SAML_2_0', null, true, false],
  ['SAML_1_1', null, true, false],
  ['WS_FEDERATION', 'template_wsfed', true, false],
  ['AUTO_LOGIN', null, false, true],
  ['BASIC_AUTH', 'template_basic_auth', false, true],
  ['BROWSER_PLUGIN', 'template_swa', false, true],
  ['BROWSER_PLUGIN', 'template_swa3field', false, true],
  ['SECURE_PASSWORD_STORE', 'template_sps', false, true],
  ['BOOKMARK', 'bookmark', false, false],
] as const)('%s %s: signs %s, has a scheme %s', (mode, name, signs, hasScheme) => {
  const kind = APP_KINDS.find((one) => one.mode === mode && nameOfKind(one) === name);
  expect(kind).toMatchObject({ signs, hasScheme });
});

describe('names', () => {
  test.each([
    ['BOOKMARK', undefined, 'bookmark'],
    ['BOOKMARK', 'bookmark', 'bookmark'],
    ['BROWSER_PLUGIN', 'template_swa3field', 'template_swa3field'],
    ['SAML_2_0', null, null],
    ['SAML_2_0', '', null],
    ['SAML_1_1', 'sharepoint_onpremise', null],
  ] as const)('%s called %s', (mode, name, expected) => expect(nameOfKind(kindOf(mode, name))).toBe(expected));

  test.each([
    ['BOOKMARK', 'template_swa'],
    ['BROWSER_PLUGIN', undefined],
    ['BROWSER_PLUGIN', 'bookmark'],
    ['SAML_2_0', 'salesforce'],
    ['AUTO_LOGIN', 'constructor'],
    ['SAML_1_1', undefined],
    ['SAML_1_1', 'bookmark'],
    ['SAML_1_1', 'a b'],
    ['OPENID_CONNECT', 'okta_org2org'],
  ] as const)('%s is not called %s', (mode, name) => expect(fieldsOf(() => kindOf(mode, name))).toEqual(['name']));

  test('the kind of an app that is there', () => {
    const app = (signOnMode: (typeof SIGN_ON_MODES)[number], name: string) => ({ signOnMode, document: { name } });
    expect(nameOfKind(kindOfApp(app('BROWSER_PLUGIN', 'template_swa3field')))).toBe('template_swa3field');
    expect(kindOfApp(app('SAML_2_0', 'acme_crm_1')).mode).toBe('SAML_2_0');
  });
});

const withSettings = APP_KINDS.flatMap((kind) => {
  const title = `${kind.mode} ${nameOfKind(kind) ?? ''}`;
  const tables: [string, 'app' | 'signOn', FieldTable][] = [];
  if (kind.app !== null && Object.keys(kind.app).length > 0) tables.push([title, 'app', kind.app]);
  if (kind.signOn !== null) tables.push([title, 'signOn', kind.signOn]);
  return tables;
});

describe.each(withSettings)('%s settings.%s', (_, member, table) => {
  const place = `settings.${member}`;
  const read = (input: unknown) => readFields(place, table, input);

  test('what is left out gets its default', () => {
    const required = sampleOf(table, 'required');
    const expected = Object.entries(table).flatMap(([name, rule]) => {
      const value = rule.required ? required[name] : rule.fallback;
      return value === undefined ? [] : [[name, value]];
    });
    expect(read(required)).toEqual(Object.fromEntries(expected));
  });

  test('what is given is stored as it is, and nothing else', () => {
    const whole = sampleOf(table, 'all');
    expect(read({ ...whole, constructor: 'x', isAdmin: true })).toMatchObject({ ...read(whole) });
    expect(Object.keys(read({ ...whole, isAdmin: true })).toSorted()).toEqual(Object.keys(table).toSorted());
  });

  test.each(Object.entries(table).filter(([, rule]) => rule.required))('%s must be given', (name) => {
    for (const absent of [undefined, null, '']) {
      expect(fieldsOf(() => read({ ...sampleOf(table, 'required'), [name]: absent }))).toEqual([`${place}.${name}`]);
    }
  });

  test.each(Object.entries(table))('%s refuses what it is not', (name, rule) => {
    expect(rule.samples.bad.length).toBeGreaterThan(0);
    for (const bad of rule.samples.bad) {
      const fields = fieldsOf(() => read({ ...sampleOf(table, 'required'), [name]: bad }));
      expect({
        bad,
        fields,
        isNamed: fields.length > 0 && fields.every((field) => field.startsWith(`${place}.${name}`)),
      }).toMatchObject({ isNamed: true });
    }
  });

  test('each of several faults has a cause', () => {
    const names = Object.keys(table);
    const bad = Object.fromEntries(Object.entries(table).map(([name, rule]) => [name, rule.samples.bad[0]]));
    const fields = new Set(fieldsOf(() => read(bad)).map((field) => field.split('.')[2]));
    expect([...fields].toSorted()).toEqual(names.toSorted());
  });

  test.each(['text', 5, []])('%j is no object', (input) => expect(fieldsOf(() => read(input))).toEqual([place]));
});

describe('SAML 2.0', () => {
  const saml = kindOf('SAML_2_0', null);
  const minimal = { ssoAcsUrl: 'https://sp.example/acs', audience: 'urn:sp' };
  const read = (signOn: object) => readKindSettings(saml, { signOn: { ...minimal, ...signOn } }, SETTING).signOn;

  test('responses go to the consumer unless something else is said', () => {
    expect(read({})).toMatchObject({
      recipient: minimal.ssoAcsUrl,
      destination: minimal.ssoAcsUrl,
      idpIssuer: 'https://acme.example/${org.externalKey}',
      responseSigned: true,
      assertionSigned: true,
    });
    expect(read({ recipient: 'https://sp.example/r' })).toMatchObject({ recipient: 'https://sp.example/r' });
  });

  test('line ends are taken out of certificates', () => {
    expect(read({ spCertificate: { x5c: ['MIIB\r\nAAAA\r\n'] } })).toMatchObject({
      spCertificate: { x5c: ['MIIBAAAA'] },
    });
  });

  test.each<[string, object]>([
    ['settings.signOn.responseSigned', { responseSigned: false, assertionSigned: false }],
    ['settings.signOn.acsEndpoints', { acsEndpoints: [{ url: 'https://a.example', index: 0 }] }],
    [
      'settings.signOn.acsEndpoints',
      {
        allowMultipleAcsEndpoints: true,
        acsEndpoints: [
          { url: 'https://a.example', index: 1 },
          { url: 'https://b.example', index: 1 },
        ],
      },
    ],
    [
      'settings.signOn.attributeStatements',
      {
        attributeStatements: [
          { name: 'a', values: ['user.email'] },
          { type: 'GROUP', name: 'a', filterType: 'REGEX', filterValue: '.*' },
        ],
      },
    ],
    ['settings.signOn.spCertificate', { samlSignedRequestEnabled: true }],
    ['settings.signOn.participateSlo.logoutRequestUrl', { participateSlo: { enabled: true } }],
    ['settings.signOn.acsEndpoints.0.url', { allowMultipleAcsEndpoints: true, acsEndpoints: [{ index: 0 }] }],
    [
      'settings.signOn.attributeStatements.1.values',
      { attributeStatements: [{ name: 'a', values: ['b'] }, { name: 'c' }] },
    ],
  ])('%s', (field, signOn) => expect(fieldsOf(() => read(signOn))).toEqual([field]));

  test('logging out and encryption ask for all that they need', () => {
    const fields = fieldsOf(() => read({ slo: { enabled: true }, assertionEncryption: { enabled: true } }));
    expect(fields.toSorted()).toEqual([
      'settings.signOn.assertionEncryption.encryptionAlgorithm',
      'settings.signOn.assertionEncryption.keyTransportAlgorithm',
      'settings.signOn.assertionEncryption.x5c',
      'settings.signOn.slo.issuer',
      'settings.signOn.slo.logoutUrl',
      'settings.signOn.spCertificate',
    ]);
  });
});

test('a catalogue app keeps what the client says, within bounds', () => {
  const kind = kindOf('SAML_1_1', 'sharepoint_onpremise');
  const app = { siteURL: 'https://a.example', groupFilter: 'app1.*', nested: { list: [1, null] } };
  expect(readKindSettings(kind, { app }, SETTING).app).toEqual(app);
  for (const wrong of [[], 'text', { big: 'x'.repeat(70_000) }]) {
    expect(fieldsOf(() => readKindSettings(kind, { app: wrong }, SETTING))).toEqual(['settings.app']);
  }
});
