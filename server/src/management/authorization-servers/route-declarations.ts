import type { Context } from '../../kernel/context.ts';
import type { KeysetPage } from '../../platform/http/index.ts';
import type { Found } from './guards.ts';
import type { AuthorizationServersPorts, ServerSigning } from './ports.ts';
import type { PageQuery, PartsPage } from './servers/list-servers.ts';
import type { AuthorizationServer } from './store.ts';
import { wireServer } from './wire.ts';

export const serverUrl = '/api/v1/authorizationServers/:authServerId';

export const pageOf = ({ after, before, limit: rows }: Omit<PageQuery, 'raw'>, raw: PageQuery['raw']): PageQuery => ({
  limit: rows,
  after,
  before,
  raw,
});

export const foundIn = <Part>({ links, rows, server }: PartsPage<Part>): KeysetPage<Found<Part>> => ({
  links,
  rows: rows.map((part) => ({ part, server })),
});

export interface ShownServer {
  readonly server: AuthorizationServer;
  readonly signing: ServerSigning | undefined;
}

export const wireShownServer = ({ server, signing }: ShownServer, context: Context): Record<string, unknown> =>
  wireServer(server, context, signing);

export async function showServers(
  { signingOf }: AuthorizationServersPorts,
  context: Context,
  servers: readonly AuthorizationServer[],
): Promise<ShownServer[]> {
  const signing = await signingOf(context, servers);
  return servers.map((server) => ({ server, signing: signing.get(server.id) }));
}
