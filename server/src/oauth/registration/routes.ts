import type { Context } from '../../kernel/context.ts';
import { oauthError } from '../../kernel/errors/oauth-errors.ts';
import {
  type AppPorts,
  appIdOfClient,
  appVersion,
  deleteClient,
  getClient,
  isClientApp,
  listClients,
  type ShownApp,
} from '../../management/apps/index.ts';
import {
  type Answer,
  type AnyRoute,
  cursor,
  limit,
  noContent,
  page,
  route,
  text,
  versioned,
} from '../../platform/http/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import { ClientIdParams, ClientListSchema, ClientMetadataBody, ClientSchema } from './contract.ts';
import { registerClient, renewRegisteredSecret, replaceRegistered } from './register-client.ts';
import { wireClient } from './wire.ts';

const BODY_LIMIT = {
  bytes: 1_048_576,
  reason: 'Two lists of up to 500 addresses of 1,024 characters.',
};

export interface RegistrationRoutesPorts extends AppPorts, Pick<Foundation, 'db' | 'cursors'> {}

const common = {
  tag: 'Client',
  access: 'authenticated',
  bucket: 'clients',
  cors: false,
  appliesGrant: true,
} as const;
/** With this shape, faults in a request are reported as errors of RFC 7591. */
const judging = { errorShape: 'registration' } as const;
const reading = { ...common, scopes: ['clients.read'], permission: 'apps.read' } as const;
const managing = { ...common, scopes: ['clients.manage'], permission: 'apps.manage' } as const;
const collection = '/oauth2/v1/clients';
const single = `${collection}/:clientId`;

/** Registration responses may contain secrets (RFC 7591 3.2.1). */
const UNCACHED = { 'cache-control': 'no-store', pragma: 'no-cache' };

function wire(shown: ShownApp, { namespace }: Context): Record<string, unknown> {
  if (!isClientApp(shown.app)) throw oauthError('invalidClientMetadata');
  return wireClient(shown.app, shown, namespace);
}

const answer = (shown: ShownApp, context: Context): Answer => ({
  ...versioned(appVersion(shown.app), wire(shown, context)),
  headers: UNCACHED,
});

const listRoute = (ports: RegistrationRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listClients',
    method: 'GET',
    url: collection,
    summary: 'List all client applications',
    query: {
      q: text('Lists only clients whose name starts with this text.', 255),
      limit: limit({ default: 20, maximum: 200 }),
      after: cursor('The cursor of the next page, from a `next` link.'),
    },
    response: { status: 200, schema: ClientListSchema },
    errors: ['E0000001', 'E0000037'],
    handler: async ({ context, grant, query, rawQuery }) => {
      const { links, rows } = await listClients(ports, context, grant, query, rawQuery);
      return page(
        rows.map((shown) => wire(shown, context)),
        links,
      );
    },
  });

const createRoute = (ports: RegistrationRoutesPorts): AnyRoute =>
  route({
    ...common,
    ...judging,
    operationId: 'createClient',
    bodyLimit: BODY_LIMIT,
    method: 'POST',
    url: collection,
    summary: 'Register a client app',
    scopes: ['clients.register'],
    permission: 'apps.manage',
    body: ClientMetadataBody,
    idempotent: true,
    response: { status: 201, schema: ClientSchema },
    errors: ['E0000001', 'E0000006', 'E0000195'],
    handler: async ({ body, context, grant }) => ({
      ...answer(await registerClient(ports, context, grant, body), context),
      status: 201,
    }),
  });

const getRoute = (ports: RegistrationRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getClient',
    method: 'GET',
    url: single,
    summary: 'Retrieve a client app',
    cors: true,
    params: ClientIdParams,
    response: { status: 200, schema: ClientSchema },
    errors: ['E0000006', 'E0000007'],
    handler: async ({ context, grant, params }) =>
      answer(await getClient(ports, context, grant, await appIdOfClient(ports.db, context, params.clientId)), context),
  });

const replaceRoute = (ports: RegistrationRoutesPorts): AnyRoute =>
  route({
    ...managing,
    ...judging,
    operationId: 'replaceClient',
    bodyLimit: BODY_LIMIT,
    method: 'PUT',
    url: single,
    summary: 'Replace a client app',
    params: ClientIdParams,
    body: ClientMetadataBody,
    conditional: true,
    response: { status: 200, schema: ClientSchema },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    handler: async ({ body, context, grant, params }) =>
      answer(await replaceRegistered(ports, context, grant, params.clientId, body), context),
  });

const deleteRoute = ({ db, work }: RegistrationRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'deleteClient',
    method: 'DELETE',
    url: single,
    summary: 'Delete a client app',
    params: ClientIdParams,
    conditional: true,
    response: { status: 204, schema: null },
    errors: ['E0000006', 'E0000007'],
    handler: async ({ context, grant, params }) => {
      await deleteClient(work, context, grant, await appIdOfClient(db, context, params.clientId));
      return noContent();
    },
  });

const secretRoute = (ports: RegistrationRoutesPorts): AnyRoute =>
  route({
    ...managing,
    ...judging,
    operationId: 'generateNewClientSecret',
    method: 'POST',
    url: `${single}/lifecycle/newSecret`,
    summary: 'Generate a new client secret',
    params: ClientIdParams,
    response: { status: 200, schema: ClientSchema },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    handler: async ({ context, grant, params }) =>
      answer(await renewRegisteredSecret(ports, context, grant, params.clientId), context),
  });

/** Defines the routes of dynamic client registration (RFC 7591) and management (RFC 7592). */
export const registrationRoutes = (ports: RegistrationRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  getRoute(ports),
  replaceRoute(ports),
  deleteRoute(ports),
  secretRoute(ports),
];
