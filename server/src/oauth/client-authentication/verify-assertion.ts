import type { Context } from '../../kernel/context.ts';
import type { OrgId } from '../../kernel/ids.ts';
import type { OAuthErrorCode } from '../../kernel/oauth-errors.ts';
import type { ClientCredentials } from '../../management/apps/index.ts';
import {
  audienceOrigin,
  type ClientKey,
  type Read,
  readHeader,
  refusalOfClaims,
  selectKeys,
} from './assertion-rules.ts';
import type { ParsedJws, SignatureAlgorithmName } from './jws-rules.ts';
import { verifiesSignature } from './verify-signature.ts';

export interface AssertionPorts {
  /** Keys at a client's `jwks_uri`; null: they can't be had. `refresh`: the assertion may be of a newer key. */
  readonly remoteKeys: (
    orgId: OrgId,
    client: { readonly clientId: string; readonly jwksUri: string },
    refresh: boolean,
  ) => Promise<readonly ClientKey[] | null>;
  /** Whether an origin is one of the org's own addresses. */
  readonly isOwnOrigin: (orgId: OrgId, origin: string) => Promise<boolean> | boolean;
}

async function readKeys(
  ports: AssertionPorts,
  { orgId }: Context,
  client: ClientCredentials,
  refresh: boolean,
): Promise<Read<readonly ClientKey[]>> {
  const { clientId, jwksUri } = client;
  if (jwksUri === null) return { value: client.keys };
  const keys = await ports.remoteKeys(orgId, { clientId, jwksUri }, refresh);
  return keys === null ? { refused: 'remoteKeysUnavailable' } : { value: keys };
}

/** What is wrong with the signature, or null. Only keys of the client are asked, and only such as fit the algorithm. */
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

/** Asks for a key set again, once, where the assertion may be signed by a key that was not in it yet. */
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

/**
 * What is wrong with an assertion that says it is of this client, or null. The signature first: what an assertion
 * claims is looked at only when the client is known to have made it. `path`: of the endpoint that was invoked.
 */
export async function refusalOfAssertion(
  ports: AssertionPorts,
  context: Context,
  client: ClientCredentials,
  jws: ParsedJws,
  path: string,
): Promise<OAuthErrorCode | null> {
  const algorithm = readHeader(jws);
  if ('refused' in algorithm) return algorithm.refused;
  const refused = await checkSignature(ports, context, client, jws, algorithm.value);
  if (refused !== null) return refused;
  const origin = audienceOrigin(jws, path);
  const isOurs = origin === context.baseUrl || (origin !== null && (await ports.isOwnOrigin(context.orgId, origin)));
  return isOurs ? refusalOfClaims(jws, context.now) : 'assertionInvalidAudience';
}
