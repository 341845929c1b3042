import type { Context } from '../../../kernel/context.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import { type Answer, type AnyRoute, noContent, ok, route, versioned } from '../../../platform/http/index.ts';
import { AppIdParams } from '../contract.ts';
import type { CredentialAction } from '../credentials/client-credential-lifecycle.ts';
import type { AppRoutesPorts } from '../route-ports.ts';
import { addClientKey } from './add-jwk.ts';
import { changeKeyStatus } from './change-jwk-status.ts';
import { deleteKey } from './delete-jwk.ts';
import { getKey, listKeys } from './get-jwk.ts';
import { JwkBody, JwkListSchema, JwkSchema, KeyIdParams } from './jwk-contract.ts';
import { jwkVersion, type StoredKey } from './jwk-stored.ts';
import { wireJwk } from './jwk-wire.ts';

const common = {
  tag: 'ApplicationSSOPublicKeys',
  access: 'authenticated',
  bucket: 'management',
  cors: false,
  appliesGrant: true,
} as const;
const reading = { ...common, scopes: ['apps.read'], permission: 'apps.read' } as const;
const managing = { ...common, scopes: ['apps.manage'], permission: 'apps.manage' } as const;
const collection = '/api/v1/apps/:appId/credentials/jwks';
const single = `${collection}/:keyId`;

const answer = (key: StoredKey, appId: AppId, context: Context, status: 200 | 201 = 200): Answer =>
  versioned(jwkVersion(key), wireJwk(key, appId, context), status);

const listRoute = ({ db }: AppRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listJwk',
    method: 'GET',
    url: collection,
    summary: 'List all the OAuth 2.0 client JSON Web Keys',
    params: AppIdParams,
    response: { status: 200, schema: JwkListSchema },
    errors: ['E0000007'],
    handler: async ({ context, grant, params: { appId } }) =>
      ok((await listKeys(db, context, grant, appId)).map((key) => wireJwk(key, appId, context))),
  });

const addRoute = ({ work }: AppRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'addJwk',
    method: 'POST',
    url: collection,
    summary: 'Add a JSON Web Key',
    params: AppIdParams,
    body: JwkBody,
    response: { status: 201, schema: JwkSchema },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    handler: async ({ context, grant, params: { appId }, body }) =>
      answer(await addClientKey(work, context, grant, appId, body), appId, context, 201),
  });

const getRoute = ({ db }: AppRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getJwk',
    method: 'GET',
    url: single,
    summary: 'Retrieve an OAuth 2.0 client JSON Web Key',
    params: KeyIdParams,
    response: { status: 200, schema: JwkSchema },
    errors: ['E0000007'],
    handler: async ({ context, grant, params: { appId, keyId } }) =>
      answer(await getKey(db, context, grant, appId, keyId), appId, context),
  });

const deleteRoute = ({ work }: AppRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'deletejwk',
    method: 'DELETE',
    url: single,
    summary: 'Delete an OAuth 2.0 client JSON Web Key',
    params: KeyIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    conditional: true,
    handler: async ({ context, grant, params: { appId, keyId } }) => {
      await deleteKey(work, context, grant, appId, keyId);
      return noContent();
    },
  });

const statusRoute = ({ work }: AppRoutesPorts, action: CredentialAction, operationId: string, summary: string) =>
  route({
    ...managing,
    operationId,
    method: 'POST',
    url: `${single}/lifecycle/${action}`,
    summary,
    params: KeyIdParams,
    response: { status: 200, schema: JwkSchema },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    conditional: true,
    handler: async ({ context, grant, params: { appId, keyId } }) =>
      answer(await changeKeyStatus(work, context, grant, appId, keyId, action), appId, context),
  });

export const jwkRoutes = (ports: AppRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  addRoute(ports),
  getRoute(ports),
  deleteRoute(ports),
  statusRoute(ports, 'activate', 'activateOAuth2ClientJsonWebKey', 'Activate an OAuth 2.0 client JSON Web Key'),
  statusRoute(ports, 'deactivate', 'deactivateOAuth2ClientJsonWebKey', 'Deactivate an OAuth 2.0 client JSON Web Key'),
];
