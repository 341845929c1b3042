import { notValid } from '../../../kernel/errors/field-errors.ts';
export const PROTOCOL_TYPES = ['SAML2', 'OIDC', 'OAUTH2', 'MTLS', 'ID_PROOFING'] as const;
export type ProtocolType = (typeof PROTOCOL_TYPES)[number];

/** The type of a provider that is another org. The API puts the namespace word in front of it. */
export const INTEGRATION = 'INTEGRATION';

export interface ProviderTypeFacts {
  readonly protocols: readonly ProtocolType[];
  /** Clients may omit these addresses, because they are the same for all providers of the type. */
  readonly endpoints?: { readonly authorization: string; readonly token: string };
  /** The secret member within `credentials`, or null for types without a secret. */
  readonly secret: 'client_secret' | 'privateKey' | 'apiKey' | null;
}

const social = (authorization: string, token: string): ProviderTypeFacts => ({
  protocols: ['OIDC', 'OAUTH2'],
  endpoints: { authorization, token },
  secret: 'client_secret',
});
const VERIFICATION: ProviderTypeFacts = { protocols: ['ID_PROOFING'], secret: 'client_secret' };
const federation = (protocol: ProtocolType, secret: ProviderTypeFacts['secret']): ProviderTypeFacts => ({
  protocols: [protocol],
  secret,
});

/** The provider types of the contract, without the namespace word. */
export const PROVIDER_TYPES = {
  SAML2: federation('SAML2', null),
  OIDC: federation('OIDC', 'client_secret'),
  X509: federation('MTLS', null),
  [INTEGRATION]: federation('OIDC', 'client_secret'),
  AMAZON: social('https://www.amazon.com/ap/oa', 'https://api.amazon.com/auth/o2/token'),
  APPLE: {
    ...social('https://appleid.apple.com/auth/authorize', 'https://appleid.apple.com/auth/token'),
    secret: 'privateKey',
  },
  DISCORD: social('https://discord.com/oauth2/authorize', 'https://discord.com/api/oauth2/token'),
  FACEBOOK: social('https://www.facebook.com/dialog/oauth', 'https://graph.facebook.com/v2.8/oauth/access_token'),
  GITHUB: social('https://github.com/login/oauth/authorize', 'https://github.com/login/oauth/access_token'),
  GITLAB: social('https://gitlab.com/oauth/authorize', 'https://gitlab.com/oauth/token'),
  GOOGLE: social('https://accounts.google.com/o/oauth2/auth', 'https://www.googleapis.com/oauth2/v3/token'),
  LINKEDIN: social('https://www.linkedin.com/oauth/v2/authorization', 'https://www.linkedin.com/oauth/v2/accessToken'),
  LOGINGOV: social(
    'https://secure.login.gov/openid_connect/authorize',
    'https://secure.login.gov/api/openid_connect/token',
  ),
  LOGINGOV_SANDBOX: social(
    'https://idp.int.identitysandbox.gov/openid_connect/authorize',
    'https://idp.int.identitysandbox.gov/api/openid_connect/token',
  ),
  MICROSOFT: social(
    'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    'https://login.microsoftonline.com/common/oauth2/v2.0/token',
  ),
  PAYPAL: social('https://www.paypal.com/signin/authorize', 'https://api-m.paypal.com/v1/oauth2/token'),
  PAYPAL_SANDBOX: social(
    'https://www.sandbox.paypal.com/signin/authorize',
    'https://api-m.sandbox.paypal.com/v1/oauth2/token',
  ),
  SALESFORCE: social(
    'https://login.salesforce.com/services/oauth2/authorize',
    'https://login.salesforce.com/services/oauth2/token',
  ),
  SPOTIFY: social('https://accounts.spotify.com/authorize', 'https://accounts.spotify.com/api/token'),
  XERO: social('https://login.xero.com/identity/connect/authorize', 'https://identity.xero.com/connect/token'),
  YAHOO: social('https://api.login.yahoo.com/oauth2/request_auth', 'https://api.login.yahoo.com/oauth2/get_token'),
  YAHOOJP: social(
    'https://auth.login.yahoo.co.jp/yconnect/v2/authorization',
    'https://auth.login.yahoo.co.jp/yconnect/v2/token',
  ),
  IDV_CLEAR: VERIFICATION,
  IDV_INCODE: VERIFICATION,
  IDV_PERSONA: { ...VERIFICATION, secret: 'apiKey' },
  IDV_STANDARD: VERIFICATION,
} as const satisfies Record<string, ProviderTypeFacts>;

export type ProviderType = keyof typeof PROVIDER_TYPES;

const isProviderType = (text: string): text is ProviderType => Object.hasOwn(PROVIDER_TYPES, text);

export const typeFacts = (type: ProviderType): ProviderTypeFacts => PROVIDER_TYPES[type];

/** Tells whether providers of this type sign users in with one public service, such as a social network. */
export const isSocial = (type: ProviderType): boolean => typeFacts(type).protocols.includes('OAUTH2');

export const wireProviderType = (type: string, upperWord: string): string =>
  type === INTEGRATION ? `${upperWord}_${INTEGRATION}` : type;

export function readProviderType(text: string, upperWord: string): ProviderType {
  const neutral = text === wireProviderType(INTEGRATION, upperWord) ? INTEGRATION : text;
  const isWire = wireProviderType(neutral, upperWord) === text;
  if (isWire && isProviderType(neutral)) return neutral;
  throw notValid('type');
}
