import type { Context } from '../../../kernel/context.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import { type Answer, type AnyRoute, noContent, ok, route, versioned } from '../../../platform/http/index.ts';
import { AppIdParams } from '../contract.ts';
import type { CredentialAction } from '../credentials/client-credential-lifecycle.ts';
import type { AppRoutesPorts } from '../route-ports.ts';
import { changeSecretStatus } from './change-secret-status.ts';
import { createSecret, type NewSecret } from './create-secret.ts';
import { deleteSecret } from './delete-secret.ts';
import { getSecret, listSecrets, type ReadSecret } from './get-secret.ts';
import { SecretBody, SecretIdParams, SecretListSchema, SecretSchema } from './secret-contract.ts';
import { secretVersion } from './secret-stored.ts';
import { wireSecret } from './secret-wire.ts';

const common = {
  tag: 'ApplicationSSOPublicKeys',
  access: 'authenticated',
  bucket: 'management',
  cors: false,
  appliesGrant: true,
} as const;
const reading = { ...common, scopes: ['apps.read'], permission: 'apps.read' } as const;
const managing = { ...common, scopes: ['apps.manage'], permission: 'apps.manage' } as const;
const collection = '/api/v1/apps/:appId/credentials/secrets';
const single = `${collection}/:secretId`;

const answer = (
  { masterKey }: AppRoutesPorts,
  read: ReadSecret,
  appId: AppId,
  context: Context,
  status: 200 | 201 = 200,
): Answer => versioned(secretVersion(read.secret), wireSecret(masterKey, read, appId, context), status);

const listRoute = (ports: AppRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listOAuth2ClientSecrets',
    method: 'GET',
    url: collection,
    summary: 'List all OAuth 2.0 client secrets',
    params: AppIdParams,
    response: { status: 200, schema: SecretListSchema },
    errors: ['E0000007'],
    handler: async ({ context, grant, params: { appId } }) => {
      const secrets = await listSecrets(ports, context, grant, appId);
      return ok(secrets.map((secret) => wireSecret(ports.masterKey, secret, appId, context)));
    },
  });

const createRoute = (ports: AppRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'createOAuth2ClientSecret',
    method: 'POST',
    url: collection,
    summary: 'Create an OAuth 2.0 client secret',
    params: AppIdParams,
    body: SecretBody,
    bodyOptional: true,
    response: { status: 201, schema: SecretSchema },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    handler: async ({ context, grant, params: { appId }, body }) => {
      const wanted: NewSecret | undefined = body;
      const made = await createSecret(ports, context, grant, appId, wanted ?? {});
      return answer(ports, made, appId, context, 201);
    },
  });

const getRoute = (ports: AppRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getOAuth2ClientSecret',
    method: 'GET',
    url: single,
    summary: 'Retrieve an OAuth 2.0 client secret',
    params: SecretIdParams,
    response: { status: 200, schema: SecretSchema },
    errors: ['E0000007'],
    handler: async ({ context, grant, params: { appId, secretId } }) =>
      answer(ports, await getSecret(ports, context, grant, appId, secretId), appId, context),
  });

const deleteRoute = ({ work }: AppRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'deleteOAuth2ClientSecret',
    method: 'DELETE',
    url: single,
    summary: 'Delete an OAuth 2.0 client secret',
    params: SecretIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    conditional: true,
    handler: async ({ context, grant, params: { appId, secretId } }) => {
      await deleteSecret(work, context, grant, appId, secretId);
      return noContent();
    },
  });

const statusRoute = (ports: AppRoutesPorts, action: CredentialAction, operationId: string, summary: string) =>
  route({
    ...managing,
    operationId,
    method: 'POST',
    url: `${single}/lifecycle/${action}`,
    summary,
    params: SecretIdParams,
    response: { status: 200, schema: SecretSchema },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    conditional: true,
    handler: async ({ context, grant, params: { appId, secretId } }) => {
      const secret = await changeSecretStatus(ports.work, context, grant, appId, secretId, action);
      // The value is left out: reading it takes a request that is recorded as an event.
      return answer(ports, { secret, value: null }, appId, context);
    },
  });

export const secretRoutes = (ports: AppRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  getRoute(ports),
  deleteRoute(ports),
  statusRoute(ports, 'activate', 'activateOAuth2ClientSecret', 'Activate an OAuth 2.0 client secret'),
  statusRoute(ports, 'deactivate', 'deactivateOAuth2ClientSecret', 'Deactivate an OAuth 2.0 client secret'),
];
