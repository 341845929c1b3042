import { type AnyRoute, ok, route } from '../../platform/http/index.ts';
import { type ClientPort, PresentedTokenBody, readPresentedToken, type TokenVerifier } from '../access-tokens/index.ts';
import { IntrospectionSchema } from './contract.ts';
import { introspectToken } from './introspect-token.ts';

export interface IntrospectionRoutesPorts {
  readonly clients: ClientPort;
  readonly verifier: Pick<TokenVerifier, 'verify'>;
}

export const introspectionRoutes = ({ clients, verifier }: IntrospectionRoutesPorts): AnyRoute[] => [
  route({
    operationId: 'introspect',
    method: 'POST',
    url: '/oauth2/v1/introspect',
    summary: 'Introspect a token',
    tag: 'OrgAS',
    access: 'public',
    scopes: [],
    bodyType: 'form',
    body: PresentedTokenBody,
    response: { status: 200, schema: IntrospectionSchema },
    errors: [],
    errorShape: 'oauth',
    bucket: 'oauth',
    readOnly: true,
    cors: true,
    handler: async (input) => {
      const { client, token } = await readPresentedToken(clients, 'introspect', input, input.body);
      return ok(await introspectToken(verifier, input.context, client.clientId, token));
    },
  }),
];
