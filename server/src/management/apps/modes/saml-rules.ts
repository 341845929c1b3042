import { invalid } from '../../../kernel/errors/errors.ts';
import { required, wrongType } from '../../../kernel/errors/field-errors.ts';
import { collectFaults } from '../documents/fault-rules.ts';
import {
  type FieldRule,
  type FieldTable,
  flag,
  integer,
  isObject,
  list,
  members,
  readFields,
  type Stored,
  type StoredMembers,
  text,
  url,
  word,
} from './field-rules.ts';

const NAME_FORMATS = [
  'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
  'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
  'urn:oasis:names:tc:SAML:1.1:nameid-format:x509SubjectName',
] as const;

/** The contract omits `urn:` from the value for Kerberos. The correct spelling is also accepted. */
export const AUTHENTICATION_CONTEXTS = [
  'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
  'urn:oasis:names:tc:SAML:2.0:ac:classes:Password',
  'urn:oasis:names:tc:SAML:2.0:ac:classes:TLSClient',
  'urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified',
  'urn:oasis:names:tc:SAML:2.0:ac:classes:X509',
  'urn:federation:authentication:windows',
  'oasis:names:tc:SAML:2.0:ac:classes:Kerberos',
  'urn:oasis:names:tc:SAML:2.0:ac:classes:Kerberos',
] as const;

const ATTRIBUTE_FORMATS = [
  'urn:oasis:names:tc:SAML:2.0:attrname-format:unspecified',
  'urn:oasis:names:tc:SAML:2.0:attrname-format:basic',
  'urn:oasis:names:tc:SAML:2.0:attrname-format:uri',
] as const;

const MAXIMUM_ENDPOINTS = 100;
const MAXIMUM_ATTRIBUTES = 200;

const STATEMENT = {
  type: word(['EXPRESSION', 'GROUP'], { fallback: 'EXPRESSION' }),
  name: text({ required: true, maximum: 512 }),
  namespace: word(ATTRIBUTE_FORMATS, { fallback: ATTRIBUTE_FORMATS[0] }),
};

const STATEMENTS: Readonly<Record<string, FieldTable>> = {
  EXPRESSION: { ...STATEMENT, values: list(text({ maximum: 2_048 }), { required: true, maximum: 100 }) },
  GROUP: {
    ...STATEMENT,
    filterType: word(['STARTS_WITH', 'EQUALS', 'CONTAINS', 'REGEX'], { required: true }),
    filterValue: text({ required: true }),
  },
};

const statement: FieldRule = {
  schema: {
    type: 'object',
    required: ['name'],
    properties: Object.fromEntries(
      Object.values(STATEMENTS).flatMap((table) => Object.entries(table).map(([name, one]) => [name, one.schema])),
    ),
  },
  required: true,
  fallback: undefined,
  read: (field, value) => {
    if (!isObject(value)) throw wrongType(field, 'an object');
    const type = STATEMENT.type.read(`${field}.type`, value['type'] ?? 'EXPRESSION');
    return readFields(field, STATEMENTS[typeof type === 'string' ? type : ''] ?? {}, value);
  },
  samples: {
    good: { type: 'EXPRESSION', name: 'mail', namespace: ATTRIBUTE_FORMATS[1], values: ['user.email'] },
    bad: [5, { type: 'PIGEON', name: 'a' }, { type: 'GROUP', name: 'a' }, { type: 'EXPRESSION', values: ['a'] }],
  },
};

const hook = members({ id: text({ required: true, maximum: 20 }) });

const endpoint = members({
  url: url({ required: true }),
  index: integer({ minimum: 0, maximum: 65_535 }, { required: true }),
});

/**
 * This rule accepts an `x5c` array (RFC 7517 4.7) with exactly one certificate. White space and PEM markers are
 * removed.
 */
const certificates: FieldRule = {
  schema: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 1 },
  required: true,
  fallback: undefined,
  read: (field, value) => {
    const [first] = Array.isArray(value) && value.length === 1 ? (value as unknown[]) : [];
    const compact = typeof first === 'string' ? first.replaceAll(/\s+|-----(?:BEGIN|END) CERTIFICATE-----/g, '') : '';
    if (!/^[A-Za-z\d+/]{1,16384}={0,2}$/.test(compact)) throw invalid(field, 'must contain exactly one certificate.');
    return [compact];
  },
  samples: { good: ['MIIB'], bad: [[], 'MIIB', ['a', 'b'], [5], ['*']] },
};

const SINGLE_LOGOUT: FieldTable = {
  enabled: flag(false),
  issuer: text({ fallback: undefined }),
  logoutUrl: url({ fallback: undefined }),
};

const LOGOUT_REQUESTS: FieldTable = {
  enabled: flag(false),
  logoutRequestUrl: url({ fallback: undefined }),
  sessionIndexRequired: flag(undefined),
  bindingType: word(['REDIRECT', 'POST'], { fallback: undefined }),
};

const ENCRYPTION: FieldTable = {
  enabled: flag(false),
  keyTransportAlgorithm: word(['RSA_OAEP', 'RSA_15'], { fallback: undefined }),
  encryptionAlgorithm: word(['AES256_GCM', 'AES256_CBC', 'AES128_CBC'], { fallback: undefined }),
  x5c: { ...certificates, required: false },
};

