import { admits } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import { OAUTH_ERRORS, type OAuthErrorCode } from '../../kernel/errors/oauth-errors.ts';
import { type ClientId, mayBeClientId, type OrgId, toOrgId } from '../../kernel/words/ids.ts';
import { type ClientCredentials, findClientCredentials, liveClientReader } from '../../management/apps/index.ts';
import { createAuthorisationCache, startAhead } from '../../platform/postgres/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import { expiryOf, issuerOf, singleUseName } from './assertion-rules.ts';
import {
  type ClientAuthenticationMethod,
  type ClientRequest,
  type PresentedCredentials,
  parameter,
  readCredentials,
} from './credentials-rules.ts';
import { parseJws } from './jws-rules.ts';
import { isRefusal, type OAuthErrorRefusal, refusalOf } from './refusal.ts';
import { lockClientAndConsume, type SingleUse } from './replay-protection.ts';
import { isSecretOf } from './secrets.ts';
import { type AssertionPorts, audienceAt, refusalOfAssertion } from './verify-assertion.ts';

/** Endpoints at which clients authenticate, with their paths on the org's own authorization server. */
const ENDPOINT_PATHS = {
  token: '/oauth2/v1/token',
  introspect: '/oauth2/v1/introspect',
  revoke: '/oauth2/v1/revoke',
  par: '/oauth2/v1/par',
  deviceAuthorize: '/oauth2/v1/device/authorize',
  backchannelAuthorize: '/oauth2/v1/bc/authorize',
} as const;
export type ClientEndpoint = keyof typeof ENDPOINT_PATHS;
/** All endpoints except the token endpoint. Each has a row in the admission table. */
export type UntracedEndpoint = Exclude<ClientEndpoint, 'token'>;

export interface CredentialRefusal {
  readonly org: { readonly orgId: OrgId };
  readonly kind: 'credential';
  readonly client: Context['client'];
  readonly requestUri: string;
}

export interface ClientAuthenticationPorts extends AssertionPorts, Pick<Foundation, 'db' | 'work' | 'clock'> {
  readonly refused: (refusal: CredentialRefusal) => void;
}

export interface EndpointRequest extends ClientRequest {
  readonly endpoint: ClientEndpoint;
  /** All paths of a custom server's endpoint; absent for the org's own server. */
  readonly paths?: readonly string[];
}

export interface AuthenticatedClient {
  readonly client: ClientCredentials;
  readonly method: ClientAuthenticationMethod;
  /** The assertion, which can be used once; null if the client used no assertion. */
  readonly singleUse: SingleUse | null;
}

export interface ClientAuthenticator {
  /** Only authenticates the client. The caller must consume the assertion and check the client's admission. */
  authenticateClient(context: Context, request: EndpointRequest): Promise<AuthenticatedClient | OAuthErrorRefusal>;
  /** Authenticates the client, consumes its assertion and checks its admission. Reports refusals to `refused`. */
  admitClient(
    context: Context,
    request: EndpointRequest & { readonly endpoint: UntracedEndpoint },
  ): Promise<AuthenticatedClient | OAuthErrorRefusal>;
  /** Call this after one of the org's clients has changed. */
  drop(orgId: OrgId): void;
}

export const credentialRefusal = (context: Context): CredentialRefusal => ({
  org: { orgId: context.orgId },
  kind: 'credential',
  client: context.client,
  requestUri: context.requestUri ?? '',
});

/** Tells a client that used the Authorization header which scheme to use there (RFC 6749 5.2). */
function challenged(result: AuthenticatedClient | OAuthErrorRefusal, request: ClientRequest): typeof result {
  if (!isRefusal(result) || request.authorization === undefined) return result;
  if (OAUTH_ERRORS[result.refused].status !== 401) return result;
  return { ...result, options: { ...result.options, headers: { 'www-authenticate': 'Basic realm="oauth"' } } };
}

function refusalOfSecret(
  client: ClientCredentials,
  presented: Exclude<PresentedCredentials, { method: 'assertion' }>,
): OAuthErrorCode | null {
  const isEitherWay = client.takesSecretEitherWay && presented.method !== 'none';
  if (client.tokenEndpointAuthMethod !== presented.method && !isEitherWay) {
    return presented.method === 'none' ? 'missingClientCredentials' : 'invalidTokenEndpointAuthMethod';
  }
  if (presented.method === 'none') return null;
  return isSecretOf(presented.secret, client.secretHashes) ? null : 'invalidClientSecret';
}

const isOrgTokenEndpoint = ({ endpoint, paths }: EndpointRequest): boolean =>
  endpoint === 'token' && paths === undefined;

const isForClientItself = ({ endpoint, form }: EndpointRequest): boolean =>
  endpoint === 'token' && parameter(form, 'grant_type') === 'client_credentials';

/**
 * To get tokens for itself from the org's own server, a client must authenticate with a key pair (specification 4.6).
 */
const takesKeysOnly = (request: EndpointRequest): boolean => isOrgTokenEndpoint(request) && isForClientItself(request);

