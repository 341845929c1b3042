import { type AdmissionRefusal, admits } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import type { OAuthErrorCode } from '../../kernel/oauth-errors.ts';
import { lockLiveClient } from '../../management/apps/index.ts';
import type { Work } from '../../system-log/index.ts';
import { ACCESS_TOKEN_LIFETIME_SECONDS, type AccessTokens, newAccessTokenId } from '../access-tokens/index.ts';
import type { ClientAuthenticator, ProvenClient } from '../client-authentication/authenticate-client.ts';
import { parameter } from '../client-authentication/credentials-rules.ts';
import { isRefusal, type OAuthErrorRefusal, refusalOf } from '../client-authentication/refusal.ts';
import { useOnce } from '../client-authentication/single-use.ts';
import type { DpopNonces } from '../dpop/nonces.ts';
import { verifyDpopProof } from '../dpop/verify-proof.ts';
import { type Grant, grantEvent, refusalEvent } from './events.ts';
import type { Refusals } from './refusals.ts';
import { refusalOfRequest, type TokenRequest } from './request-rules.ts';
import { readClientScopes } from './scope-rules.ts';

export interface IssueTokenPorts {
  readonly work: Work;
  readonly authenticator: Pick<ClientAuthenticator, 'prove' | 'drop'>;
  readonly accessTokens: Pick<AccessTokens, 'mint'>;
  readonly dpopNonces: DpopNonces;
  readonly refusals: Refusals;
}

export interface IssuedToken {
  readonly tokenType: 'Bearer' | 'DPoP';
  readonly expiresInSeconds: number;
  readonly accessToken: string;
  /** Neutral. */
  readonly scopes: readonly string[];
}

/** The key that the token will be bound to, proven by a proof that is good once. */
interface ProvenKey {
  readonly jkt: string;
  readonly jti: string;
  readonly expiresAt: Date;
}

const REFUSED_ADMISSIONS: Partial<Record<AdmissionRefusal, OAuthErrorCode>> = { CLIENT_TYPE: 'serviceClientRequired' };

const requestedScopesOf = ({ form }: TokenRequest): string => parameter(form, 'scope') ?? '';

/** Null: the client's tokens are bound to no key, and whatever proof came is not looked at. */
function proveKey(
  { dpopNonces }: IssueTokenPorts,
  context: Context,
  { client }: ProvenClient,
  { dpopProof: proof }: TokenRequest,
): ProvenKey | OAuthErrorRefusal | null {
  if (!client.dpopBoundAccessTokens) return null;
  if (proof === undefined) return refusalOf('dpopProofMissing', client);
  const { baseUrl, now, orgId } = context;
  const isFreshNonce = (nonce: string): boolean => dpopNonces.isFresh(orgId, nonce, now);
  const verdict = verifyDpopProof({ proof, method: 'POST', uri: `${baseUrl}/oauth2/v1/token`, now, isFreshNonce });
  if (verdict.ok) return verdict;
  const headers = verdict.reason === 'useDpopNonce' ? { 'dpop-nonce': dpopNonces.issue(orgId, now) } : {};
  return refusalOf(verdict.reason, client, { headers });
}

const namesOf = (proven: ProvenClient, key: ProvenKey | null) => [
  ...(proven.singleUse === null ? [] : [{ ...proven.singleUse, refused: 'assertionAlreadyUsed' as const }]),
  ...(key === null
    ? []
    : [{ name: `dpop:${key.jkt}:${key.jti}`, expiresAt: key.expiresAt, refused: 'dpopAlreadyUsed' as const }]),
];

/** The client is not what it was when it was read: nothing may be used up on what it was. */
class ClientChanged extends Error {}

/**
 * Uses up what the client proved itself with, and grants, in one transaction with the event of either outcome. Null:
 * the client has changed since it was read. Asks under the client's lock, so that no token is born behind a revocation.
 */
