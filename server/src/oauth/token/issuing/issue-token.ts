import type { Context } from '../../../kernel/context.ts';
import type { OAuthErrorCode } from '../../../kernel/errors/oauth-errors.ts';
import type { LiveClient } from '../../../management/apps/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Work } from '../../../system-log/index.ts';
import { type AccessTokens, newAccessTokenId, type OpenedSigner, type TokenSigner } from '../../access-tokens/index.ts';
import type { ProvenClient } from '../../client-authentication/authenticate-client.ts';
import { parameter } from '../../client-authentication/credentials-rules.ts';
import { isRefusal, type OAuthErrorRefusal, refusalOf } from '../../client-authentication/refusal.ts';
import { lockClientWithUses } from '../../client-authentication/single-use.ts';
import { type EventServer, grantEvent, refusalEvent } from '../events.ts';
import { ClientChanged, type Proof, type ProvePorts, prove, usedUpBy } from '../prove-client.ts';
import type { Refusals } from '../refusals.ts';
import { refusalOfRequest, type TokenRequest } from '../request-rules.ts';

export interface IssueTokenPorts extends ProvePorts {
  readonly work: Work;
  readonly accessTokens: Pick<AccessTokens, 'signer'>;
  readonly refusals: Refusals;
}

export interface IssuedToken {
  readonly tokenType: 'Bearer' | 'DPoP';
  readonly expiresInSeconds: number;
  readonly accessToken: string;
  /** As they are on the wire. */
  readonly scopes: readonly string[];
  /** Of users alone. */
  readonly refreshToken?: string;
  readonly idToken?: string;
  /** Of tokens that were exchanged. */
  readonly issuedTokenType?: string;
}

/** What is granted, and how the token of it is made. */
export interface Granted {
  /** As they are on the wire. */
  readonly scopes: readonly string[];
  readonly lifetimeSeconds: number;
  readonly sign: (
    signer: TokenSigner,
    token: Pick<Parameters<TokenSigner['mint']>[0], 'jti' | 'clientId' | 'issuedAt' | 'confirmation'>,
  ) => Promise<{ readonly token: string }>;
  /** What decided, for the event. */
  readonly debugData?: Readonly<Record<string, string>>;
}

/** What the tokens of one authorization server are made by. */
export interface TokenIssuer<Parents> {
  /** Of a custom server; null: the org's own. */
  readonly server: EventServer | null;
  /** Path of the endpoint that was invoked. */
  readonly path: string;
  /** All paths of the endpoint of a custom server; the org's own has one. */
  readonly paths?: readonly string[];
  /** Locks what the token depends on beside its client; called before the client is locked. */
  readonly lock: (tx: Tx, requestedScopes: string) => Promise<Parents>;
  /** What the client gets, of the scopes it asks for, or why nothing. May be called again: it touches nothing. */
  readonly decide: (asked: {
    readonly client: ProvenClient['client'];
    readonly live: LiveClient;
    readonly parents: Parents;
    readonly requestedScopes: string;
  }) => Granted | { readonly refused: OAuthErrorCode; readonly description?: string };
}

const GRANT_TYPE = 'client_credentials';

export const requestedScopesOf = ({ form }: TokenRequest): string => parameter(form, 'scope') ?? '';

/**
 * Uses up what the client proved itself with, and grants, in one transaction with the event of either outcome. Null:
 * the client has changed since it was read. Asks under the client's lock, so that no token is born behind a revocation.
 */
