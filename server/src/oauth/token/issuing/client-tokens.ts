import type { Context } from '../../../kernel/context.ts';
import type { OAuthErrorCode } from '../../../kernel/errors/oauth-errors.ts';
import type { ClientCredentials, LiveClient } from '../../../management/apps/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { newAccessTokenId, type TokenSigner } from '../../access-tokens/index.ts';
import { parameter } from '../../client-authentication/credentials-rules.ts';
import { lockClientAndConsume } from '../../client-authentication/single-use.ts';
import type { ServerConfiguration } from '../../custom-servers/index.ts';
import type { AuthenticatedRequest } from '../authenticate-request.ts';
import { eventServer, grantEvent } from '../events.ts';
import type { Grant, GrantReader } from './issue-tokens.ts';
import { orgTokenIssuer } from './org-token.ts';
import { serverTokenIssuer } from './server-token.ts';

/** What is granted to a client itself, and how its token is made. */
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

/** The tokens of one authorization server for clients themselves. */
export interface TokenIssuer<Parents> {
  /** Locks what the token depends on beside its client; called before the client is locked. */
  readonly lock: (tx: Tx, requestedScopes: string) => Promise<Parents>;
  /** The scopes that the client gets, or why none. May be called again: it touches nothing. */
  readonly decide: (asked: {
    readonly client: ClientCredentials;
    readonly live: LiveClient;
    readonly parents: Parents;
    readonly requestedScopes: string;
  }) => Granted | { readonly refused: OAuthErrorCode; readonly description?: string };
}

const preparing =
  <Parents>(
    context: Context,
    server: ServerConfiguration | null,
    issuer: TokenIssuer<Parents>,
    requestedScopes: string,
  ): Grant['prepare'] =>
  ({ authenticated: { client, method }, key }: AuthenticatedRequest) => {
    const { now, orgId } = context;
    const { clientId } = client;
    const tokenType = key === null ? 'Bearer' : 'DPoP';
    const confirmation = key === null ? {} : { confirmation: { jkt: key.jkt } };
    return Promise.resolve(async (tx, singleUses) => {
      // Sent together, one way to the database and back: the locks are taken first, as they stand first.
      const [parents, { consumed, live }] = await Promise.all([
        issuer.lock(tx, requestedScopes),
        lockClientAndConsume(tx, orgId, clientId, singleUses),
      ]);
      return {
        live,
        consumed,
        decide: (record, openSigner, lockedClient) => {
          const decision = issuer.decide({ client, live: lockedClient, parents, requestedScopes });
          if ('refused' in decision) return Promise.resolve(decision);
          const signer = openSigner();
          const { debugData = {}, lifetimeSeconds, scopes } = decision;
          const jti = newAccessTokenId(lockedClient.issuedAt);
          const grant = { jti, requestedScopes, scopes, tokenType, authenticatedBy: method, debugData } as const;
          const expiresAt = new Date(now.getTime() + lifetimeSeconds * 1_000);
          record(grantEvent(client, { ...grant, expiresAt, server: eventServer(server) }));
          return Promise.resolve(async () => {
            const { token } = await decision.sign(signer, { jti, clientId, issuedAt: now, ...confirmation });
            return { tokenType, expiresInSeconds: lifetimeSeconds, accessToken: token, scopes };
          });
        },
      };
    });
  };

/** The grant `client_credentials` (RFC 6749 4.4), at the org's own server (specification 4.6) or a custom one. */
export const CLIENT_GRANT: GrantReader = {
  isRegistrationAskedFirst: false,
  read: (_ports, context, { server }, _sender, { form }) => {
    const requestedScopes = parameter(form, 'scope') ?? '';
    const prepare =
      server === null
        ? preparing(context, server, orgTokenIssuer(context), requestedScopes)
        : preparing(context, server, serverTokenIssuer(context, server), requestedScopes);
    return Promise.resolve({ boundTo: null, requestedScopes, prepare });
  },
};
