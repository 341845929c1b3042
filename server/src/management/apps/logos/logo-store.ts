import type { AppId, ClientId, OrgId } from '../../../kernel/words/ids.ts';
import { type Db, prepared, run, type Tx } from '../../../platform/postgres/index.ts';
import type { ShownLogo } from './logo-address.ts';

export interface Logo extends ShownLogo {
  readonly content: Buffer;
}

export async function findLogosOf(
  db: Db,
  orgId: OrgId,
  appIds: readonly AppId[],
): Promise<ReadonlyMap<AppId, ShownLogo>> {
  const text = `select app_id as "appId", id, media_type as "mediaType" from app_logos
    where org_id = $1 and app_id = any($2)`;
  const rows = await run<ShownLogo & { readonly appId: AppId }>(db, text, [orgId, appIds]);
  return new Map(rows.map(({ appId, ...logo }) => [appId, logo]));
}

export async function findLogosOfClients(
  db: Db,
  orgId: OrgId,
  clientIds: readonly ClientId[],
): Promise<ReadonlyMap<ClientId, ShownLogo>> {
  const text = `select a.client_id as "clientId", l.id, l.media_type as "mediaType"
    from apps a join app_logos l on l.org_id = a.org_id and l.app_id = a.id
    where a.org_id = $1 and a.client_id = any($2)`;
  const rows = await run<ShownLogo & { readonly clientId: ClientId }>(db, text, [orgId, clientIds]);
  return new Map(rows.map(({ clientId, ...logo }) => [clientId, logo]));
}

export async function findLogo(db: Db, orgId: OrgId, id: string): Promise<Logo | undefined> {
  const text = `select id, media_type as "mediaType", content from app_logos where org_id = $1 and id = $2`;
  const [row] = await prepared<Logo>(db, 'app_logo', text, [orgId, id]);
  return row;
}

export async function setLogo(tx: Tx, orgId: OrgId, appId: AppId, logo: Logo, createdAt: Date): Promise<void> {
  const text = `insert into app_logos (org_id, app_id, id, media_type, content, created_at)
    values ($1, $2, $3, $4, $5, $6)
    on conflict (org_id, app_id) do update
      set id = excluded.id, media_type = excluded.media_type, content = excluded.content,
        created_at = excluded.created_at
      where app_logos.org_id = excluded.org_id`;
  await prepared(tx, 'app_logo_set', text, [orgId, appId, logo.id, logo.mediaType, logo.content, createdAt]);
}
