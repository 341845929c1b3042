import { type Answer, type AnyRoute, noContent, page, route, versioned } from '../../../platform/http/index.ts';
import { COLLECTION, type IdentityProviderRoutesPorts, managing, pageQuery, reading } from '../route-declarations.ts';
import { createKey, deleteKey, replaceKey } from './change-keys.ts';
import { getKey, listKeys } from './get-key.ts';
import { KeyBody, KeyIdParams, KeyListSchema, KeySchema } from './key-contract.ts';
import type { ProviderKey } from './key-store.ts';
import { keyVersion, wireKey } from './key-wire.ts';

const BODY_LIMIT = {
  bytes: 262_144,
  reason: 'Up to ten certificates of 20,000 characters.',
};

const tag = 'IdentityProviderKeys';
const collection = `${COLLECTION}/credentials/keys`;
const single = `${collection}/:kid`;

const answer = (key: ProviderKey): Answer => versioned(keyVersion(key), wireKey(key));

const listRoute = (ports: IdentityProviderRoutesPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'listIdentityProviderKeys',
    method: 'GET',
    url: collection,
    summary: 'List all keys of identity providers',
    query: pageQuery,
    response: { status: 200, schema: KeyListSchema },
    errors: ['E0000001', 'E0000037'],
    handler: async ({ context, query, rawQuery }) => {
      const { rows, links } = await listKeys(ports, context, query, rawQuery);
      return page(rows.map(wireKey), links);
    },
  });

const createRoute = ({ work }: IdentityProviderRoutesPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'createIdentityProviderKey',
    bodyLimit: BODY_LIMIT,
    method: 'POST',
    url: collection,
    summary: 'Create a key of an identity provider',
    body: KeyBody,
    idempotent: true,
    response: { status: 200, schema: KeySchema },
    errors: ['E0000001', 'E0000195'],
    handler: async ({ context, body }) => answer(await createKey(work, context, body)),
  });

const getRoute = ({ db }: IdentityProviderRoutesPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'getIdentityProviderKey',
    method: 'GET',
    url: single,
    summary: 'Retrieve a key of an identity provider',
    params: KeyIdParams,
    response: { status: 200, schema: KeySchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => answer(await getKey(db, context, params.kid)),
  });

const replaceRoute = ({ work }: IdentityProviderRoutesPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'replaceIdentityProviderKey',
    bodyLimit: BODY_LIMIT,
    method: 'PUT',
    url: single,
    summary: 'Replace a key of an identity provider',
    params: KeyIdParams,
    body: KeyBody,
    response: { status: 200, schema: KeySchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params, body }) => answer(await replaceKey(work, context, params.kid, body)),
  });

const deleteRoute = ({ work }: IdentityProviderRoutesPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'deleteIdentityProviderKey',
    method: 'DELETE',
    url: single,
    summary: 'Delete a key of an identity provider',
    params: KeyIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await deleteKey(work, context, params.kid);
      return noContent();
    },
  });

export const keyRoutes = (ports: IdentityProviderRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  getRoute(ports),
  replaceRoute(ports),
  deleteRoute(ports),
];
