import { invalid } from '../../../kernel/errors/errors.ts';
import { notOneOf, required } from '../../../kernel/errors/field-errors.ts';
import type { ProtocolInput } from '../contract.ts';
import {
  type Binding,
  type Endpoint,
  OAUTH_ENDPOINTS,
  type OAuthClient,
  type OAuthProtocol,
  OIDC_ALGORITHMS,
  VERIFICATION_ENDPOINTS,
  type VerificationProtocol,
} from './document-contract.ts';
import { optional, readText, textOrNull } from './shape-rules.ts';
import { INTEGRATION, type ProviderType, typeFacts } from './type-rules.ts';
import { readIssuer, readSecureUri } from './uri-rules.ts';

/** Scopes consist of visible ASCII characters except `"` and `\` (RFC 6749 3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

const BINDINGS: Readonly<Record<(typeof OAUTH_ENDPOINTS)[number] | 'par', Binding>> = {
  authorization: 'HTTP-REDIRECT',
  token: 'HTTP-POST',
  userInfo: 'HTTP-REDIRECT',
  jwks: 'HTTP-REDIRECT',
  slo: 'HTTP-REDIRECT',
  par: 'HTTP-POST',
};

type Addresses<Name extends string> = Readonly<Partial<Record<Name, string>>>;

/** `known` supplies addresses that the body omits. */
function readEndpoints<Name extends keyof typeof BINDINGS>(
  { endpoints }: ProtocolInput,
  names: readonly Name[],
  known: Addresses<string>,
): Readonly<Partial<Record<Name, Endpoint>>> {
  const read: Partial<Record<Name, Endpoint>> = {};
  for (const name of names) {
    const given = endpoints?.[name];
    const url = textOrNull(given?.url) ?? known[name];
    if (url === undefined) continue;
    const field = `protocol.endpoints.${name}.url`;
    read[name] = { url: readSecureUri(field, url), binding: given?.binding ?? BINDINGS[name] };
  }
  return read;
}

function requireEndpoints<Name extends string>(
  endpoints: Readonly<Partial<Record<Name, Endpoint>>>,
  names: readonly Name[],
): void {
  const missing = names.find((name) => endpoints[name] === undefined);
  if (missing !== undefined) throw required(`protocol.endpoints.${missing}.url`);
}

function readScopes({ scopes }: ProtocolInput): readonly string[] {
  const unique = [...new Set(scopes ?? [])];
  const wrong = unique.find((scope) => !SCOPE.test(scope));
  if (wrong !== undefined) throw invalid('protocol.scopes', `must not contain ${wrong}, which is not a scope.`);
  return unique;
}

function readClient({ credentials }: ProtocolInput): OAuthClient {
  const client = credentials?.client;
  return {
    client_id: readText('protocol.credentials.client.client_id', client?.client_id),
    ...optional('pkce_required', client?.pkce_required),
    ...optional('token_endpoint_auth_method', client?.token_endpoint_auth_method),
  };
}

function readSigning(type: ProviderType, { credentials }: ProtocolInput): OAuthProtocol['credentials']['signing'] {
  if (typeFacts(type).secret !== 'privateKey') return undefined;
  const field = 'protocol.credentials.signing';
  return {
    teamId: readText(`${field}.teamId`, credentials?.signing?.teamId),
    kid: readText(`${field}.kid`, credentials?.signing?.kid),
  };
}

/** Clients often send SAML algorithms here. These are ignored. */
function readAlgorithms({ algorithms }: ProtocolInput): OAuthProtocol['algorithms'] {
  const given = algorithms?.request?.signature;
  const algorithm = OIDC_ALGORITHMS.find((known) => known === given?.algorithm);
  if (algorithm !== undefined) return { request: { signature: { algorithm, scope: given?.scope ?? 'REQUEST' } } };
  if (!given?.algorithm || given.algorithm.startsWith('SHA-')) return undefined;
  throw notOneOf('protocol.algorithms.request.signature.algorithm', OIDC_ALGORITHMS);
}

