import type { Clock } from '../../kernel/clock.ts';
import type { Context } from '../../kernel/context.ts';
import type { MasterKey } from '../../platform/crypto/index.ts';
import { type AnyRoute, ok, route } from '../../platform/http/index.ts';
import type { Work } from '../../system-log/index.ts';
import type { AccessTokens } from '../access-tokens/index.ts';
import type { ClientAuthenticator, CredentialRefusal } from '../client-authentication/authenticate-client.ts';
import { errorOf, isRefusal } from '../client-authentication/refusal.ts';
import { createDpopNonces } from '../dpop/nonces.ts';
import { TokenForm, TokenResponseSchema } from './contract.ts';
import { type IssuedToken, issueToken } from './issue-token.ts';
import { createRefusals } from './refusals.ts';

export interface TokenRoutesPorts {
  readonly work: Work;
  readonly clock: Clock;
  readonly masterKey: MasterKey;
  readonly authenticator: Pick<ClientAuthenticator, 'prove' | 'drop'>;
  readonly accessTokens: Pick<AccessTokens, 'mint'>;
  /** Counts refusals of whom nobody knows. */
  readonly refused: (refusal: CredentialRefusal) => void;
}

const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value;

const wireToken = (issued: IssuedToken, { namespace }: Context) => ({
  token_type: issued.tokenType,
  expires_in: issued.expiresInSeconds,
  access_token: issued.accessToken,
  scope: issued.scopes.map((scope) => `${namespace.word}.${scope}`).join(' '),
});

/** RFC 6749 5.1. */
const UNCACHED = { 'cache-control': 'no-store', pragma: 'no-cache' };

export function tokenRoutes(ports: TokenRoutesPorts): AnyRoute[] {
  const { accessTokens, authenticator, masterKey, work } = ports;
  const dpopNonces = createDpopNonces(masterKey.subkey('dpop nonces'));
  const issuePorts = { work, authenticator, accessTokens, dpopNonces, refusals: createRefusals(ports) };
  return [
    route({
      operationId: 'token',
      method: 'POST',
      url: '/oauth2/v1/token',
      summary: 'Request an access token',
      tag: 'OrgAS',
      access: 'public',
      scopes: [],
      body: TokenForm,
      bodyType: 'form',
      response: { status: 200, schema: TokenResponseSchema },
      errorShape: 'oauth',
      errors: [],
      bucket: 'oauth',
      cors: true,
      handler: async ({ context, body, headers, rawQuery }) => {
        const issued = await issueToken(issuePorts, context, {
          form: body,
          authorization: headers['authorization']?.toString(),
          origin: single(headers['origin']),
          dpopProof: single(headers['dpop']),
          rawQuery,
        });
        if (isRefusal(issued)) throw errorOf(issued);
        return ok(wireToken(issued, context), UNCACHED);
      },
    }),
  ];
}
