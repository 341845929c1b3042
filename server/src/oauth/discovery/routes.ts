import type { TSchema } from '@sinclair/typebox';
import { notFound } from '../../kernel/errors/errors.ts';
import { type AnyRoute, rawJson, route, text } from '../../platform/http/index.ts';
import type { ServerConfigurations } from '../custom-servers/index.ts';
import { AuthorizationServerIdParams } from '../keys/contract.ts';
import {
  AuthorizationServerMetadataSchema,
  CustomOpenIdMetadataSchema,
  CustomServerMetadataSchema,
  OpenIdProviderMetadataSchema,
} from './contract.ts';
import {
  authorizationServerMetadata,
  customOpenIdMetadata,
  customServerMetadata,
  openIdProviderMetadata,
} from './metadata.ts';
import { renderedOnce } from './rendered-documents.ts';

export interface DiscoveryRoutesPorts {
  readonly servers: Pick<ServerConfigurations, 'findKept'>;
  /** Returns the scopes of the API, without the namespace word. */
  readonly scopes: () => readonly string[];
}

/** Clients may cache the metadata of the org's own server for an hour, because it seldom changes. */
const KEPT_FOR_AN_HOUR = { headers: { 'cache-control': 'public, max-age=3600, must-revalidate' } };

/** The caching time is short, because administrators can add and remove scopes at any time. */
const KEPT_FOR_A_MINUTE = { headers: { 'cache-control': 'public, max-age=60, must-revalidate' } };

const common = {
  method: 'GET',
  access: 'public',
  scopes: [],
  bucket: 'unlimited',
  cors: true,
  keptWithoutDatabase: true,
  query: { client_id: text('Has no effect: all clients of an org have the same issuer.') },
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
): AnyRoute => {
  const textOf = renderedOnce(given.metadata, ({ baseUrl }) => baseUrl);
  return route({
    ...common,
    tag: 'OrgAS',
    errors: [],
    operationId: given.operationId,
    url: given.url,
    summary: given.summary,
    response: { status: 200, schema: given.schema },
    handler: async ({ context: { baseUrl, namespace } }) =>
      rawJson(textOf({ baseUrl, namespaceWord: namespace.word, scopes: scopes() }), KEPT_FOR_AN_HOUR),
  });
};

const customDocumentRoute = (
  { servers }: DiscoveryRoutesPorts,
  given: {
    operationId: string;
    url: string;
    summary: string;
    schema: TSchema;
    metadata: typeof customServerMetadata;
  },
): AnyRoute => {
  const textOf = renderedOnce(given.metadata, ({ baseUrl, issuerPath }) => baseUrl + issuerPath);
  return route({
    ...common,
    tag: 'CustomAS',
    errors: ['E0000007'],
    operationId: given.operationId,
    url: given.url,
    summary: given.summary,
    params: AuthorizationServerIdParams,
    response: { status: 200, schema: given.schema },
    handler: async ({ context: { baseUrl, namespace, orgId }, params: { authorizationServerId: id } }) => {
      const server = await servers.findKept(orgId, id);
      if (server === null) throw notFound(id, 'AuthorizationServer');
      const { issuerPath, scopes } = server;
      return rawJson(textOf({ baseUrl, issuerPath, namespaceWord: namespace.word, scopes }), KEPT_FOR_A_MINUTE);
    },
  });
};

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
  customDocumentRoute(ports, {
    operationId: 'getWellKnownOpenIDConfigurationCustomAS',
    url: '/oauth2/:authorizationServerId/.well-known/openid-configuration',
    summary: 'Retrieve the OpenID Connect metadata of a custom authorization server',
    schema: CustomOpenIdMetadataSchema,
    metadata: customOpenIdMetadata,
  }),
  customDocumentRoute(ports, {
    operationId: 'getWellKnownOAuthConfigurationCustomAS',
    url: '/oauth2/:authorizationServerId/.well-known/oauth-authorization-server',
    summary: 'Retrieve the OAuth 2.0 metadata of a custom authorization server',
    schema: CustomServerMetadataSchema,
    metadata: customServerMetadata,
  }),
  // RFC 8414 3.1 puts the well-known path between the host and the path of the issuer.
  customDocumentRoute(ports, {
    operationId: 'getWellKnownOAuthConfigurationCustomASByPath',
    url: '/.well-known/oauth-authorization-server/oauth2/:authorizationServerId',
    summary: 'Retrieve the OAuth 2.0 metadata of a custom authorization server (RFC 8414)',
    schema: CustomServerMetadataSchema,
    metadata: customServerMetadata,
  }),
];
