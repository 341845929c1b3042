import type { Namespace } from '../../../kernel/words/namespace.ts';
import type { ApplicationType, TokenEndpointAuthMethod } from './document-contract.ts';
import { BLANK, refuse } from './fault-rules.ts';

const CIBA = 'urn:openid:params:grant-type:ciba';

const FIELD = 'settings.oauthClient.grant_types';

export interface Client {
  readonly applicationType: ApplicationType;
  readonly method: TokenEndpointAuthMethod;
}

/** Grant types whose name holds no namespace word (contract section 7; `GrantType` in the published OpenAPI). */
const GRANT_TYPES: ReadonlySet<string> = new Set([
  'authorization_code',
  'client_credentials',
  'implicit',
  'interaction_code',
  'password',
  'refresh_token',
  'urn:ietf:params:oauth:grant-type:device_code',
  'urn:ietf:params:oauth:grant-type:jwt-bearer',
  'urn:ietf:params:oauth:grant-type:saml2-bearer',
  'urn:ietf:params:oauth:grant-type:token-exchange',
  CIBA,
  'http://auth0.com/oauth/grant-type/mfa-otp',
  'http://auth0.com/oauth/grant-type/mfa-oob',
]);

/** Stored by these short names; the wire's URN holds the namespace word. */
const WORDED_GRANT_TYPES: ReadonlySet<string> = new Set(['otp', 'oob']);

const wordedPrefix = (namespace: Namespace): string => `urn:${namespace.word}:params:oauth:grant-type:`;

/** A stored grant type as the wire says it. */
export const wireGrantType = (grantType: string, namespace: Namespace): string =>
  WORDED_GRANT_TYPES.has(grantType) ? wordedPrefix(namespace) + grantType : grantType;

/** A grant type as it is stored. 400 E0000001 for one that is not known. */
export function readGrantType(text: string, namespace: Namespace): string {
  if (GRANT_TYPES.has(text)) return text;
  const prefix = wordedPrefix(namespace);
  const short = text.startsWith(prefix) ? text.slice(prefix.length) : '';
  if (!WORDED_GRANT_TYPES.has(short)) throw refuse(FIELD, `the grant type ${text} is not known.`);
  return short;
}

/**
 * Grant types that a kind of app can't have: it could not keep the credential that they rest on, or the contract has
 * them for others alone.
 */
const REFUSED_GRANT_TYPES: Readonly<Record<ApplicationType, readonly string[]>> = {
  web: [],
  service: [CIBA],
  native: ['client_credentials', CIBA],
  browser: ['client_credentials', 'password', CIBA],
};
/** Those of clients that prove who they are. */
const CONFIDENTIAL = ['client_credentials', CIBA];

/** Refuses grant types that the client's type or its way of proving itself rules out. 400 E0000001. */
export function assertGrantTypes(grantTypes: readonly string[], { applicationType, method }: Client): void {
  if (grantTypes.length === 0) throw refuse(FIELD, BLANK);
  if (applicationType === 'service' && !grantTypes.includes('client_credentials')) {
    throw refuse(FIELD, 'an app of type service needs client_credentials.');
  }
  const wrong = grantTypes.find((grantType) => REFUSED_GRANT_TYPES[applicationType].includes(grantType));
  if (wrong !== undefined) throw refuse(FIELD, `an app of type ${applicationType} can't have ${wrong}.`);
  const unproven = grantTypes.find((grantType) => method === 'none' && CONFIDENTIAL.includes(grantType));
  if (unproven !== undefined) throw refuse(FIELD, `${unproven} needs a client that authenticates.`);
}
