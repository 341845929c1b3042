import { Type } from '@sinclair/typebox';
import type { Context } from '../../kernel/context.ts';
import type { MasterKey } from '../../platform/crypto/index.ts';
import { type Answer, type AnyRoute, noContent, ok, page, route, text, versioned } from '../../platform/http/index.ts';
import { changeProviderStatus } from './changes/change-status.ts';
import { createProvider } from './changes/create-provider.ts';
import { deleteProvider } from './changes/delete-provider.ts';
import { replaceProvider } from './changes/replace-provider.ts';
import { ProviderBody, ProviderIdParams, ProviderListSchema, ProviderSchema } from './contract.ts';
import { getMetadata } from './documents/metadata.ts';
import { getProvider, listProviders } from './get-provider.ts';
import { keyRoutes } from './keys/key-routes.ts';
import type { ProviderAction } from './lifecycle.ts';
import { COLLECTION, type IdentityProviderRoutesPorts, managing, pageQuery, reading } from './route-declarations.ts';
import type { Provider } from './store.ts';
import { providerVersion, wireProvider } from './wire.ts';

const BODY_LIMIT = {
  bytes: 524_288,
  reason: 'Five lists of up to 100 names, and some thirty texts of up to 1,024 characters.',
};

const tag = 'IdentityProvider';
const single = `${COLLECTION}/:idpId`;

const answer = (masterKey: MasterKey, provider: Provider, context: Context): Answer =>
  versioned(providerVersion(provider), wireProvider(masterKey, provider, context));

const listRoute = (ports: IdentityProviderRoutesPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'listIdentityProviders',
    method: 'GET',
    url: COLLECTION,
    summary: 'List all identity providers',
    query: {
      q: text('Providers whose name starts with this.', 255),
      type: text('Providers of this type.', 64),
      ...pageQuery,
    },
    response: { status: 200, schema: ProviderListSchema },
    errors: ['E0000001', 'E0000037'],
    handler: async ({ context, query, rawQuery }) => {
      const { rows, links } = await listProviders(ports, context, query, rawQuery);
      return page(
        rows.map((provider) => wireProvider(ports.masterKey, provider, context)),
        links,
      );
    },
  });

const createRoute = (ports: IdentityProviderRoutesPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'createIdentityProvider',
    bodyLimit: BODY_LIMIT,
    method: 'POST',
    url: COLLECTION,
    summary: 'Create an identity provider',
    body: ProviderBody,
    idempotent: true,
    response: { status: 200, schema: ProviderSchema },
    errors: ['E0000001', 'E0000195'],
    handler: async ({ context, body }) => answer(ports.masterKey, await createProvider(ports, context, body), context),
  });

const getRoute = ({ db, masterKey }: IdentityProviderRoutesPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'getIdentityProvider',
    method: 'GET',
    url: single,
    summary: 'Retrieve an identity provider',
    params: ProviderIdParams,
    response: { status: 200, schema: ProviderSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => answer(masterKey, await getProvider(db, context, params.idpId), context),
  });

const usersRoute = ({ db }: IdentityProviderRoutesPorts): AnyRoute =>
  route({
    ...reading,
    tag: 'IdentityProviderUsers',
    operationId: 'listIdentityProviderApplicationUsers',
    method: 'GET',
    url: `${single}/users`,
    summary: 'List all users of an identity provider: none, as nobody signs in by one yet',
    params: ProviderIdParams,
    response: { status: 200, schema: Type.Array(Type.Never()) },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      await getProvider(db, context, params.idpId);
      return ok([]);
    },
  });

const replaceRoute = (ports: IdentityProviderRoutesPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'replaceIdentityProvider',
    bodyLimit: BODY_LIMIT,
    method: 'PUT',
    url: single,
    summary: 'Replace an identity provider',
    params: ProviderIdParams,
    body: ProviderBody,
    response: { status: 200, schema: ProviderSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params, body }) =>
      answer(ports.masterKey, await replaceProvider(ports, context, params.idpId, body), context),
  });

const deleteRoute = ({ work, providerUsedBy }: IdentityProviderRoutesPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'deleteIdentityProvider',
    method: 'DELETE',
    url: single,
    summary: 'Delete an identity provider',
    params: ProviderIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await deleteProvider(work, context, params.idpId, providerUsedBy);
      return noContent();
    },
  });

const lifecycleRoute = (
  { work, masterKey }: IdentityProviderRoutesPorts,
  action: ProviderAction,
  operationId: string,
  summary: string,
): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId,
    method: 'POST',
    url: `${single}/lifecycle/${action}`,
    summary,
    params: ProviderIdParams,
    response: { status: 200, schema: ProviderSchema },
    errors: ['E0000007'],
    conditional: true,
    handler: async ({ context, params }) =>
      answer(masterKey, await changeProviderStatus(work, context, params.idpId, action), context),
  });

/** Public, because the other side reads it before it knows this service, and discovery refers everyone to it. */
const metadataRoute = ({ db }: IdentityProviderRoutesPorts): AnyRoute =>
  route({
    tag,
    operationId: 'getIdentityProviderMetadata',
    method: 'GET',
    url: `${single}/metadata.xml`,
    summary: 'Retrieve the SAML metadata of this org for an identity provider',
    access: 'public',
    scopes: [],
    // Strangers must not use up the rate limit of administrators.
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

export const identityProviderRoutes = (ports: IdentityProviderRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  getRoute(ports),
  usersRoute(ports),
  replaceRoute(ports),
  deleteRoute(ports),
  lifecycleRoute(ports, 'activate', 'activateIdentityProvider', 'Activate an identity provider'),
  lifecycleRoute(ports, 'deactivate', 'deactivateIdentityProvider', 'Deactivate an identity provider'),
  metadataRoute(ports),
  ...keyRoutes(ports),
];
