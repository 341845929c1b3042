import type { APPLICATION_TYPES } from './words/client-words.ts';
import type { Namespace } from './words/namespace.ts';

type ApplicationType = (typeof APPLICATION_TYPES)[number];

/**
 * The network that an app's sign-on policy evaluates (ADR 0053). `person` is the network of the request, which comes
 * from the user or contains their password. `publicClient` is the network of the request if the client is public,
 * because it then runs on the user's device; otherwise it means the same as `judgedBefore`. `judgedBefore` means that
 * another step evaluates the user's network. `nobody` means that no user is present.
 */
export type JudgedNetwork = 'person' | 'publicClient' | 'judgedBefore' | 'nobody';

/**
 * `there` means that the user must be present. `mayBeAbsent` means that the client may also get tokens for an absent
 * user. For an absent administrator, the client needs an approval (ADR 0060).
 */
export type AskedPerson = 'there' | 'mayBeAbsent';

/**
 * The checks of the user and the app before tokens are issued. `path` is the key of a row in `ADMISSION_PATHS`
 * (access/admission.ts).
 */
interface GrantAdmission {
  readonly path: string;
  readonly app: JudgedNetwork;
  readonly person: AskedPerson;
  /** The application types that are admitted. The default is `applications` of the row. */
  readonly applications?: readonly ApplicationType[];
}

export interface GrantTypeRow {
  /** The endpoint that serves the grant type. Null means that apps and rules may name it, but no endpoint serves it. */
  readonly endpoint: 'token' | 'authorize' | null;
  /** `custom` means that only custom authorization servers offer the grant type. */
  readonly servers: 'all' | 'custom';
  /** Whether a page in a browser may send the token request. */
  readonly isForBrowsers: boolean;
  readonly parameters: readonly string[];
  /** The application types to which the contract offers the grant type. */
  readonly applications: readonly ApplicationType[];
  readonly isConfidential: boolean;
  /** Whether rules of custom authorization servers can name the grant type. */
  readonly isInRules: boolean;
  /**
   * Whether the URN of the grant type contains the namespace word. If so, the stored form is only the last part of the
   * URN.
   */
  readonly isWorded: boolean;
  /** Null means that the token endpoint issues no tokens of users for the grant type. */
  readonly admission: GrantAdmission | null;
}

const ALL = ['service', 'web', 'native', 'browser'] as const;

const NAMED = {
  endpoint: null,
  servers: 'all',
  isForBrowsers: false,
  parameters: [],
  applications: ALL,
  isConfidential: false,
  isInRules: true,
  isWorded: false,
  admission: null,
} as const satisfies GrantTypeRow;

/** Defaults for a grant type for which the token endpoint issues tokens of users. */
const OF_USERS = { ...NAMED, endpoint: 'token' } as const;

/** The grant type for device codes (RFC 8628 3.4). */
export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code' as const;
/** The grant type for token exchange (RFC 8693 2.1). */
export const TOKEN_EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange' as const;
/** The grant type for backchannel authentication (CIBA Core 10.1). */
export const CIBA_GRANT = 'urn:openid:params:grant-type:ciba' as const;
/** The grant type for JWT assertions (RFC 7523 2.1). */
export const JWT_BEARER_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer' as const;

/** The grant types of the contract (section 7). */
export const GRANT_TYPES = {
  authorization_code: {
    ...OF_USERS,
    isForBrowsers: true,
    parameters: ['code', 'code_verifier'],
    admission: { path: 'redeemCode', app: 'judgedBefore', person: 'there' },
  },
  implicit: { ...NAMED, endpoint: 'authorize' },
  refresh_token: {
    ...OF_USERS,
    isForBrowsers: true,
    parameters: ['refresh_token'],
    isInRules: false,
    admission: { path: 'refreshToken', app: 'publicClient', person: 'mayBeAbsent' },
  },
  password: {
    ...OF_USERS,
    parameters: ['username', 'password'],
    applications: ['service', 'web', 'native'],
    admission: { path: 'passwordGrant', app: 'person', person: 'there' },
  },
  client_credentials: { ...NAMED, endpoint: 'token', applications: ['service', 'web'], isConfidential: true },
  [DEVICE_CODE_GRANT]: {
    ...OF_USERS,
    parameters: ['device_code'],
    admission: { path: 'redeemDeviceCode', app: 'judgedBefore', person: 'there' },
  },
  [TOKEN_EXCHANGE_GRANT]: {
    ...OF_USERS,
    parameters: ['subject_token', 'subject_token_type', 'actor_token', 'actor_token_type', 'requested_token_type'],
    admission: { path: 'exchangeToken', app: 'nobody', person: 'mayBeAbsent' },
  },
  [CIBA_GRANT]: {
    ...OF_USERS,
    parameters: ['auth_req_id'],
    applications: ['web'],
    isConfidential: true,
    admission: { path: 'redeemBackchannelRequest', app: 'judgedBefore', person: 'there' },
  },
  [JWT_BEARER_GRANT]: {
    ...OF_USERS,
    servers: 'custom',
    parameters: ['assertion'],
    admission: {
      path: 'assertionGrant',
      applications: ['service', 'web', 'native'],
      app: 'nobody',
      person: 'mayBeAbsent',
    },
  },
  interaction_code: NAMED,
  'urn:ietf:params:oauth:grant-type:saml2-bearer': NAMED,
  'http://auth0.com/oauth/grant-type/mfa-otp': NAMED,
  'http://auth0.com/oauth/grant-type/mfa-oob': NAMED,
  otp: { ...NAMED, isWorded: true },
  oob: { ...NAMED, isWorded: true },
} as const satisfies Readonly<Record<string, GrantTypeRow>>;

type Rows = typeof GRANT_TYPES;
export type AnyGrantType = keyof Rows;
export type GrantType = { [Name in AnyGrantType]: Rows[Name]['endpoint'] extends 'token' ? Name : never }[AnyGrantType];
/** A grant type for which the token endpoint issues tokens of users. */
export type UserGrantType = {
  [Name in AnyGrantType]: Rows[Name]['admission'] extends null ? never : Name;
}[AnyGrantType];

const names = Object.keys(GRANT_TYPES) as readonly AnyGrantType[];

export const grantTypeRow = (name: AnyGrantType): GrantTypeRow => GRANT_TYPES[name];

export const TOKEN_GRANT_TYPES: readonly GrantType[] = names.filter(
  (name): name is GrantType => grantTypeRow(name).endpoint === 'token',
);

export const grantTypesWhere = (holds: (row: GrantTypeRow) => boolean): readonly AnyGrantType[] =>
  names.filter((name) => holds(grantTypeRow(name)));

const wordedPrefix = ({ word }: Pick<Namespace, 'word'>): string => `urn:${word}:params:oauth:grant-type:`;

const isGrantType = (text: string): text is AnyGrantType => Object.hasOwn(GRANT_TYPES, text);

export const wireGrantType = (stored: string, namespace: Pick<Namespace, 'word'>): string =>
  isGrantType(stored) && grantTypeRow(stored).isWorded ? wordedPrefix(namespace) + stored : stored;

/** Returns null if the grant type is unknown. */
export function storedGrantType(text: string, namespace: Pick<Namespace, 'word'>): AnyGrantType | null {
  if (isGrantType(text) && !grantTypeRow(text).isWorded) return text;
  const prefix = wordedPrefix(namespace);
  const name = text.startsWith(prefix) ? text.slice(prefix.length) : '';
  return isGrantType(name) && grantTypeRow(name).isWorded ? name : null;
}
