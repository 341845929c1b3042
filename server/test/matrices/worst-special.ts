import { EVENT_TYPES } from '../../src/system-log/index.ts';
import { webApp } from '../support/apps.ts';
import { newClaim } from '../support/authorization-servers.ts';
import type { RequestOptions } from '../support/client.ts';
import { newCustomization } from '../support/email-templates.ts';
import { newHook } from '../support/hook-receiver.ts';
import { newRoutingRule } from '../support/policies.ts';
import { TEXTS } from '../sweeps/worst-bodies.ts';
import { IMAGES } from './worst-images.ts';
import { body, byName, items, type SpecialInput, times } from './worst-special-input.ts';

/** The largest profile mapping needs a different attribute name for each of its expressions. */
const BASE_NAMES = (
  'firstName lastName middleName displayName nickName title city state zipCode timezone division department ' +
  'organization costCenter employeeNumber userType manager managerId streetAddress honorificPrefix honorificSuffix'
).split(' ');

// This file builds inputs that cannot be derived from schemas, such as files, headers, and texts in the languages that
// the service parses.

const EXPRESSIONS = {
  alternatives: (bytes: number) => `user.login == "a"${times(' or user.login == "a"', bytes - 20)}`,
  nested: (bytes: number) => `${'('.repeat(bytes / 2 - 4)}true${')'.repeat(bytes / 2 - 4)}`,
  joined: (bytes: number) => `"a"${times('+user.login', bytes - 20)}=="a"`,
  calls: (bytes: number) => `${times('String.toUpperCase(', (bytes * 19) / 21)}"a"${times(')', bytes / 21)} == "a"`,
  patterns: (bytes: number) => `isMemberOfGroupNameRegex("${times('[\\pL\\PN]', bytes - 30)}")`,
  quotes: (bytes: number) => times('"', bytes),
};
const CONDITIONS = {
  alternatives: (bytes: number) => `profile.login eq "a"${times(' or profile.login eq "a"', bytes - 20)}`,
  nested: (bytes: number) => `${'('.repeat(bytes / 2 - 12)}profile.login eq "a"${')'.repeat(bytes / 2 - 12)}`,
  quotes: (bytes: number) => `profile.login eq "${times('\\"', bytes - 20)}"`,
};
const PATTERNS = (bytes: number) => times('[^a-z]', bytes);

const attributes = (bytes: number, size: number, more: (index: number) => object): RequestOptions =>
  body({
    definitions: {
      custom: {
        properties: Object.fromEntries(
          items(bytes, size, (index) => [`w${index}`, { title: 'w', type: 'string', ...more(index) }]),
        ),
      },
    },
  });
const SCHEMAS: SpecialInput[] = [
  {
    label: 'patterns',
    most: 262_144,
    make: (bytes) => attributes(bytes, 540, (index) => ({ pattern: `${PATTERNS(480)}${index}` })),
  },
  {
    label: 'choices',
    make: (bytes) => attributes(bytes, 12_100, () => ({ enum: items(12_000, 12, (index) => `c${index}`) })),
  },
  { label: 'attributes', make: (bytes) => attributes(bytes, 42, () => ({})) },
];

const address = (index: number): string =>
  `https://app.example.com/${String(index).padStart(4, '0')}/${'a/../'.repeat(190)}`;
const key = (index: number): object => ({
  kty: 'RSA',
  kid: String(index),
  e: 'AQAB',
  n: Buffer.alloc(1_024, 2 * (index % 60) + 129).toString('base64url'),
});
const app = (settings: object): RequestOptions => body(webApp(settings as Readonly<Record<string, unknown>>));
const APPS: SpecialInput[] = [
  { label: 'addresses', most: 500_000, make: (bytes) => app({ redirect_uris: items(bytes, 1_000, address) }) },
  {
    label: 'one address',
    most: 1_000,
    make: (bytes) => app({ redirect_uris: [`https://a.example/${times('%2e/', bytes - 30)}`] }),
  },
  { label: 'keys', most: 70_000, make: (bytes) => app({ jwks: { keys: items(bytes, 1_410, key) } }) },
];
const CLIENTS: SpecialInput[] = [
  {
    label: 'addresses',
    most: 500_000,
    make: (bytes) => body({ client_name: 'w', redirect_uris: items(bytes, 1_000, address) }),
  },
  {
    label: 'keys',
    most: 70_000,
    make: (bytes) =>
      body({ client_name: 'w', redirect_uris: ['https://a.example/cb'], jwks: { keys: items(bytes, 1_410, key) } }),
  },
];

