import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { findAuthorizationServer } from '../../../management/authorization-servers/index.ts';
import { getUser } from '../../../management/users/index.ts';
import { type Grant, type KeysetPage, keysetPage } from '../../../platform/http/index.ts';
import type { ConsentsPorts, PageQuery } from '../ports.ts';
import { type ListedClient, readClientsOfServer, readClientsOfUser } from './client-store.ts';

export async function listClientsOfUser(
  { cursors, db, users }: ConsentsPorts,
  context: Context,
  within: Grant,
  idOrLogin: string,
  { raw, ...page }: PageQuery,
): Promise<KeysetPage<ListedClient> & { readonly userId: string }> {
  const { now, orgId } = context;
  const { id: userId } = await getUser(users, context, within, idOrLogin);
  const found = await keysetPage(
    cursors,
    { orgId, list: `listUserClients ${userId}`, ...page, query: raw },
    (client: ListedClient) => client.appId,
    (request) => readClientsOfUser(db, orgId, userId, now, request),
  );
  return { ...found, userId };
}

export async function listClientsOfServer(
  { cursors, db }: ConsentsPorts,
  context: Context,
  idOrDefault: string,
  { raw, ...page }: PageQuery,
): Promise<KeysetPage<ListedClient> & { readonly address: string }> {
  const { now, orgId } = context;
  const server = await findAuthorizationServer(db, orgId, idOrDefault);
  if (server === null) throw notFound(idOrDefault, 'AuthorizationServer');
  const found = await keysetPage(
    cursors,
    { orgId, list: `listOAuth2ClientsForAuthorizationServer ${server.id}`, ...page, query: raw },
    (client: ListedClient) => client.appId,
    (request) => readClientsOfServer(db, orgId, server.id, now, request),
  );
  return { ...found, address: `/api/v1/authorizationServers/${server.isDefault ? 'default' : server.id}` };
}
