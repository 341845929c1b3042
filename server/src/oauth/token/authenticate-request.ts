import type { Context } from '../../kernel/context.ts';
import type { AuthenticatedClient, ClientAuthenticator } from '../client-authentication/authenticate-client.ts';
import { type OAuthErrorRefusal, refusalOf } from '../client-authentication/refusal.ts';
import type { SingleUse } from '../client-authentication/replay-protection.ts';
import type { DpopNonces } from '../dpop/nonces.ts';
import { singleUseOfProof, verifyDpopProof } from '../dpop/verify-proof.ts';
import type { TokenRequest } from './request-rules.ts';

export interface AuthenticationPorts {
  readonly authenticator: Pick<ClientAuthenticator, 'authenticateClient' | 'drop'>;
  readonly dpopNonces: DpopNonces;
}

/** A token endpoint: the requested path, and all its paths if the server has several names. */
export interface EndpointPlace {
  readonly path: string;
  readonly paths?: readonly string[];
}

/** The key that the token will be bound to, shown by a DPoP proof that can be used once. */
export interface DpopKey {
  readonly jkt: string;
  readonly jti: string;
  readonly expiresAt: Date;
}

/** The client that sent a request. A null `key`: its tokens are bound to none. */
export interface AuthenticatedRequest {
  readonly authenticated: AuthenticatedClient;
  readonly key: DpopKey | null;
}

/** The client has changed since it was read: nothing may be consumed on the basis of the old one. */
export class ClientChanged extends Error {}

/** Authenticates the client of a token request, without a trace. */
export const authenticateTokenRequest = (
  { authenticator }: AuthenticationPorts,
  context: Context,
  { paths }: EndpointPlace,
  request: TokenRequest,
): Promise<AuthenticatedClient | OAuthErrorRefusal> =>
  authenticator.authenticateClient(context, {
    ...request,
    endpoint: 'token',
    ...(paths === undefined ? {} : { paths }),
  });

/** Null means that the tokens are bound to no key, and any proof is ignored. */
export function readDpopKey(
  { dpopNonces }: Pick<AuthenticationPorts, 'dpopNonces'>,
  context: Context,
  { path }: Pick<EndpointPlace, 'path'>,
  { client }: Pick<AuthenticatedClient, 'client'>,
  { dpopProof: proof }: Pick<TokenRequest, 'dpopProof'>,
  isBound: boolean,
): DpopKey | OAuthErrorRefusal | null {
  if (!isBound) return null;
  if (proof === undefined) return refusalOf('dpopProofMissing', client);
  const { baseUrl, now, orgId } = context;
  const isFreshNonce = (nonce: string): boolean => dpopNonces.isFresh(orgId, nonce, now);
  const verdict = verifyDpopProof({ proof, method: 'POST', uri: baseUrl + path, now, isFreshNonce });
  if (verdict.ok) return verdict;
  const headers = verdict.reason === 'useDpopNonce' ? { 'dpop-nonce': dpopNonces.issue(orgId, now) } : {};
  return refusalOf(verdict.reason, client, { headers });
}

/** A single-use credential in a request, and the refusal of its replay. */
export type RequestSingleUse = SingleUse & { readonly refused: 'assertionAlreadyUsed' | 'dpopAlreadyUsed' };

export const singleUsesOf = ({ authenticated, key }: AuthenticatedRequest): readonly RequestSingleUse[] => [
  ...(authenticated.singleUse === null
    ? []
    : [{ ...authenticated.singleUse, refused: 'assertionAlreadyUsed' as const }]),
  ...(key === null ? [] : [{ ...singleUseOfProof(key), refused: 'dpopAlreadyUsed' as const }]),
];
