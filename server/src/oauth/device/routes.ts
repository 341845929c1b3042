import { type Answer, type AnyRoute, ok, route } from '../../platform/http/index.ts';
import { requirePresentedServer } from '../access-tokens/index.ts';
import type { ClientAuthenticator } from '../client-authentication/authenticate-client.ts';
import { authenticateSender, type SentForm } from '../client-authentication/authenticate-sender.ts';
import { errorOf } from '../client-authentication/refusal.ts';
import { endpointPaths, type ServerConfiguration } from '../custom-servers/index.ts';
import { AuthorizationServerIdParams } from '../keys/contract.ts';
import { INTERVAL_SECONDS } from '../pending-authorizations/index.ts';
import { POLLING_FLOWS } from '../user-interaction/index.ts';
import { DeviceAuthorizeForm, DeviceAuthorizeResponseSchema } from './contract.ts';
import { type DevicePagePorts, devicePageRoutes } from './page-routes.ts';
import { DEVICE_LIFETIME_SECONDS, type StartDevicePorts, startDevice } from './start-device.ts';

export interface DeviceRoutesPorts extends StartDevicePorts, DevicePagePorts {
  readonly clients: Pick<ClientAuthenticator, 'admitClient'>;
}

const common = {
  method: 'POST',
  access: 'public',
  scopes: [],
  bodyType: 'form',
  body: DeviceAuthorizeForm,
  response: { status: 200, schema: DeviceAuthorizeResponseSchema },
  errors: [],
  errorShape: 'oauth',
  bucket: 'oauth',
  cors: true,
} as const;

async function start(ports: DeviceRoutesPorts, input: SentForm, server: ServerConfiguration | null): Promise<Answer> {
  const { body, context } = input;
  const paths = server === null ? undefined : endpointPaths(server, 'device/authorize');
  const { client } = await authenticateSender(ports.clients, input, 'deviceAuthorize', paths);
  const started = await startDevice(ports, context, { client, server, form: body });
  if ('refused' in started) throw errorOf(started);
  const { deviceCode, userCode } = started;
  const address = context.baseUrl + POLLING_FLOWS.DEVICE.enter;
  const answer = {
    user_code: userCode,
    device_code: deviceCode,
    interval: INTERVAL_SECONDS,
    verification_uri_complete: `${address}?user_code=${userCode}`,
    verification_uri: address,
    expires_in: DEVICE_LIFETIME_SECONDS,
  };
  return ok(answer, { 'cache-control': 'no-store' });
}

/** Defines the routes for device authorization (RFC 8628). */
export const deviceRoutes = (ports: DeviceRoutesPorts): AnyRoute[] => [
  route({
    ...common,
    operationId: 'deviceAuthorize',
    url: '/oauth2/v1/device/authorize',
    summary: 'Start a device authorization',
    tag: 'OrgAS',
    handler: (input) => start(ports, input, null),
  }),
  route({
    ...common,
    operationId: 'deviceAuthorizeCustomAS',
    url: '/oauth2/:authorizationServerId/v1/device/authorize',
    summary: 'Start a device authorization at a custom authorization server',
    tag: 'CustomAS',
    params: AuthorizationServerIdParams,
    handler: async (input) => {
      const server = await ports.servers.find(input.context.orgId, input.params.authorizationServerId);
      return start(ports, input, requirePresentedServer(server));
    },
  }),
  ...devicePageRoutes(ports),
];
