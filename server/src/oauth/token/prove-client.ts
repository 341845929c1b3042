import type { Context } from '../../kernel/context.ts';
import type { ClientAuthenticator, ProvenClient } from '../client-authentication/authenticate-client.ts';
import { isRefusal, type OAuthErrorRefusal, refusalOf } from '../client-authentication/refusal.ts';
import type { SingleUse } from '../client-authentication/single-use.ts';
import type { DpopNonces } from '../dpop/nonces.ts';
import { singleUseOfProof, verifyDpopProof } from '../dpop/verify-proof.ts';
import type { TokenRequest } from './request-rules.ts';

export interface ProvePorts {
  readonly authenticator: Pick<ClientAuthenticator, 'prove' | 'drop'>;
  readonly dpopNonces: DpopNonces;
}

/** A token endpoint: the path that was invoked, and all paths of it where a server has several names. */
export interface EndpointPlace {
  readonly path: string;
  readonly paths?: readonly string[];
}

/** The key that the token will be bound to, proven by a proof that is good once. */
export interface ProvenKey {
  readonly jkt: string;
  readonly jti: string;
  readonly expiresAt: Date;
}

/** Who asks, by what it proved itself. */
export interface Proof {
  readonly proven: ProvenClient;
  readonly key: ProvenKey | null;
}

/** The client is not what it was when it was read: nothing may be used up on what it was. */
export class ClientChanged extends Error {}

/** Who the client is; leaves no trace. */
export const proveClient = (
  { authenticator }: ProvePorts,
  context: Context,
  { paths }: EndpointPlace,
  request: TokenRequest,
): Promise<ProvenClient | OAuthErrorRefusal> =>
  authenticator.prove(context, { ...request, endpoint: 'token', ...(paths === undefined ? {} : { paths }) });

/** Null: the tokens are bound to no key, and whatever proof came is not looked at. */
export function proveKey(
  { dpopNonces }: Pick<ProvePorts, 'dpopNonces'>,
  context: Context,
  { path }: Pick<EndpointPlace, 'path'>,
  { client }: Pick<ProvenClient, 'client'>,
  { dpopProof: proof }: Pick<TokenRequest, 'dpopProof'>,
  isBound: boolean = client.dpopBoundAccessTokens,
): ProvenKey | OAuthErrorRefusal | null {
  if (!isBound) return null;
  if (proof === undefined) return refusalOf('dpopProofMissing', client);
  const { baseUrl, now, orgId } = context;
  const isFreshNonce = (nonce: string): boolean => dpopNonces.isFresh(orgId, nonce, now);
  const verdict = verifyDpopProof({ proof, method: 'POST', uri: baseUrl + path, now, isFreshNonce });
  if (verdict.ok) return verdict;
  const headers = verdict.reason === 'useDpopNonce' ? { 'dpop-nonce': dpopNonces.issue(orgId, now) } : {};
  return refusalOf(verdict.reason, client, { headers });
}

/** Both at once. */
export async function prove(
  ports: ProvePorts,
  context: Context,
  place: EndpointPlace,
  request: TokenRequest,
): Promise<Proof | OAuthErrorRefusal> {
  const proven = await proveClient(ports, context, place, request);
  if (isRefusal(proven)) return proven;
  const key = proveKey(ports, context, place, proven, request);
  return key !== null && isRefusal(key) ? key : { proven, key };
}

/** What is used up by a request, and the refusal of whoever brings it again. */
export type UsedUp = SingleUse & { readonly refused: 'assertionAlreadyUsed' | 'dpopAlreadyUsed' };

export const usedUpBy = ({ key, proven }: Proof): readonly UsedUp[] => [
  ...(proven.singleUse === null ? [] : [{ ...proven.singleUse, refused: 'assertionAlreadyUsed' as const }]),
  ...(key === null ? [] : [{ ...singleUseOfProof(key), refused: 'dpopAlreadyUsed' as const }]),
];