const mail = (text: string): RequestOptions => body(newCustomization({ body: `${text}\${activationLink}` }));
const MAILS = byName(
  {
    placeholders: (bytes) => times('${user.profile.firstName}', bytes),
    'open placeholders': (bytes) => times('${', bytes),
    tags: (bytes) => times('<a href="b">c</a>', bytes),
    'open tags': (bytes) => times('<', bytes),
    styles: (bytes) => times('<style>', bytes),
    comments: (bytes) => times('<!--', bytes),
    entities: (bytes) => times('&amp', bytes),
    lines: (bytes) => times(' \n', bytes),
    marks: (bytes) => TEXTS['marks']?.(bytes) ?? '',
  },
  mail,
  58_000,
);

const hook = (bytes: number): RequestOptions => {
  const types = EVENT_TYPES.filter((type) => !type.startsWith('system.')).slice(
    0,
    Math.max(1, Math.floor(bytes / 2_200)),
  );
  const one = "event.target.?[type eq 'User'].size()>0";
  const expression = `${one}${times(` && ${one}`, 1_900)}`;
  const condition = { version: null, expression };
  return body({
    ...newHook('https://hooks.example/in'),
    events: {
      type: 'EVENT_TYPE',
      items: types,
      filter: { type: 'EXPRESSION_LANGUAGE', eventFilterMap: types.map((event) => ({ event, condition })) },
    },
  });
};

const ranges = (bytes: number): RequestOptions => {
  const list = (part: number) =>
    items(bytes / 2, 64, (index) => ({
      type: 'RANGE',
      value: `2001:db8:${part}:${index.toString(16)}::1-2001:db8:${part}:${index.toString(16)}::ffff`,
    }));
  return body({ type: 'IP', name: 'worst', gateways: list(1), proxies: list(2) });
};

const routing = (bytes: number): RequestOptions => {
  const patterns = items(bytes, 520, (index) => ({ matchType: 'EXPRESSION', value: `${PATTERNS(480)}${index}` }));
  return body(newRoutingRule({ conditions: { userIdentifier: { type: 'IDENTIFIER', patterns } } }));
};

function jwt(bytes: number): string {
  const parts = ['{"alg":"RS256","kid":"a"}', `{"a":[${times('[],', bytes / 2)}1]}`];
  return [...parts.map((part) => Buffer.from(part).toString('base64url')), 'A'.repeat(340)].join('.');
}
const profile = { lastName: 'B', login: 'worst@example.com', email: 'worst@example.com' };
const NAMES: SpecialInput[] = byName(TEXTS, (text) => body({ profile: { ...profile, firstName: text } }), 60_000);
const CSR_NAMES: SpecialInput[] = [
  {
    label: 'names',
    make: (bytes) =>
      body({
        subject: { commonName: 'a' },
        subjectAltNames: { dnsNames: items(bytes, 250, (index) => `${index}.${'a.'.repeat(115)}example`) },
      }),
  },
];