function grantToken<Parents>(
  { refusals, work }: IssueTokenPorts,
  context: Context,
  issuer: TokenIssuer<Parents>,
  requestedScopes: string,
  { key, proven }: Proof,
  openedSigner: OpenedSigner,
): Promise<(Granted & { readonly jti: string; readonly signer: TokenSigner }) | OAuthErrorRefusal | null> {
  const { client, method } = proven;
  const { now, orgId } = context;
  const isWritten = refusals.isWritten(context, client);
  const granted = work(context, async (tx, record) => {
    const refuse = (code: OAuthErrorCode, isProven: boolean, description?: string): OAuthErrorRefusal => {
      const refusal = {
        code,
        grantType: GRANT_TYPE,
        requestedScopes,
        provenBy: isProven ? method : null,
        server: issuer.server,
      };
      if (isWritten()) record(refusalEvent(context, client, refusal));
      return refusalOf(code, client, description === undefined ? {} : { description });
    };
    const names = usedUpBy({ key, proven });
    // Sent together, one way to the database and back: the locks are taken first, as they stand first.
    const [parents, { live, uses }] = await Promise.all([
      issuer.lock(tx, requestedScopes),
      lockClientWithUses(tx, orgId, client.clientId, names),
    ]);
    if (live === undefined || live.validAfter.getTime() !== client.validAfter.getTime()) throw new ClientChanged();
    const usedBefore = names.find((_, index) => uses[index] === false);
    if (usedBefore !== undefined) return refuse(usedBefore.refused, false);
    const decision = issuer.decide({ client, live, parents, requestedScopes });
    if ('refused' in decision) return refuse(decision.refused, true, decision.description);
    const signer = openedSigner();
    const { debugData = {}, lifetimeSeconds, scopes } = decision;
    const jti = newAccessTokenId(live.issuedAt);
    const grant = {
      jti,
      expiresAt: new Date(now.getTime() + lifetimeSeconds * 1_000),
      requestedScopes,
      scopes,
      tokenType: key === null ? 'Bearer' : 'DPoP',
      provenBy: method,
      server: issuer.server,
      debugData,
    };
    record(grantEvent(client, grant));
    return { ...decision, jti, signer };
  });
  return granted.catch((error: unknown) => {
    if (error instanceof ClientChanged) return null;
    throw error;
  });
}

/**
 * Issues an access token for a client's own use, by the org's own authorization server (specification 4.6) or a custom
 * one. A refusal is returned: its event is committed, and an assertion that was good is used up by it. Throws where the
 * token can't be signed: then nothing is used up.
 */
export async function issueToken<Parents>(
  ports: IssueTokenPorts,
  context: Context,
  issuer: TokenIssuer<Parents>,
  request: TokenRequest,
): Promise<IssuedToken | OAuthErrorRefusal> {
  const requestedScopes = requestedScopesOf(request);
  const noted = async (refusal: OAuthErrorRefusal): Promise<OAuthErrorRefusal> => {
    // A step of the protocol: the client comes again, with the nonce.
    if (refusal.refused !== 'useDpopNonce') {
      await ports.refusals.note(context, refusal, { grantType: GRANT_TYPE, requestedScopes, server: issuer.server });
    }
    return refusal;
  };
  const wrong = refusalOfRequest(request, issuer.server);
  if (wrong !== null) return noted({ ...wrong, client: null });
  // The second time with what the database says now: the client was changed while it asked.
  for (const attempt of [1, 2]) {
    if (attempt > 1) ports.authenticator.drop(context.orgId);
    const proof = await prove(ports, context, issuer, request);
    if (isRefusal(proof)) return noted(proof);
    const { key, proven } = proof;
    const signer = await ports.accessTokens.signer(context.orgId, issuer.server?.id);
    const grant = await grantToken(ports, context, issuer, requestedScopes, proof, signer);
    if (grant === null) continue;
    if (isRefusal(grant)) return grant;
    const { token } = await grant.sign(grant.signer, {
      jti: grant.jti,
      clientId: proven.client.clientId,
      issuedAt: context.now,
      ...(key === null ? {} : { confirmation: { jkt: key.jkt } }),
    });
    return {
      tokenType: key === null ? 'Bearer' : 'DPoP',
      expiresInSeconds: grant.lifetimeSeconds,
      accessToken: token,
      scopes: grant.scopes,
    };
  }
  return noted(refusalOf('invalidClient'));
}
