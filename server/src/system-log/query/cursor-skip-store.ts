import type { OrgId } from '../../kernel/words/ids.ts';
import { boundOf, findFirstSealed } from '../ledger/sealed/find-sealed.ts';
import { type Connections, rowsOf } from '../relay/connections.ts';

/**
 * Finds the first event that follows a cursor and was persisted at `persistedFrom` or later. Returns its position, or
 * the position after the head if there is no such event.
 */
export function findFirstWithin(
  connections: Connections,
  orgId: OrgId,
  position: number,
  persistedFrom: Date,
): Promise<number> {
  return connections.withConnection(async (connection) => {
    const [row] = await rowsOf<{ position: string | number | null }>(
      connection,
      `select coalesce(
         (select position from log_unsealed
          where org_id = $1 and position > $2::bigint and persisted_at >= $3::timestamptz order by position limit 1),
         (select position + 1 from log_heads where org_id = $1)
       ) as position`,
      [orgId, position, persistedFrom.toISOString()],
    );
    const first = Number(row?.position ?? position + 1);
    const sealed = await findFirstSealed(connection, orgId, position, boundOf(persistedFrom));
    return sealed === null ? first : Math.min(first, sealed.position);
  });
}
