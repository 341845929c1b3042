import type { OrgId } from '../../kernel/ids.ts';
import { prepared, type Tx } from '../../platform/postgres/index.ts';

/** Notes that a session, which is locked, has signed its user in to an app. */
export async function insertSessionClient(
  tx: Tx,
  orgId: OrgId,
  given: {
    readonly sessionExternalId: string;
    readonly clientId: string;
    readonly serverId: string;
    readonly createdAt: Date;
  },
): Promise<void> {
  const text = `insert into session_clients (org_id, session_external_id, client_id, server_id, created_at)
    values ($1, $2, $3, $4, $5) on conflict (org_id, session_external_id, client_id, server_id) do nothing`;
  const { clientId, createdAt, serverId, sessionExternalId } = given;
  await prepared(tx, 'session_client_insert', text, [orgId, sessionExternalId, clientId, serverId, createdAt]);
}
