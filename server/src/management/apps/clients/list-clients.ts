import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import { type Grant, type KeysetPage, keysetPage } from '../../../platform/http/index.ts';
import type { Foundation } from '../../../system-log/index.ts';
import { getApp } from '../lists/get-app.ts';
import { type ShownApp, type ShowPorts, showApp, showApps } from '../lists/show-apps.ts';
import { type App, isClientApp, readApps } from '../store.ts';

export interface ListClientsQuery {
  /** The prefix of the client names to find. */
  readonly q: string | undefined;
  readonly limit: number;
  readonly after: string | undefined;
}

interface Ports extends ShowPorts, Pick<Foundation, 'db' | 'cursors'> {}

export async function listClients(
  ports: Ports,
  context: Context,
  grant: Grant,
  { after, limit, q }: ListClientsQuery,
  rawQuery: readonly (readonly [string, string])[],
): Promise<KeysetPage<ShownApp>> {
  const { orgId } = context;
  const wanted = {
    q: null,
    label: q ?? null,
    signOnMode: 'OPENID_CONNECT',
    filter: null,
    assigned: new Map(),
  } as const;
  const { rows, links } = await keysetPage(
    ports.cursors,
    { orgId, list: 'listClients', limit, after, before: undefined, query: rawQuery },
    (app: App) => app.id,
    (request) => readApps(ports.db, orgId, grant, wanted, request),
  );
  return { rows: await showApps(ports, ports.db, context, rows), links };
}

export async function getClient(
  ports: Pick<Ports, keyof ShowPorts | 'db'>,
  context: Context,
  grant: Grant,
  id: AppId,
): Promise<ShownApp> {
  const app = await getApp(ports.db, context, grant, id);
  if (!isClientApp(app)) throw notFound(id, 'OAuth2AppInstance');
  return showApp(ports, ports.db, context, app);
}