export const SPECIAL_INPUTS: Readonly<Record<string, readonly SpecialInput[]>> = {
  createUser: NAMES,
  replaceUser: NAMES,
  updateUser: NAMES,
  createGroupRule: byName(
    EXPRESSIONS,
    (value, { groupId = '' }) =>
      body({
        type: 'group_rule',
        name: 'w',
        conditions: { expression: { type: 'urn:svc:expression:1.0', value } },
        actions: { assignUserToGroups: { groupIds: [groupId] } },
      }),
    8_192,
  ),
  createOAuth2Claim: [
    ...byName(EXPRESSIONS, (value) => body(newClaim({ valueType: 'EXPRESSION', value })), 1_024),
    {
      label: 'groups',
      most: 490,
      make: (bytes) => body(newClaim({ valueType: 'GROUPS', group_filter_type: 'REGEX', value: PATTERNS(bytes) })),
    },
  ],
  updateProfileMapping: [
    {
      label: 'expressions',
      most: 160_000,
      make: (bytes) => {
        const expression = `"a"${times('+"aaaaaaaaaaaaaaaaaaaa"', 7_800)}`;
        const properties = items(bytes, 8_000, (index) => [
          BASE_NAMES[index] ?? 'title',
          { expression, pushStatus: 'PUSH' },
        ]);
        return body({ properties: Object.fromEntries(properties) });
      },
    },
  ],
  updateUserProfile: SCHEMAS,
  updateGroupSchema: SCHEMAS,
  updateApplicationUserProfile: SCHEMAS,
  createApplication: APPS,
  replaceApplication: APPS.map((input) => ({ ...input, path: ({ webAppId = '' }) => `/api/v1/apps/${webAppId}` })),
  createClient: CLIENTS,
  replaceClient: CLIENTS,
  addJwk: [
    { label: 'a key', most: 1_400, make: (bytes) => body({ kty: 'RSA', kid: 'w', e: 'AQAB', n: 'w'.repeat(bytes) }) },
  ],
  generateCsrForApplication: CSR_NAMES,
  uploadApplicationLogo: IMAGES,
  uploadBrandThemeLogo: IMAGES,
  uploadBrandThemeFavicon: IMAGES,
  uploadBrandThemeBackgroundImage: IMAGES,
  publishCsrFromApplication: byName(TEXTS, (raw) => ({
    raw,
    headers: { 'content-type': 'application/x-x509-ca-cert' },
  })),
  createEmailCustomization: MAILS,
  replaceEmailCustomization: MAILS,
  createEventHook: [{ label: 'filters', make: hook }],
  createNetworkZone: [{ label: 'ranges', most: 640_000, make: ranges }],
  createPolicyRule: [
    {
      label: 'patterns',
      most: 10_400,
      make: routing,
      path: ({ routingPolicyId = '' }) => `/api/v1/policies/${routingPolicyId}/rules`,
    },
  ],
};

export const QUERIES: Readonly<Record<string, Readonly<Record<string, (bytes: number) => string>>>> = {
  search: CONDITIONS,
  filter: CONDITIONS,
};

export const FORM_TEXTS: Readonly<Record<string, (bytes: number) => string>> = {
  'a token': (bytes) => jwt(bytes / 2),
  marks: (bytes) => `a${'\u0315'.repeat(bytes / 12)}${'\u0316'.repeat(bytes / 12)}`,
};

const HEADER_BYTES = 14_000;
export const HEADERS: Readonly<Record<string, (bytes: number) => Readonly<Record<string, string>>>> = {
  cookies: (bytes) => ({ cookie: times('__Host-sid=a; ', bytes) }),
  'one cookie': (bytes) => ({ cookie: `__Host-sid=${times('%41', bytes)}` }),
  accept: (bytes) => ({ accept: times('text/html;q=0.1, ', bytes) }),
  'accept with a quote': (bytes) => ({ accept: `text/html;a="${times('\\"', bytes)}` }),
  languages: (bytes) => ({ 'accept-language': times('en-a;q=0.1,', bytes) }),
  'user agent': (bytes) => ({ 'user-agent': times('Mozilla/5.0 (', bytes) }),
  bearer: (bytes) => ({ authorization: `Bearer ${jwt(bytes / 2)}` }),
  'API token': (bytes) => ({ authorization: `SSWS ${times('a', bytes)}` }),
  basic: (bytes) => ({ authorization: `Basic ${times('OmE6', bytes)}` }),
  proof: (bytes) => ({ authorization: 'DPoP a.b.c', dpop: jwt(bytes / 2) }),
  preferences: (bytes) => ({ prefer: times('a; b=c, ', bytes) }),
  versions: (bytes) => ({ 'if-match': times('"a", ', bytes) }),
  addresses: (bytes) => ({ 'x-forwarded-for': times('1.1.1.1, ', bytes) }),
  origin: (bytes) => ({ origin: `https://${times('a.', bytes)}` }),
  referer: (bytes) => ({ referer: `https://a.example/${times('../', bytes)}` }),
  'request id': (bytes) => ({ 'x-request-id': times('a-', bytes), 'idempotency-key': times('a', 200) }),
  fingerprint: (bytes) => ({ 'x-device-fingerprint': times('a|', bytes) }),
  host: (bytes) => ({ 'x-forwarded-host': times('a.', bytes), forwarded: 'for=1.1.1.1' }),
};
export const MOST_HEADER_BYTES = HEADER_BYTES;
