import { type AnyRoute, resourceRoutes } from '../../../platform/http/index.ts';
import { AppIdParams } from '../contract.ts';
import type { AppRoutesPorts } from '../route-ports.ts';
import { addClientKey } from './add-jwk.ts';
import { changeKeyStatus } from './change-jwk-status.ts';
import { deleteKey } from './delete-jwk.ts';
import { getKey, listKeys } from './get-jwk.ts';
import { JwkBody, JwkListSchema, JwkSchema, KeyIdParams } from './jwk-contract.ts';
import { jwkVersion, type StoredKey } from './jwk-stored.ts';
import { wireJwk } from './jwk-wire.ts';

const keys = resourceRoutes({
  tag: 'ApplicationSSOPublicKeys',
  name: 'OAuth2ClientJsonWebKey',
  one: 'an OAuth 2.0 client JSON Web Key',
  all: 'all the OAuth 2.0 client JSON Web Keys',
  scope: 'apps',
  appliesGrant: true,
  url: '/api/v1/apps/:appId/credentials/jwks/:keyId',
  of: AppIdParams,
  params: KeyIdParams,
  schema: JwkSchema,
  wire: (key: StoredKey, context, { params }) => wireJwk(key, params.appId, context),
  version: jwkVersion,
});

export const jwkRoutes = ({ db, work }: AppRoutesPorts): AnyRoute[] => [
  keys.list({
    operationId: 'listJwk',
    schema: JwkListSchema,
    use: ({ context, grant, params }) => listKeys(db, context, grant, params.appId),
  }),
  keys.create({
    operationId: 'addJwk',
    summary: 'Add a JSON Web Key',
    body: JwkBody,
    status: 201,
    errors: ['E0000006'],
    idempotent: false,
    use: ({ context, grant, params, body }) => addClientKey(work, context, grant, params.appId, body),
  }),
  keys.get({
    operationId: 'getJwk',
    use: ({ context, grant, params }) => getKey(db, context, grant, params.appId, params.keyId),
  }),
  keys.delete({
    operationId: 'deletejwk',
    errors: ['E0000001', 'E0000006'],
    use: ({ context, grant, params }) => deleteKey(work, context, grant, params.appId, params.keyId),
  }),
  ...keys.lifecycle({
    errors: ['E0000001', 'E0000006'],
    use: ({ context, grant, params }, action) =>
      changeKeyStatus(work, context, grant, params.appId, params.keyId, action),
  }),
];
