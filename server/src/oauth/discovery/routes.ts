import type { TSchema } from '@sinclair/typebox';
import { type AnyRoute, ok, route, text } from '../../platform/http/index.ts';
import { AuthorizationServerMetadataSchema, OpenIdProviderMetadataSchema } from './contract.ts';
import { authorizationServerMetadata, openIdProviderMetadata } from './metadata.ts';

export interface DiscoveryRoutesPorts {
  /** Neutral scopes of the API: those that the routes ask for. Called with each request, when all routes are known. */
  readonly scopes: () => readonly string[];
}

/** What changes here, changes with a release; the signing keys have an address of their own. */
const CACHE_CONTROL = 'public, max-age=3600, must-revalidate';

const common = {
  method: 'GET',
  tag: 'OrgAS',
  access: 'public',
  scopes: [],
  errors: [],
  bucket: 'unlimited',
  cors: true,
  query: { client_id: text('Without effect: all clients of an org have the same issuer.') },
} as const;

const documentRoute = (
  { scopes }: DiscoveryRoutesPorts,
  given: {
    operationId: string;
    url: string;
    summary: string;
    schema: TSchema;
    metadata: typeof openIdProviderMetadata;
  },
): AnyRoute =>
  route({
    ...common,
    operationId: given.operationId,
    url: given.url,
    summary: given.summary,
    response: { status: 200, schema: given.schema },
    handler: async ({ context: { baseUrl, namespace } }) =>
      ok(given.metadata({ baseUrl, namespaceWord: namespace.word, scopes: scopes() }), {
        'cache-control': CACHE_CONTROL,
      }),
  });

export const discoveryRoutes = (ports: DiscoveryRoutesPorts): AnyRoute[] => [
  documentRoute(ports, {
    operationId: 'getWellKnownOpenIDConfiguration',
    url: '/.well-known/openid-configuration',
    summary: 'Retrieve the OpenID Connect metadata',
    schema: OpenIdProviderMetadataSchema,
    metadata: openIdProviderMetadata,
  }),
  documentRoute(ports, {
    operationId: 'getWellKnownOAuthConfiguration',
    url: '/.well-known/oauth-authorization-server',
    summary: 'Retrieve the OAuth 2.0 authorization server metadata',
    schema: AuthorizationServerMetadataSchema,
    metadata: authorizationServerMetadata,
  }),
];
