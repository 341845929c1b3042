import { createHash } from 'node:crypto';
import { decide } from '../../access/index.ts';
import { type Context, userIdOf } from '../../kernel/context.ts';
import { wireDate } from '../../kernel/texts/dates.ts';
import type { Version } from '../../kernel/version.ts';
import type { MasterKey } from '../../platform/crypto/index.ts';
import { changeTarget, type Target, toldDocument } from '../../system-log/index.ts';
import { openProviderSecret } from './changes/provider-secret.ts';
import type { OAuthProtocol, PolicyDocument, ProtocolDocument } from './documents/document-contract.ts';
import { isOAuth, orgUrlName } from './documents/document-rules.ts';
import { typeFacts, wireProviderType } from './documents/type-rules.ts';
import { providerLifecycle } from './lifecycle.ts';
import type { Provider } from './store.ts';

type Members = Record<string, unknown>;

const link = (href: string, method: string): Members => ({ href, hints: { allow: [method] } });

const statusLinks = (provider: Provider, address: string): Members =>
  Object.fromEntries(
    providerLifecycle
      .linkedFrom(provider.status)
      .map((action) => [action, link(`${address}/lifecycle/${action}`, 'POST')]),
  );

const AUTHORIZATION_QUERY = [
  'client_id={clientId}',
  'response_type={responseType}',
  'response_mode={responseMode}',
  'scope={scopes}',
  'redirect_uri={redirectUri}',
  'state={state}',
  'nonce={nonce}',
].join('&');

/**
 * Returns the address to which the provider posts SAML responses: its own, or the one that all providers of the org
 * share.
 */
export const assertionAddress = (
  { id }: Pick<Provider, 'id'>,
  protocol: Extract<ProtocolDocument, { type: 'SAML2' }>,
  { baseUrl }: Context,
): string => (protocol.endpoints.acs.type === 'ORG' ? `${baseUrl}/sso/saml2` : `${baseUrl}/sso/saml2/${id}`);

function linksOf(provider: Provider, context: Context): Members {
  const { baseUrl } = context;
  const address = `${baseUrl}/api/v1/idps/${provider.id}`;
  const users = link(`${address}/users`, 'GET');
  const { protocol } = provider.document;
  if (isOAuth(protocol)) {
    const authorize = link(`${baseUrl}/oauth2/v1/authorize?idp=${provider.id}&${AUTHORIZATION_QUERY}`, 'GET');
    return {
      authorize: { ...authorize, templated: true },
      clientRedirectUri: link(`${baseUrl}/oauth2/v1/authorize/callback`, 'POST'),
    };
  }
  if (protocol.type === 'ID_PROOFING') return { users, ...statusLinks(provider, address) };
  const keys = link(`${baseUrl}/api/v1/idps/credentials/keys/${protocol.credentials.trust.kid}`, 'GET');
  if (protocol.type === 'MTLS') return { users, keys, ...statusLinks(provider, address) };
  return {
    metadata: { ...link(`${address}/metadata.xml`, 'GET'), type: 'application/xml' },
    acs: { ...link(assertionAddress(provider, protocol, context), 'POST'), type: 'application/xml' },
    users,
    keys,
    ...statusLinks(provider, address),
  };
}

function wireOAuth(protocol: OAuthProtocol, word: string, shown: Members): Members {
  const { algorithms, credentials, endpoints, issuer, orgUrl, scopes, settings, type } = protocol;
  return {
    type,
    endpoints,
    ...(algorithms === undefined ? {} : { algorithms }),
    ...(settings === undefined ? {} : { settings: { nameFormat: null, ...settings } }),
    scopes,
    ...(issuer === undefined ? {} : { issuer }),
    ...(orgUrl === undefined ? {} : { [orgUrlName(word)]: orgUrl }),
    credentials: { ...credentials, client: { ...credentials.client, ...shown } },
  };
}

/** `shown` contains the client's secret if the caller may see it. */
export function wireProtocol(protocol: ProtocolDocument, context: Context, shown: Members): Members {
  if (isOAuth(protocol)) return wireOAuth(protocol, context.namespace.word, shown);
  if (protocol.type === 'ID_PROOFING') {
    const { client } = protocol.credentials;
    const isShown = client !== undefined && Object.keys(shown).length > 0;
    return { ...protocol, credentials: isShown ? { client: { ...client, ...shown } } : {} };
  }
  if (protocol.type === 'MTLS') {
    const trust = { audience: null, ...protocol.credentials.trust };
    return { ...protocol, endpoints: { sso: { url: `${context.baseUrl}/login/cert` } }, credentials: { trust } };
  }
  const trust = { ...protocol.credentials.trust, revocation: null, revocationCacheLifetime: 0 };
  return { ...protocol, credentials: { trust } };
}

export function wirePolicy({ subject, maxClockSkewMilliseconds, ...policy }: PolicyDocument): Members {
  const { filter, matchAttribute, matchType, template } = subject;
  return {
    provisioning: policy.provisioning,
    accountLink: { filter: policy.accountLink.filter, action: policy.accountLink.action },
    subject: { userNameTemplate: { template }, filter, matchType, matchAttribute },
    maxClockSkew: maxClockSkewMilliseconds,
    ...(policy.trustClaims === undefined ? {} : { trustClaims: policy.trustClaims }),
    ...(policy.mapAMRClaims === undefined ? {} : { mapAMRClaims: policy.mapAMRClaims }),
    transformedUsernameMatchingEnabled: false,
  };
}

/**
 * Published clients compare the client secret with their own copy, so callers who may set the secret can see it.
 * Private keys and API keys are never shown.
 */
function shownSecret(masterKey: MasterKey, provider: Provider, context: Context): Members {
  const { principal, roles, scopes } = context;
  const maySet = decide({ userId: userIdOf(principal), roles, scopes }, 'idps.manage', ['idps.manage']) !== null;
  const isShown = maySet && typeFacts(provider.type).secret === 'client_secret';
  const secret = isShown ? openProviderSecret(masterKey, context.orgId, provider) : null;
  return secret === null ? {} : { client_secret: secret };
}

export function wireProvider(masterKey: MasterKey, provider: Provider, context: Context): Members {
  const { issuerMode, policy, properties, protocol } = provider.document;
  const shown = shownSecret(masterKey, provider, context);
  return {
    id: provider.id,
    ...(protocol.type === 'SAML2' ? {} : { issuerMode }),
    name: provider.name,
    status: provider.status,
    created: wireDate(provider.createdAt),
    lastUpdated: wireDate(provider.lastUpdatedAt),
    protocol: wireProtocol(protocol, context, shown),
    policy: wirePolicy(policy),
    ...(properties === null ? {} : { properties }),
    type: wireProviderType(provider.type, context.namespace.upper),
    _links: linksOf(provider, context),
  };
}

export const providerVersion = ({ id, revision }: Provider): Version => ({ kind: 'identityProvider', id, revision });

const providerTarget = ({ id, name, type }: Provider, { namespace }: Context): Target => ({
  id,
  type: 'IdentityProvider',
  alternateId: wireProviderType(type, namespace.upper),
  displayName: name,
});

/** Shows that a secret was replaced, without revealing the secret. */
const markOf = (sealedSecret: Buffer): string =>
  `(set ${createHash('sha256').update(sealedSecret).digest('hex').slice(0, 8)})`;

export const providerChange = changeTarget(providerTarget, ({ name, status, document, sealedSecret }) => ({
  name,
  status,
  ...toldDocument(document),
  clientSecret: sealedSecret === null ? null : markOf(sealedSecret),
}));