/** The members of `settings.signOn` of a SAML 2.0 app, in the order of recorded responses (contract section 17). */
// biome-ignore format: the columns are the documentation
export const SAML_FIELDS: FieldTable = {
  defaultRelayState:            text(),
  ssoAcsUrl:                    url({ required: true }),
  idpIssuer:                    text(),
  audience:                     text({ required: true }),
  recipient:                    url(),
  destination:                  url(),
  subjectNameIdTemplate:        text({ fallback: '${user.userName}' }),
  subjectNameIdFormat:          word(NAME_FORMATS, { fallback: NAME_FORMATS[0] }),
  responseSigned:               flag(true),
  assertionSigned:              flag(true),
  signatureAlgorithm:           word(['RSA_SHA256', 'RSA_SHA1'], { fallback: 'RSA_SHA256' }),
  digestAlgorithm:              word(['SHA256', 'SHA1'], { fallback: 'SHA256' }),
  honorForceAuthn:              flag(true),
  authnContextClassRef:         word(AUTHENTICATION_CONTEXTS, { fallback: AUTHENTICATION_CONTEXTS[0] }),
  spIssuer:                     text(),
  requestCompressed:            flag(false),
  attributeStatements:          list(statement, { maximum: MAXIMUM_ATTRIBUTES, fallback: [] }),
  inlineHooks:                  list(hook, { maximum: 10, fallback: [] }),
  assertionEncryption:          members(ENCRYPTION, { fallback: { enabled: false } }),
  allowMultipleAcsEndpoints:    flag(false),
  acsEndpoints:                 list(endpoint, { maximum: MAXIMUM_ENDPOINTS, fallback: [] }),
  samlSignedRequestEnabled:     flag(false),
  slo:                          members(SINGLE_LOGOUT, { fallback: { enabled: false } }),
  participateSlo:               members(LOGOUT_REQUESTS, { fallback: undefined }),
  spCertificate:                members({ x5c: certificates }, { fallback: undefined }),
  samlAssertionLifetimeSeconds: integer({ minimum: 1, maximum: 86_400 }, { fallback: undefined }),
  audienceOverride:             text({ fallback: undefined }),
  destinationOverride:          url({ fallback: undefined }),
  recipientOverride:            url({ fallback: undefined }),
  ssoAcsUrlOverride:            url({ fallback: undefined }),
};

const SIGN_ON = 'settings.signOn';

const objectsIn = (value: Stored | undefined): readonly StoredMembers[] =>
  Array.isArray(value) ? value.filter((item): item is StoredMembers => isObject(item)) : [];

const membersOf = (value: Stored | undefined): StoredMembers => (isObject(value) ? value : {});

function assertUnique(field: string, values: readonly (Stored | undefined)[]): void {
  const repeated = values.find((value, index) => values.indexOf(value) !== index);
  if (repeated !== undefined) throw invalid(field, `${JSON.stringify(repeated)} occurs twice.`);
}

function assertGiven(isMeant: Stored | undefined, given: StoredMembers, names: readonly string[], place: string): void {
  if (isMeant !== true) return;
  const readers = names.map((name) => {
    const assertThere = (): void => {
      if (given[name] === undefined) throw required(`${place}.${name}`);
    };
    return [name, assertThere] as const;
  });
  collectFaults(Object.fromEntries(readers));
}

function assertConsistent(signOn: StoredMembers): void {
  const slo = membersOf(signOn['slo']);
  const requests = membersOf(signOn['participateSlo']);
  const encryption = membersOf(signOn['assertionEncryption']);
  const endpoints = objectsIn(signOn['acsEndpoints']);
  collectFaults({
    signature: () => {
      if (signOn['responseSigned'] === true || signOn['assertionSigned'] === true) return;
      throw invalid(`${SIGN_ON}.responseSigned`, 'must be true unless the assertion is signed.');
    },
    endpoints: () => {
      if (endpoints.length > 0 && signOn['allowMultipleAcsEndpoints'] !== true) {
        throw invalid(`${SIGN_ON}.acsEndpoints`, 'must be empty unless allowMultipleAcsEndpoints is true.');
      }
      assertUnique(
        `${SIGN_ON}.acsEndpoints`,
        endpoints.map(({ index }) => index),
      );
    },
    attributes: () =>
      assertUnique(
        `${SIGN_ON}.attributeStatements`,
        objectsIn(signOn['attributeStatements']).map(({ name }) => name),
      ),
    slo: () => assertGiven(slo['enabled'], slo, ['issuer', 'logoutUrl'], `${SIGN_ON}.slo`),
    requests: () => assertGiven(requests['enabled'], requests, ['logoutRequestUrl'], `${SIGN_ON}.participateSlo`),
    certificate: () => {
      const isAsked = slo['enabled'] === true || signOn['samlSignedRequestEnabled'] === true;
      assertGiven(isAsked, signOn, ['spCertificate'], SIGN_ON);
    },
    encryption: () =>
      assertGiven(
        encryption['enabled'],
        encryption,
        ['keyTransportAlgorithm', 'encryptionAlgorithm', 'x5c'],
        `${SIGN_ON}.assertionEncryption`,
      ),
  });
}

/** Checks the settings against one another, and adds the defaults that depend on the base URL or on other settings. */
export function completeSaml(signOn: StoredMembers, setting: { readonly baseUrl: string }): StoredMembers {
  assertConsistent(signOn);
  const consumer = signOn['ssoAcsUrl'] ?? null;
  return {
    ...signOn,
    idpIssuer: signOn['idpIssuer'] ?? `${setting.baseUrl}/\${org.externalKey}`,
    recipient: signOn['recipient'] ?? consumer,
    destination: signOn['destination'] ?? consumer,
  };
}

export function certificatesIn(signOn: StoredMembers): readonly (readonly [field: string, certificate: string])[] {
  const places = ['assertionEncryption', 'spCertificate'] as const;
  return places.flatMap((place) => {
    const { x5c } = membersOf(signOn[place]);
    return Array.isArray(x5c) ? x5c.map((one) => [`${SIGN_ON}.${place}.x5c`, String(one)] as const) : [];
  });
}
