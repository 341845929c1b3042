import type { Context } from '../../../kernel/context.ts';
import { type Answer, type AnyRoute, noContent, page, route, text, versioned } from '../../../platform/http/index.ts';
import { ScopeBody, ScopeListSchema, ScopeParams, ScopeSchema, ServerParams } from '../contract.ts';
import { type Found, getScope } from '../guards.ts';
import type { AuthorizationServersPorts } from '../ports.ts';
import { managing, pageFields, pageOf, reading, serverSingle } from '../route-declarations.ts';
import { listScopes } from '../servers/list-servers.ts';
import { scopeVersion, wireScope } from '../wire.ts';
import { createScope, deleteScope, replaceScope } from './change-scope.ts';
import type { ServerScope } from './scope-store.ts';

const tag = 'AuthorizationServerScopes';
const collection = `${serverSingle}/scopes`;
const single = `${collection}/:scopeId`;

const placeOf = ({ authServerId, scopeId }: { readonly authServerId: string; readonly scopeId: string }) => ({
  authServerId,
  id: scopeId,
});

const shown = ({ part, server }: Found<ServerScope>, context: Context, status: 200 | 201 = 200): Answer =>
  versioned(scopeVersion(part), wireScope(server, part, context), status);

const listRoute = (ports: AuthorizationServersPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'listOAuth2Scopes',
    method: 'GET',
    url: collection,
    summary: 'List all scopes of an authorization server',
    params: ServerParams,
    query: {
      q: text('Scopes whose name holds this, whatever its case.', 255),
      filter: text('Filter expression on name, displayName, consent, metadataPublish and the flags.', 8_192),
      ...pageFields(200),
    },
    response: { status: 200, schema: ScopeListSchema },
    errors: ['E0000001', 'E0000007', 'E0000031', 'E0000037', 'E0000053'],
    handler: async ({ context, params, query, rawQuery }) => {
      const asked = pageOf(query, rawQuery);
      const { rows, links, server } = await listScopes(ports, context, params.authServerId, query, asked);
      return page(
        rows.map((scope) => wireScope(server, scope, context)),
        links,
      );
    },
  });

const createRoute = ({ work }: AuthorizationServersPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'createOAuth2Scope',
    method: 'POST',
    url: collection,
    summary: 'Create a scope',
    params: ServerParams,
    body: ScopeBody,
    idempotent: true,
    response: { status: 201, schema: ScopeSchema },
    errors: ['E0000001', 'E0000007', 'E0000195'],
    handler: async ({ context, params, body }) =>
      shown(await createScope(work, context, params.authServerId, body), context, 201),
  });

const getRoute = ({ db }: AuthorizationServersPorts): AnyRoute =>
  route({
    ...reading,
    tag,
    operationId: 'getOAuth2Scope',
    method: 'GET',
    url: single,
    summary: 'Retrieve a scope',
    params: ScopeParams,
    response: { status: 200, schema: ScopeSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => shown(await getScope(db, context, placeOf(params)), context),
  });

const replaceRoute = ({ work }: AuthorizationServersPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'replaceOAuth2Scope',
    method: 'PUT',
    url: single,
    summary: 'Replace a scope',
    params: ScopeParams,
    body: ScopeBody,
    response: { status: 200, schema: ScopeSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params, body }) =>
      shown(await replaceScope(work, context, placeOf(params), body), context),
  });

const deleteRoute = ({ work }: AuthorizationServersPorts): AnyRoute =>
  route({
    ...managing,
    tag,
    operationId: 'deleteOAuth2Scope',
    method: 'DELETE',
    url: single,
    summary: 'Delete a scope',
    params: ScopeParams,
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await deleteScope(work, context, placeOf(params));
      return noContent();
    },
  });

export const scopeRoutes = (ports: AuthorizationServersPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  getRoute(ports),
  replaceRoute(ports),
  deleteRoute(ports),
];
