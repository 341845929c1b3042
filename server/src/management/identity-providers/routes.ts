import { Type } from '@sinclair/typebox';
import { type AnyRoute, ok, paging, resourceRoutes, route, text } from '../../platform/http/index.ts';
import { createProvider } from './changes/create-provider.ts';
import { deleteProvider } from './changes/delete-provider.ts';
import { replaceProvider } from './changes/replace-provider.ts';
import { ProviderBody, ProviderIdParams, ProviderListSchema, ProviderSchema } from './contract.ts';
import { getMetadata } from './documents/metadata.ts';
import { keyRoutes } from './keys/key-routes.ts';
import { changeProviderStatus, getProvider, listProviders } from './resource.ts';
import type { IdentityProviderRoutesPorts } from './route-ports.ts';
import type { Provider } from './store.ts';
import { providerVersion, wireProvider } from './wire.ts';

const BODY_LIMIT = {
  bytes: 524_288,
  reason: 'Five lists of up to 100 names, and some thirty texts of up to 1,024 characters.',
};

const url = '/api/v1/idps/:idpId';

const resourceOf = ({ masterKey }: IdentityProviderRoutesPorts) =>
  resourceRoutes({
    tag: 'IdentityProvider',
    name: 'IdentityProvider',
    one: 'an identity provider',
    all: 'all identity providers',
    scope: 'idps',
    url,
    params: ProviderIdParams,
    schema: ProviderSchema,
    wire: (provider: Provider, context) => wireProvider(masterKey, provider, context),
    version: providerVersion,
  });

/** This route is public because the provider has no credentials for this service. */
const metadataRoute = ({ db }: IdentityProviderRoutesPorts): AnyRoute =>
  route({
    tag: 'IdentityProvider',
    operationId: 'getIdentityProviderMetadata',
    method: 'GET',
    url: `${url}/metadata.xml`,
    summary: 'Retrieve the SAML metadata of this org for an identity provider',
    access: 'public',
    scopes: [],
    // Anonymous requests must not use up the rate limit of administrators.
    bucket: 'oauth',
    cors: false,
    params: ProviderIdParams,
    response: { status: 200, schema: Type.String(), mediaType: 'application/xml' },
    anyAccept: true,
    errors: ['E0000007', 'E0000060'],
    handler: async ({ context, params }) => ({
      status: 200,
      body: null,
      encoded: { mediaType: 'application/xml', content: await getMetadata(db, context, params.idpId) },
    }),
  });

export function identityProviderRoutes(ports: IdentityProviderRoutesPorts): AnyRoute[] {
  const { db, providerUsedBy, work } = ports;
  const providers = resourceOf(ports);
  return [
    providers.list({
      query: {
        q: text('Lists only providers whose name starts with this text.', 255),
        type: text('Lists only providers of this type.', 64),
        ...paging({ default: 20, maximum: 200 }),
      },
      schema: ProviderListSchema,
      use: ({ context, query, rawQuery }) => listProviders(ports, context, query, rawQuery),
    }),
    providers.create({
      body: ProviderBody,
      bodyLimit: BODY_LIMIT,
      use: ({ context, body }) => createProvider(ports, context, body),
    }),
    providers.get({
      use: ({ context, params }) => getProvider(db, context, params.idpId),
    }),
    route({
      ...providers.reading,
      tag: 'IdentityProviderUsers',
      operationId: 'listIdentityProviderApplicationUsers',
      method: 'GET',
      url: `${url}/users`,
      summary: 'List all users of an identity provider',
      params: ProviderIdParams,
      response: { status: 200, schema: Type.Array(Type.Never()) },
      errors: ['E0000007'],
      handler: async ({ context, params }) => {
        await getProvider(db, context, params.idpId);
        return ok([]);
      },
    }),
    providers.replace({
      body: ProviderBody,
      bodyLimit: BODY_LIMIT,
      use: ({ context, params, body }) => replaceProvider(ports, context, params.idpId, body),
    }),
    providers.delete({
      errors: ['E0000001'],
      use: ({ context, params }) => deleteProvider(work, context, params.idpId, providerUsedBy),
    }),
    ...providers.lifecycle({
      use: ({ context, params }, action) => changeProviderStatus(work, context, params.idpId, action),
    }),
    metadataRoute(ports),
    ...keyRoutes(ports),
  ];
}