/** On the org's own server, a service app must use a key pair for every grant type (specification 5). */
const isServiceThere = (request: EndpointRequest, { applicationType }: ClientCredentials): boolean =>
  isOrgTokenEndpoint(request) && applicationType === 'service';

const ASSERTION_METHODS = ['private_key_jwt', 'client_secret_jwt'] as const;

type FindClient = (orgId: OrgId, clientId: ClientId) => Promise<ClientCredentials | null>;

function createAuthentication(ports: ClientAuthenticationPorts, find: FindClient) {
  async function byAssertion(
    context: Context,
    request: EndpointRequest,
    presented: Extract<PresentedCredentials, { method: 'assertion' }>,
  ): Promise<AuthenticatedClient | OAuthErrorRefusal> {
    const jws = parseJws(presented.assertion);
    if (jws === null) return refusalOf('assertionInvalidJwt');
    const issuer = issuerOf(jws);
    const client = issuer === null ? null : await find(context.orgId, issuer);
    if (client === null) return refusalOf('assertionInvalidIssuer');
    if (jws.claims['sub'] !== issuer) return refusalOf('assertionInvalidSubject', client);
    if (presented.clientId !== null && presented.clientId !== issuer) return refusalOf('invalidClientId', client);
    const method = ASSERTION_METHODS.find((one) => one === client.tokenEndpointAuthMethod);
    if (method !== 'private_key_jwt' && (takesKeysOnly(request) || isServiceThere(request, client))) {
      return refusalOf('privateKeyJwtRequired', client);
    }
    if (method === undefined) return refusalOf('invalidTokenEndpointAuthMethod', client);
    const refused = await refusalOfAssertion(
      ports,
      context,
      client,
      jws,
      audienceAt(request.paths ?? [ENDPOINT_PATHS[request.endpoint]]),
    );
    if (refused !== null) return refusalOf(refused, client);
    const singleUse = { name: singleUseName(jws), expiresAt: expiryOf(jws) };
    return { client, method, singleUse };
  }

  return async (context: Context, request: EndpointRequest): Promise<AuthenticatedClient | OAuthErrorRefusal> => {
    const presented = readCredentials(request);
    if (typeof presented === 'string') return refusalOf(presented);
    if (presented.method === 'assertion') return byAssertion(context, request, presented);
    const client = await find(context.orgId, presented.clientId);
    // The secret is not compared, because the response must not reveal whether the secret is right.
    if (takesKeysOnly(request)) return refusalOf('privateKeyJwtRequired', client);
    if (client === null) return refusalOf('invalidClientId');
    if (isServiceThere(request, client)) return refusalOf('privateKeyJwtRequired', client);
    const refused = refusalOfSecret(client, presented);
    return refused === null ? { client, method: presented.method, singleUse: null } : refusalOf(refused, client);
  };
}

/** Creates the authenticator of OAuth clients (RFC 6749 2.3, RFC 7523 3). */
export function createClientAuthenticator(ports: ClientAuthenticationPorts): ClientAuthenticator {
  const { clock, db, work } = ports;
  const findLive = liveClientReader(db);
  const clients = createAuthorisationCache<ClientCredentials | null>({
    clock,
    load: async ({ orgId, id }) => (await findClientCredentials(db, toOrgId(orgId ?? ''), id)) ?? null,
  });
  const find: FindClient = async (orgId, clientId) =>
    mayBeClientId(clientId) ? clients.get({ orgId, kind: 'client', id: clientId }) : null;
  const authenticate = createAuthentication(ports, find);
  const authenticateClient: ClientAuthenticator['authenticateClient'] = async (context, request) =>
    challenged(await authenticate(context, request), request);

  /**
   * Consumes an assertion. Only the response depends on the results of the statements, so they are sent in one packet
   * with COMMIT.
   */
  async function useAssertion(context: Context, clientId: ClientId, singleUse: SingleUse) {
    const { result } = await work(context, async (tx) =>
      startAhead(tx, () => lockClientAndConsume(tx, context.orgId, clientId, [singleUse])),
    );
    return result;
  }

  async function admit(
    context: Context,
    endpoint: UntracedEndpoint,
    { client, singleUse }: AuthenticatedClient,
  ): Promise<OAuthErrorRefusal | null> {
    // Without an assertion, nothing is written here, so a lock would end with the read and protect nothing.
    const { consumed, live } =
      singleUse === null
        ? { consumed: [], live: await findLive(context.orgId, client.clientId) }
        : await useAssertion(context, client.clientId, singleUse);
    if (live === undefined) return refusalOf('invalidClientId');
    if (consumed.includes(false)) return refusalOf('assertionAlreadyUsed', client);
    return admits(endpoint, { client: live }) === null ? null : refusalOf('invalidClient', client);
  }

  return {
    authenticateClient,
    admitClient: async (context, request) => {
      const authenticated = await authenticateClient(context, request);
      const refusal = isRefusal(authenticated) ? authenticated : await admit(context, request.endpoint, authenticated);
      if (refusal === null) return authenticated;
      ports.refused(credentialRefusal(context));
      return refusal;
    },
    drop: (orgId) => clients.drop(orgId),
  };
}
