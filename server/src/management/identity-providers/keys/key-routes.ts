import { type AnyRoute, paging, resourceRoutes } from '../../../platform/http/index.ts';
import type { IdentityProviderRoutesPorts } from '../route-ports.ts';
import { createKey, deleteKey, getKey, replaceKey } from './change-keys.ts';
import { KeyBody, KeyIdParams, KeyListSchema, KeySchema } from './key-contract.ts';
import { keyVersion, wireKey } from './key-wire.ts';
import { listKeys } from './list-keys.ts';

const BODY_LIMIT = {
  bytes: 262_144,
  reason: 'Up to ten certificates of 20,000 characters.',
};

const keys = resourceRoutes({
  tag: 'IdentityProviderKeys',
  name: 'IdentityProviderKey',
  one: 'a key of an identity provider',
  all: 'all keys of identity providers',
  scope: 'idps',
  url: '/api/v1/idps/credentials/keys/:kid',
  params: KeyIdParams,
  schema: KeySchema,
  wire: wireKey,
  version: keyVersion,
});

export const keyRoutes = (ports: IdentityProviderRoutesPorts): AnyRoute[] => [
  keys.list({
    query: paging({ default: 20, maximum: 200 }),
    schema: KeyListSchema,
    use: ({ context, query, rawQuery }) => listKeys(ports, context, query, rawQuery),
  }),
  keys.create({
    body: KeyBody,
    bodyLimit: BODY_LIMIT,
    use: ({ context, body }) => createKey(ports.work, context, body),
  }),
  keys.get({
    use: ({ context, params }) => getKey(ports.db, context, params.kid),
  }),
  keys.replace({
    body: KeyBody,
    bodyLimit: BODY_LIMIT,
    use: ({ context, params, body }) => replaceKey(ports.work, context, params.kid, body),
  }),
  keys.delete({
    errors: ['E0000001'],
    use: ({ context, params }) => deleteKey(ports.work, context, params.kid),
  }),
];
