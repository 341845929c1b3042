import { readFilter } from '../../../filter/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { type KeysetPage, keysetPage } from '../../../platform/http/index.ts';
import { readClaims, type ServerClaim } from '../claims/claim-store.ts';
import { getPolicy, getServer } from '../guards.ts';
import { type PolicyQuery, readPolicies, type StoredPolicy } from '../policies/policy-store.ts';
import { wireServerPolicy } from '../policies/policy-wire.ts';
import type { AuthorizationServersPorts } from '../ports.ts';
import { readRules, type StoredRule } from '../rules/rule-store.ts';
import { readScopes, type ServerScope } from '../scopes/scope-store.ts';
import { type AuthorizationServer, readServers } from '../store.ts';
import { readAssociatedServers } from '../trust/trust-store.ts';
import { SCOPE_FIELDS } from './filter-fields.ts';

type Ports = Pick<AuthorizationServersPorts, 'db' | 'cursors'>;

export interface PageQuery {
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
  readonly raw: readonly (readonly [string, string])[];
}

export interface PartsPage<Part> extends KeysetPage<Part> {
  readonly server: AuthorizationServer;
}

const placeOf = (context: Context, list: string, { raw, ...page }: PageQuery) => ({
  orgId: context.orgId,
  list,
  ...page,
  query: raw,
});

const given = (text: string | undefined): string | null => (text === undefined || text === '' ? null : text);

export const listServers = (
  { cursors, db }: Ports,
  context: Context,
  q: string | undefined,
  page: PageQuery,
): Promise<KeysetPage<AuthorizationServer>> =>
  keysetPage(
    cursors,
    placeOf(context, 'listAuthorizationServers', page),
    (server: AuthorizationServer) => server.id,
    (request) => readServers(db, context.orgId, { q: given(q) }, request),
  );

export async function listAssociatedServers(
  { cursors, db }: Ports,
  context: Context,
  authServerId: string,
  wanted: { readonly trusted: boolean; readonly q: string | undefined },
  page: PageQuery,
): Promise<PartsPage<AuthorizationServer>> {
  const server = await getServer(db, context, authServerId);
  const query = { isTrusted: wanted.trusted, q: given(wanted.q) };
  const found = await keysetPage(
    cursors,
    placeOf(context, `listAssociatedServersByTrustedType ${server.id}`, page),
    (other: AuthorizationServer) => other.id,
    (request) => readAssociatedServers(db, context.orgId, server.id, query, request),
  );
  return { ...found, server };
}

export async function listScopes(
  { cursors, db }: Ports,
  context: Context,
  authServerId: string,
  wanted: { readonly q: string | undefined; readonly filter: string | undefined },
  page: PageQuery,
): Promise<PartsPage<ServerScope>> {
  const filter = given(wanted.filter);
  const query = { q: given(wanted.q), filter: filter === null ? null : readFilter(filter, SCOPE_FIELDS) };
  const server = await getServer(db, context, authServerId);
  const found = await keysetPage(
    cursors,
    placeOf(context, `listOAuth2Scopes ${server.id}`, page),
    (scope: ServerScope) => scope.id,
    (request) => readScopes(db, context.orgId, server.id, query, request),
  );
  return { ...found, server };
}

export async function listClaims(
  { cursors, db }: Ports,
  context: Context,
  authServerId: string,
  page: PageQuery,
): Promise<PartsPage<ServerClaim>> {
  const server = await getServer(db, context, authServerId);
  const found = await keysetPage(
    cursors,
    placeOf(context, `listOAuth2Claims ${server.id}`, page),
    (claim: ServerClaim) => claim.id,
    (request) => readClaims(db, context.orgId, server.id, request),
  );
  return { ...found, server };
}

export async function listServerPolicies(
  { cursors, db }: Ports,
  context: Context,
  authServerId: string,
  page: PageQuery,
  query: PolicyQuery = { status: null, q: null, sortBy: 'priority' },
): Promise<PartsPage<StoredPolicy>> {
  const server = await getServer(db, context, authServerId);
  const found = await keysetPage(
    cursors,
    placeOf(context, `listAuthorizationServerPolicies ${server.id}`, page),
    (policy: StoredPolicy): string | number => policy[query.sortBy],
    (request) => readPolicies(db, context.orgId, server.id, query, request),
  );
  return { ...found, server };
}

export async function listWireServerPolicies(
  ports: Ports,
  context: Context,
  authServerId: string,
  { q, sortBy, status, ...page }: PolicyQuery & PageQuery,
): Promise<KeysetPage<Record<string, unknown>>> {
  const query = { q, sortBy, status };
  const { links, rows, server } = await listServerPolicies(ports, context, authServerId, page, query);
  return { links, rows: rows.map((policy) => wireServerPolicy(server, policy, context)) };
}

export async function listServerRules(
  { cursors, db }: Ports,
  context: Context,
  { authServerId, policyId }: { readonly authServerId: string; readonly policyId: string },
  page: PageQuery,
): Promise<PartsPage<StoredRule>> {
  const { server } = await getPolicy(db, context, { authServerId, id: policyId });
  const found = await keysetPage(
    cursors,
    placeOf(context, `listAuthorizationServerPolicyRules ${policyId}`, page),
    (rule: StoredRule) => rule.priority,
    (request) => readRules(db, context.orgId, { serverId: server.id, policyId }, request),
  );
  return { ...found, server };
}
