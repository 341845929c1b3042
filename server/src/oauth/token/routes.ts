import type { Clock } from '../../kernel/clock.ts';
import { oauthError } from '../../kernel/oauth-errors.ts';
import type { MasterKey } from '../../platform/crypto/index.ts';
import { type Answer, type AnyRoute, type HandlerInput, ok, route } from '../../platform/http/index.ts';
import type { Work } from '../../system-log/index.ts';
import type { AccessTokens } from '../access-tokens/index.ts';
import {
  type ClientAuthenticator,
  type CredentialRefusal,
  credentialRefusal,
} from '../client-authentication/authenticate-client.ts';
import { errorOf, isRefusal, type OAuthErrorRefusal } from '../client-authentication/refusal.ts';
import type { ServerConfigurations } from '../custom-servers/index.ts';
import { createDpopNonces } from '../dpop/nonces.ts';
import { AuthorizationServerIdParams } from '../keys/contract.ts';
import { TokenForm, TokenResponseSchema } from './contract.ts';
import { type IssuedToken, issueToken } from './issue-token.ts';
import { orgTokenIssuer } from './org-token.ts';
import { createRefusals } from './refusals.ts';
import type { TokenRequest } from './request-rules.ts';
import { serverTokenIssuer } from './server-token.ts';

export interface TokenRoutesPorts {
  readonly work: Work;
  readonly clock: Clock;
  readonly masterKey: MasterKey;
  readonly authenticator: Pick<ClientAuthenticator, 'prove' | 'drop'>;
  readonly accessTokens: Pick<AccessTokens, 'mint' | 'mintForServer'>;
  readonly servers: Pick<ServerConfigurations, 'find'>;
  /** Counts refusals of whom nobody knows. */
  readonly refused: (refusal: CredentialRefusal) => void;
}

const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value;

const wireToken = (issued: IssuedToken) => ({
  token_type: issued.tokenType,
  expires_in: issued.expiresInSeconds,
  access_token: issued.accessToken,
  scope: issued.scopes.join(' '),
});

/** RFC 6749 5.1. */
const UNCACHED = { 'cache-control': 'no-store', pragma: 'no-cache' };

type Input = Pick<HandlerInput<unknown, unknown, Readonly<Record<string, string>>>, 'body' | 'headers' | 'rawQuery'>;

const requestOf = ({ body, headers, rawQuery }: Input): TokenRequest => ({
  form: body,
  authorization: headers['authorization']?.toString(),
  origin: single(headers['origin']),
  dpopProof: single(headers['dpop']),
  rawQuery,
});

function answerOf(issued: IssuedToken | OAuthErrorRefusal): Answer {
  if (isRefusal(issued)) throw errorOf(issued);
  return ok(wireToken(issued), UNCACHED);
}

const common = {
  method: 'POST',
  access: 'public',
  scopes: [],
  body: TokenForm,
  bodyType: 'form',
  response: { status: 200, schema: TokenResponseSchema },
  errorShape: 'oauth',
  errors: [],
  bucket: 'oauth',
  cors: true,
} as const;

export function tokenRoutes(ports: TokenRoutesPorts): AnyRoute[] {
  const { accessTokens, authenticator, masterKey, refused, servers, work } = ports;
  const dpopNonces = createDpopNonces(masterKey.subkey('dpop nonces'));
  const issuePorts = { work, authenticator, accessTokens, dpopNonces, refusals: createRefusals(ports) };
  return [
    route({
      ...common,
      operationId: 'token',
      url: '/oauth2/v1/token',
      summary: 'Request an access token',
      tag: 'OrgAS',
      handler: async (input) => {
        const { context } = input;
        return answerOf(await issueToken(issuePorts, context, orgTokenIssuer(accessTokens, context), requestOf(input)));
      },
    }),
    route({
      ...common,
      operationId: 'tokenCustomAS',
      url: '/oauth2/:authorizationServerId/v1/token',
      summary: 'Request an access token of a custom authorization server',
      tag: 'CustomAS',
      params: AuthorizationServerIdParams,
      handler: async (input) => {
        const { context, params } = input;
        const id = params.authorizationServerId;
        const server = await servers.find(context.orgId, id);
        if (server === null) {
          refused(credentialRefusal(context));
          throw oauthError('invalidAuthorizationServer');
        }
        const issuer = serverTokenIssuer(accessTokens, context, server, `/oauth2/${id}/v1/token`);
        return answerOf(await issueToken(issuePorts, context, issuer, requestOf(input)));
      },
    }),
  ];
}
