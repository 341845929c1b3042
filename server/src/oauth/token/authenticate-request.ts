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

/** A token endpoint: the path of the request and, for a custom server, all paths of the endpoint. */
export interface EndpointPlace {
  readonly path: string;
  readonly paths?: readonly string[];
}

/** The key of a DPoP proof. `jti` and `expiresAt` are needed to refuse a second use of the proof. */
export interface DpopKey {
  readonly jkt: string;
  readonly jti: string;
  readonly expiresAt: Date;
}

/** The client that sent a request, with the key of its DPoP proof if the key was read. */
export interface AuthenticatedRequest {
  readonly authenticated: AuthenticatedClient;
  readonly key: DpopKey | null;
}

/** This error is thrown if the client was deleted, or its watermark raised, after it was read. */
export class ClientChanged extends Error {}

/** Authenticates the client of a token request, but does not consume its assertion. */
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

/** Reads the key of a request's DPoP proof. Returns null and ignores any proof unless `isBound` is set. */
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

/** A credential that a request uses once, and the error for its replay. */
export type RequestSingleUse = SingleUse & { readonly refused: 'assertionAlreadyUsed' | 'dpopAlreadyUsed' };

export const singleUsesOf = ({ authenticated, key }: AuthenticatedRequest): readonly RequestSingleUse[] => [
  ...(authenticated.singleUse === null
    ? []
    : [{ ...authenticated.singleUse, refused: 'assertionAlreadyUsed' as const }]),
  ...(key === null ? [] : [{ ...singleUseOfProof(key), refused: 'dpopAlreadyUsed' as const }]),
];
