import { type AnyRoute, resourceRoutes } from '../../../platform/http/index.ts';
import { AppIdParams } from '../contract.ts';
import type { AppRoutesPorts } from '../route-ports.ts';
import { changeSecretStatus } from './change-secret-status.ts';
import { createSecret, type NewSecret } from './create-secret.ts';
import { deleteSecret } from './delete-secret.ts';
import { getSecret, listSecrets, type ReadSecret } from './get-secret.ts';
import { SecretBody, SecretIdParams, SecretListSchema, SecretSchema } from './secret-contract.ts';
import { secretVersion } from './secret-stored.ts';
import { wireSecret } from './secret-wire.ts';

const resourceOf = ({ masterKey }: AppRoutesPorts) =>
  resourceRoutes({
    tag: 'ApplicationSSOPublicKeys',
    name: 'OAuth2ClientSecret',
    one: 'an OAuth 2.0 client secret',
    all: 'all OAuth 2.0 client secrets',
    scope: 'apps',
    appliesGrant: true,
    url: '/api/v1/apps/:appId/credentials/secrets/:secretId',
    of: AppIdParams,
    params: SecretIdParams,
    schema: SecretSchema,
    wire: (read: ReadSecret, context, { params }) => wireSecret(masterKey, read, params.appId, context),
    version: ({ secret }) => secretVersion(secret),
  });

export function secretRoutes(ports: AppRoutesPorts): AnyRoute[] {
  const secrets = resourceOf(ports);
  return [
    secrets.list({
      schema: SecretListSchema,
      use: ({ context, grant, params }) => listSecrets(ports, context, grant, params.appId),
    }),
    secrets.create({
      body: SecretBody,
      bodyOptional: true,
      status: 201,
      errors: ['E0000006'],
      idempotent: false,
      use: ({ context, grant, params, body }) => {
        const wanted: NewSecret | undefined = body;
        return createSecret(ports, context, grant, params.appId, wanted ?? {});
      },
    }),
    secrets.get({
      use: ({ context, grant, params }) => getSecret(ports, context, grant, params.appId, params.secretId),
    }),
    secrets.delete({
      errors: ['E0000001', 'E0000006'],
      use: ({ context, grant, params }) => deleteSecret(ports.work, context, grant, params.appId, params.secretId),
    }),
    ...secrets.lifecycle({
      errors: ['E0000001', 'E0000006'],
      use: async ({ context, grant, params: { appId, secretId } }, action) => {
        const secret = await changeSecretStatus(ports.work, context, grant, appId, secretId, action);
        // An event must be recorded whenever the value is shown, so this response omits the value.
        return { secret, value: null };
      },
    }),
  ];
}