function readIssuerUrl({ issuer }: ProtocolInput, otherwise: string | undefined): OAuthProtocol['issuer'] {
  const url = textOrNull(issuer?.url) ?? otherwise;
  return url === undefined ? undefined : { url: readIssuer('protocol.issuer.url', url) };
}

const DEFAULT_SCOPES = ['openid', 'email', 'profile'];

const addressesBelow = (orgUrl: string) => ({
  authorization: `${orgUrl}/oauth2/v1/authorize`,
  token: `${orgUrl}/oauth2/v1/token`,
  userInfo: `${orgUrl}/oauth2/v1/userinfo`,
  jwks: `${orgUrl}/oauth2/v1/keys`,
});

function readOrgUrl(field: string, given: unknown): string {
  const url = readIssuer(field, readText(field, typeof given === 'string' ? given : null));
  let end = url.length;
  while (url.charAt(end - 1) === '/') end -= 1;
  return url.slice(0, end);
}

interface Given {
  readonly input: ProtocolInput;
  readonly protocol: 'OIDC' | 'OAUTH2';
  readonly endpoints: OAuthProtocol['endpoints'];
  readonly scopes: readonly string[];
  readonly issuer: OAuthProtocol['issuer'];
}

function assemble(type: ProviderType, { input, protocol, endpoints, scopes, issuer }: Given): OAuthProtocol {
  const { settings } = input;
  const flags = {
    ...optional('participateSlo', settings?.participateSlo),
    ...optional('sendApplicationContext', settings?.sendApplicationContext),
  };
  return {
    type: protocol,
    endpoints,
    ...optional('algorithms', readAlgorithms(input)),
    ...(type === 'OIDC' || Object.keys(flags).length > 0 ? { settings: flags } : {}),
    scopes,
    ...optional('issuer', issuer),
    credentials: { client: readClient(input), ...optional('signing', readSigning(type, input)) },
  };
}

/** `orgUrlName` is the name of the member that becomes `orgUrl`. */
export function readOAuth(
  type: ProviderType,
  protocol: 'OIDC' | 'OAUTH2',
  input: ProtocolInput,
  orgUrlName: string,
): OAuthProtocol {
  const given = readScopes(input);
  if (type === INTEGRATION) {
    const orgUrl = readOrgUrl(`protocol.${orgUrlName}`, Reflect.get(input, orgUrlName));
    const endpoints = readEndpoints(input, OAUTH_ENDPOINTS, addressesBelow(orgUrl));
    const scopes = given.length > 0 ? given : DEFAULT_SCOPES;
    return { ...assemble(type, { input, protocol, endpoints, scopes, issuer: readIssuerUrl(input, orgUrl) }), orgUrl };
  }
  if (given.length === 0) throw required('protocol.scopes');
  const endpoints = readEndpoints(input, OAUTH_ENDPOINTS, typeFacts(type).endpoints ?? {});
  const issuer = readIssuerUrl(input, undefined);
  if (type === 'OIDC') {
    requireEndpoints(endpoints, ['authorization', 'token', 'jwks']);
    if (issuer === undefined) throw required('protocol.issuer.url');
    if (!given.includes('openid')) throw invalid('protocol.scopes', 'must contain openid.');
  }
  if (input.settings?.participateSlo === true) requireEndpoints(endpoints, ['slo']);
  return assemble(type, { input, protocol, endpoints, scopes: given, issuer });
}

export function readVerification(type: ProviderType, input: ProtocolInput): VerificationProtocol {
  const endpoints = readEndpoints(input, VERIFICATION_ENDPOINTS, {});
  const isGiven = Object.keys(endpoints).length > 0;
  if (isGiven || type === 'IDV_STANDARD') requireEndpoints(endpoints, VERIFICATION_ENDPOINTS);
  const scopes = readScopes(input);
  const isByKey = typeFacts(type).secret === 'apiKey';
  return {
    type: 'ID_PROOFING',
    ...(isGiven ? { endpoints } : {}),
    ...(scopes.length > 0 ? { scopes } : {}),
    ...optional('issuer', readIssuerUrl(input, undefined)),
    credentials: isByKey ? {} : { client: { client_id: readClient(input).client_id } },
  };
}
