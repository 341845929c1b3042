import type { Context } from '../../kernel/context.ts';
import type { OAuthErrorCode } from '../../kernel/errors/oauth-errors.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { type ClientCredentials, openSecret, type RemoteKeySets } from '../../management/apps/index.ts';
import type { MasterKey } from '../../platform/crypto/index.ts';
import {
  ASSERTION_TYPES,
  audienceOfAssertion,
  type ClientKey,
  originsBefore,
  type Read,
  readHeader,
  readMacHeader,
  refusalOfClaims,
  selectKeys,
} from './assertion-rules.ts';
import type { ParsedJws, SignatureAlgorithmName } from './jws-rules.ts';
import { isMadeBySecret } from './secrets.ts';
import { verifiesSignature } from './verify-signature.ts';

export interface AssertionPorts {
  /** The key sets at the clients' `jwks_uri`. */
  readonly keySets: RemoteKeySets;
  /** The key that decrypts the secrets of clients that sign with them. */
  readonly masterKey: MasterKey;
  /** Returns whether an origin is one of the org's own addresses. */
  readonly isOwnOrigin: (orgId: OrgId, origin: string) => Promise<boolean> | boolean;
}

/** The context of the request, the client that must have signed the JWT, and the JWT. */
type Signed = readonly [context: Context, client: ClientCredentials, jws: ParsedJws];

async function readKeys(
  ports: AssertionPorts,
  { orgId }: Context,
  client: ClientCredentials,
  refresh: boolean,
): Promise<Read<readonly ClientKey[]>> {
  const { appId, jwksUri } = client;
  if (jwksUri === null) return { value: client.keys };
  const keys = await ports.keySets.keysOf(orgId, appId, jwksUri, refresh);
  if (keys === null) return { refused: 'remoteKeysUnavailable' };
  return { value: keys.map((jwk) => ({ kid: jwk.kid ?? null, jwk })) };
}

/** Only keys of the client that fit the algorithm are tried. */
function refusalOfSignature(
  jws: ParsedJws,
  algorithm: SignatureAlgorithmName,
  keys: Read<readonly ClientKey[]>,
): OAuthErrorCode | null {
  if ('refused' in keys) return keys.refused;
  const selected = selectKeys(jws, algorithm, keys.value);
  if ('refused' in selected) return selected.refused;
  const isSigned = selected.value.some((jwk) => verifiesSignature(jws, algorithm, jwk));
  return isSigned ? null : 'assertionInvalidSignature';
}

/** Asks for a newer key set, once, if the key that signed the JWT may be new. */
async function checkSignature(
  ports: AssertionPorts,
  context: Context,
  client: ClientCredentials,
  jws: ParsedJws,
  algorithm: SignatureAlgorithmName,
): Promise<OAuthErrorCode | null> {
  const keys = await readKeys(ports, context, client, false);
  const refused = refusalOfSignature(jws, algorithm, keys);
  if (refused === null || client.jwksUri === null || 'refused' in keys) return refused;
  const mayBeNew = refused === 'assertionInvalidKid' || jws.header['kid'] === undefined;
  return mayBeNew ? refusalOfSignature(jws, algorithm, await readKeys(ports, context, client, true)) : refused;
}

/** Checks the signature of a client that signs with its secret (OpenID Connect Core 9: client_secret_jwt). */
function checkMac(
  ports: AssertionPorts,
  { orgId }: Context,
  client: ClientCredentials,
  jws: ParsedJws,
  types: ReadonlySet<string>,
): OAuthErrorCode | null {
  const algorithm = readMacHeader(jws, types);
  if ('refused' in algorithm) return algorithm.refused;
  const { appId, sealedSecrets } = client;
  const secrets = sealedSecrets.map((secret) => openSecret(ports.masterKey, orgId, appId, secret));
  if (secrets.length === 0) return 'assertionNoSecret';
  return isMadeBySecret(jws, algorithm.value, secrets) ? null : 'assertionInvalidSignature';
}

/** Checks a signature that must come from a private key, not from the client's secret. */
async function checkKeyProof(
  ports: AssertionPorts,
  context: Context,
  client: ClientCredentials,
  jws: ParsedJws,
  types: ReadonlySet<string>,
): Promise<OAuthErrorCode | null> {
  const algorithm = readHeader(jws, types);
  return 'refused' in algorithm ? algorithm.refused : checkSignature(ports, context, client, jws, algorithm.value);
}

/** `types` are the permitted values of `typ`, in lower case. */
export async function checkProof(
  ports: AssertionPorts,
  context: Context,
  client: ClientCredentials,
  jws: ParsedJws,
  types: ReadonlySet<string> = ASSERTION_TYPES,
): Promise<OAuthErrorCode | null> {
  if (client.tokenEndpointAuthMethod === 'client_secret_jwt') return checkMac(ports, context, client, jws, types);
  return checkKeyProof(ports, context, client, jws, types);
}

const V1 = /\/v1\/[a-z/]+$/;

/**
 * Lists the paths of the audiences that an assertion may name: for each of `paths`, the path itself, and the token
 * endpoint and issuer of the server to which the path belongs.
 */
export const audienceAt = (paths: readonly string[]): readonly string[] =>
  paths.flatMap((path) => {
    const server = path.replace(V1, '');
    return [path, `${server}/v1/token`, server === '/oauth2' ? '' : server];
  });

async function isForUs(
  ports: AssertionPorts,
  { baseUrl, orgId }: Context,
  jws: ParsedJws,
  audience: readonly string[],
): Promise<boolean> {
  const address = audienceOfAssertion(jws);
  const origins = address === null ? [] : originsBefore(address, audience);
  if (origins.includes(baseUrl)) return true;
  for (const origin of origins) {
    if (await ports.isOwnOrigin(orgId, origin)) return true;
  }
  return false;
}

/** The signature is checked first, because the claims mean nothing until it is known that the client made them. */
export async function refusalOfAssertion(
  ports: AssertionPorts,
  context: Context,
  client: ClientCredentials,
  jws: ParsedJws,
  audience: readonly string[],
  check: (ports: AssertionPorts, ...signed: Signed) => Promise<OAuthErrorCode | null> = checkProof,
): Promise<OAuthErrorCode | null> {
  const refused = await check(ports, context, client, jws);
  if (refused !== null) return refused;
  const isOurs = await isForUs(ports, context, jws, audience);
  return isOurs ? refusalOfClaims(jws, context.now) : 'assertionInvalidAudience';
}

const USER_ASSERTION_TYPES: ReadonlySet<string> = new Set(['jwt']);

export type RefusalOfUserAssertion = (
  ...asked: [...Signed, audience: readonly string[]]
) => Promise<OAuthErrorCode | null>;

/**
 * Creates the check of assertions by which clients get tokens for users (RFC 7523 2.1). Clients must sign these
 * assertions with a private key, not with their secret.
 */
export const userAssertionsOver =
  (ports: AssertionPorts): RefusalOfUserAssertion =>
  (context, client, jws, audience) =>
    refusalOfAssertion(ports, context, client, jws, audience, (...signed) =>
      checkKeyProof(...signed, USER_ASSERTION_TYPES),
    );
