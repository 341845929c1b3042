import { type AnyRoute, paging, resourceRoutes, text } from '../../../platform/http/index.ts';
import { ScopeBody, ScopeListSchema, ScopeParams, ScopeSchema, ServerParams } from '../contract.ts';
import { type Found, getScope } from '../guards.ts';
import type { AuthorizationServersPorts } from '../ports.ts';
import { foundIn, pageOf, serverUrl } from '../route-declarations.ts';
import { listScopes } from '../servers/list-servers.ts';
import { scopeVersion, wireScope } from '../wire.ts';
import { createScope, deleteScope, replaceScope } from './change-scope.ts';
import type { ServerScope } from './scope-store.ts';

const scopes = resourceRoutes({
  tag: 'AuthorizationServerScopes',
  name: 'OAuth2Scope',
  one: 'a scope',
  all: 'all scopes of an authorization server',
  scope: 'authorizationServers',
  url: `${serverUrl}/scopes/:scopeId`,
  of: ServerParams,
  params: ScopeParams,
  schema: ScopeSchema,
  wire: ({ part, server }: Found<ServerScope>, context) => wireScope(server, part, context),
  version: ({ part }) => scopeVersion(part),
});

const placeOf = ({ authServerId, scopeId }: { readonly authServerId: string; readonly scopeId: string }) => ({
  authServerId,
  id: scopeId,
});

export const scopeRoutes = (ports: AuthorizationServersPorts): AnyRoute[] => [
  scopes.list({
    query: {
      q: text('Lists only scopes whose name contains this text, in upper or lower case.', 255),
      filter: text(
        'A filter expression on name, displayName, consent, metadataPublish, system, default and optional.',
        8_192,
      ),
      ...paging({ default: 200, maximum: 200 }),
    },
    schema: ScopeListSchema,
    use: async ({ context, params, query, rawQuery }) =>
      foundIn(await listScopes(ports, context, params.authServerId, query, pageOf(query, rawQuery))),
  }),
  scopes.create({
    body: ScopeBody,
    status: 201,
    use: ({ context, params, body }) => createScope(ports.work, context, params.authServerId, body),
  }),
  scopes.get({
    use: ({ context, params }) => getScope(ports.db, context, placeOf(params)),
  }),
  scopes.replace({
    body: ScopeBody,
    use: ({ context, params, body }) => replaceScope(ports.work, context, placeOf(params), body),
  }),
  scopes.delete({
    errors: ['E0000001'],
    use: ({ context, params }) => deleteScope(ports.work, context, placeOf(params)),
  }),
];
