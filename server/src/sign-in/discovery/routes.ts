import { type AnyRoute, ok, repeatable, route } from '../../platform/http/index.ts';
import { DiscoveryResultSchema } from './contract.ts';
import { type DiscoveryPorts, discoverProvider } from './discover-provider.ts';

export const discoveryRoutes = (ports: DiscoveryPorts): AnyRoute[] => [
  route({
    operationId: 'discoverIdentityProvider',
    method: 'GET',
    url: '/.well-known/webfinger',
    summary: 'Discover the identity provider of a login',
    tag: 'Discovery',
    access: 'public',
    scopes: [],
    query: {
      resource: repeatable('The login, after the prefix `svc:acct:`. The parameter is sent once.'),
      rel: repeatable('Lists only links of these relations.'),
    },
    response: { status: 200, schema: DiscoveryResultSchema, mediaType: 'application/jrd+json' },
    anyAccept: true,
    errors: ['E0000001'],
    bucket: 'sessions',
    cors: true,
    handler: async ({ context, query }) => ok(await discoverProvider(ports, context, query)),
  }),
];