function grantToken(
  { refusals, work }: IssueTokenPorts,
  context: Context,
  request: TokenRequest,
  proven: ProvenClient,
  key: ProvenKey | null,
): Promise<Grant | OAuthErrorRefusal | null> {
  const { client } = proven;
  const { namespace, now, orgId } = context;
  const requestedScopes = requestedScopesOf(request);
  const isWritten = refusals.isWritten(context, client);
  const granted = work(context, async (tx, record) => {
    const refuse = (code: OAuthErrorCode, isProven: boolean): OAuthErrorRefusal => {
      if (isWritten()) record(refusalEvent(client, code, requestedScopes, isProven));
      return refusalOf(code, client);
    };
    const names = namesOf(proven, key);
    // Sent together, one way to the database and back: the lock is taken first, as it stands first.
    const [live, ...uses] = await Promise.all([
      lockLiveClient(tx, orgId, client.clientId),
      ...names.map((name) => useOnce(tx, orgId, client.clientId, name)),
    ]);
    if (live === undefined || live.validAfter.getTime() !== client.validAfter.getTime()) throw new ClientChanged();
    const usedBefore = names.find((_, index) => uses[index] === false);
    if (usedBefore !== undefined) return refuse(usedBefore.refused, false);
    const refusal = admits('clientCredentials', { client: live });
    if (refusal !== null) return refuse(REFUSED_ADMISSIONS[refusal] ?? 'invalidClient', true);
    const scopes = readClientScopes(requestedScopes, live.scopes, namespace.word);
    if ('refused' in scopes) return refuse(scopes.refused, true);
    const grant: Grant = {
      jti: newAccessTokenId(live.issuedAt),
      expiresAt: new Date(now.getTime() + ACCESS_TOKEN_LIFETIME_SECONDS * 1_000),
      requestedScopes,
      scopes: scopes.scopes,
      tokenType: key === null ? 'Bearer' : 'DPoP',
    };
    record(grantEvent(context, client, grant));
    return grant;
  });
  return granted.catch((error: unknown) => {
    if (error instanceof ClientChanged) return null;
    throw error;
  });
}

async function prove(
  ports: IssueTokenPorts,
  context: Context,
  request: TokenRequest,
): Promise<{ proven: ProvenClient; key: ProvenKey | null } | OAuthErrorRefusal> {
  const proven = await ports.authenticator.prove(context, { ...request, endpoint: 'token' });
  if (isRefusal(proven)) return proven;
  const key = proveKey(ports, context, proven, request);
  return key !== null && isRefusal(key) ? key : { proven, key };
}

/**
 * Issues an access token for a service app's own use (specification 4.6). A refusal is returned: its event is
 * committed, and an assertion that was good is used up by it. Throws where the token can't be signed.
 */
export async function issueToken(
  ports: IssueTokenPorts,
  context: Context,
  request: TokenRequest,
): Promise<IssuedToken | OAuthErrorRefusal> {
  const { accessTokens, authenticator, refusals } = ports;
  const noted = async (refusal: OAuthErrorRefusal): Promise<OAuthErrorRefusal> => {
    // A step of the protocol: the client comes again, with the nonce.
    if (refusal.refused !== 'useDpopNonce') await refusals.note(context, refusal, requestedScopesOf(request));
    return refusal;
  };
  const wrong = refusalOfRequest(request);
  if (wrong !== null) return noted({ ...wrong, client: null });
  // The second time with what the database says now: the client was changed while it asked.
  for (const attempt of [1, 2]) {
    if (attempt > 1) authenticator.drop(context.orgId);
    const result = await prove(ports, context, request);
    if (isRefusal(result)) return noted(result);
    const { key, proven } = result;
    const grant = await grantToken(ports, context, request, proven, key);
    if (grant === null) continue;
    if (isRefusal(grant)) return grant;
    const { clientId } = proven.client;
    const { token } = await accessTokens.mint({
      orgId: context.orgId,
      jti: grant.jti,
      issuer: context.baseUrl,
      subject: clientId,
      clientId,
      scopes: grant.scopes,
      issuedAt: context.now,
      ...(key === null ? {} : { confirmation: { jkt: key.jkt } }),
    });
    return {
      tokenType: key === null ? 'Bearer' : 'DPoP',
      expiresInSeconds: ACCESS_TOKEN_LIFETIME_SECONDS,
      accessToken: token,
      scopes: grant.scopes,
    };
  }
  return noted(refusalOf('invalidClient'));
}
