import type { Context } from '../../kernel/context.ts';
import { oauthError } from '../../kernel/errors/oauth-errors.ts';
import { CIBA_GRANT, DEVICE_CODE_GRANT, JWT_BEARER_GRANT, TOKEN_EXCHANGE_GRANT } from '../../kernel/grant-types.ts';
import { type Answer, type AnyRoute, type HandlerInput, ok, route } from '../../platform/http/index.ts';
import type { AuthnPorts } from '../../sign-in/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import type { AccessTokens } from '../access-tokens/index.ts';
import type { AppPoliciesPorts } from '../app-sign-on/index.ts';
import {
  type ClientAuthenticator,
  type CredentialRefusal,
  credentialRefusal,
} from '../client-authentication/authenticate-client.ts';
import { errorOf, isRefusal, type OAuthErrorRefusal } from '../client-authentication/refusal.ts';
import type { RefusalOfUserAssertion } from '../client-authentication/verify-assertion.ts';
import { endpointPaths } from '../custom-servers/index.ts';
import type { DpopNonces } from '../dpop/nonces.ts';
import { AuthorizationServerIdParams } from '../keys/contract.ts';
import type { RefreshTokenTexts } from '../refresh-tokens/index.ts';
import { readExchangeGrant } from '../token-exchange/exchange-grant.ts';
import type { ExchangePorts } from '../token-exchange/presented-token.ts';
import { TokenForm, TokenResponseSchema } from './contract.ts';
import { readAssertionGrant } from './grants/assertion-grant.ts';
import { readCodeGrant } from './grants/code-grant.ts';
import { createGrantFinders } from './grants/find-grant.ts';
import { readPasswordGrant } from './grants/password-grant.ts';
import { readBackchannelGrant, readDeviceGrant } from './grants/polled-grant.ts';
import { provePassword } from './grants/prove-password.ts';
import { readRefreshGrant } from './grants/refresh-grant.ts';
import type { TokenPlace } from './grants/user-grant.ts';
import { CLIENT_GRANT } from './issuing/client-tokens.ts';
import { type GrantReaders, type IssuedToken, type IssueTokensPorts, issueTokens } from './issuing/issue-tokens.ts';
import { userGrant } from './issuing/user-tokens.ts';
import { createRefusals } from './refusals.ts';
import type { TokenRequest } from './request-rules.ts';

export interface TokenRoutesPorts
  extends ExchangePorts,
    AppPoliciesPorts,
    Pick<Foundation, 'work' | 'newSharedWork' | 'clock'> {
  readonly dpopNonces: DpopNonces;
  readonly authenticator: Pick<ClientAuthenticator, 'authenticateClient' | 'drop'>;
  readonly accessTokens: AccessTokens;
  readonly refreshTexts: RefreshTokenTexts;
  readonly authn: AuthnPorts;
  readonly refusalOfUserAssertion: RefusalOfUserAssertion;
  /** Counts refusals that get no event of their own. */
  readonly refused: (refusal: CredentialRefusal) => void;
}

const ORG_PATH = '/oauth2/v1/token';

const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value;

const wireToken = (issued: IssuedToken) => ({
  ...(issued.issuedTokenType === undefined ? {} : { issued_token_type: issued.issuedTokenType }),
  token_type: issued.tokenType,
  expires_in: issued.expiresInSeconds,
  access_token: issued.accessToken,
  scope: issued.scopes.join(' '),
  ...(issued.refreshToken === undefined ? {} : { refresh_token: issued.refreshToken }),
  ...(issued.idToken === undefined ? {} : { id_token: issued.idToken }),
});

/** Token responses must not be cached (RFC 6749 5.1). */
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

const GRANT_READERS: GrantReaders = {
  client_credentials: CLIENT_GRANT,
  authorization_code: userGrant('authorization_code', readCodeGrant),
  refresh_token: userGrant('refresh_token', readRefreshGrant),
  password: userGrant('password', readPasswordGrant),
  [TOKEN_EXCHANGE_GRANT]: userGrant(TOKEN_EXCHANGE_GRANT, readExchangeGrant),
  [JWT_BEARER_GRANT]: userGrant(JWT_BEARER_GRANT, readAssertionGrant),
  [DEVICE_CODE_GRANT]: userGrant(DEVICE_CODE_GRANT, readDeviceGrant),
  [CIBA_GRANT]: userGrant(CIBA_GRANT, readBackchannelGrant),
};

type Issue = (context: Context, place: TokenPlace, request: TokenRequest) => Promise<IssuedToken | OAuthErrorRefusal>;

function issuing(ports: TokenRoutesPorts): Issue {
  const { accessTokens, appSignOn, authn, db, work, zonesOf } = ports;
  const issuePorts: IssueTokensPorts = {
    db,
    work,
    sharedWork: { clients: ports.newSharedWork(), users: ports.newSharedWork() },
    grants: createGrantFinders(db),
    appSignOn,
    zonesOf,
    authenticator: ports.authenticator,
    accessTokens,
    dpopNonces: ports.dpopNonces,
    refusals: createRefusals(ports),
    refreshTexts: ports.refreshTexts,
    exchange: ports,
    refusalOfUserAssertion: ports.refusalOfUserAssertion,
    provePassword: (context, given) => provePassword(authn, context, given),
  };
  return (context, place, request) => issueTokens(issuePorts, context, place, GRANT_READERS, request);
}

export function tokenRoutes(ports: TokenRoutesPorts): AnyRoute[] {
  const { refused, servers } = ports;
  const issue = issuing(ports);
  return [
    route({
      ...common,
      operationId: 'token',
      url: ORG_PATH,
      summary: 'Request tokens',
      tag: 'OrgAS',
      handler: async (input) =>
        answerOf(await issue(input.context, { server: null, path: ORG_PATH }, requestOf(input))),
    }),
    route({
      ...common,
      operationId: 'tokenCustomAS',
      url: '/oauth2/:authorizationServerId/v1/token',
      summary: 'Request tokens of a custom authorization server',
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
        const place = { server, path: `/oauth2/${id}/v1/token`, paths: endpointPaths(server, 'token') };
        return answerOf(await issue(context, place, requestOf(input)));
      },
    }),
  ];
}
