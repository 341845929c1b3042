import { type AnyRoute, route } from '../../platform/http/index.ts';
import { type ClientPort, PresentedTokenBody, readPresentedToken } from '../access-tokens/index.ts';
import { type RevocationPorts, revokeToken } from './revoke-token.ts';

export interface RevocationRoutesPorts extends RevocationPorts {
  readonly clients: ClientPort;
}

export const revocationRoutes = (ports: RevocationRoutesPorts): AnyRoute[] => [
  route({
    operationId: 'revoke',
    method: 'POST',
    url: '/oauth2/v1/revoke',
    summary: 'Revoke a token',
    tag: 'OrgAS',
    access: 'public',
    scopes: [],
    bodyType: 'form',
    body: PresentedTokenBody,
    response: { status: 200, schema: null },
    errors: [],
    errorShape: 'oauth',
    bucket: 'oauth',
    cors: true,
    handler: async (input) => {
      const { client, token } = await readPresentedToken(ports.clients, 'revoke', input, input.body);
      await revokeToken(ports, input.context, client, token);
      return { status: 200, body: null };
    },
  }),
];
