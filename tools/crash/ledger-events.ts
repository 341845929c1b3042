import type { OrgId } from '../../server/src/kernel/words/ids.ts';
import type { Pool } from '../../server/src/platform/postgres/index.ts';
import { connectionsOver } from '../../server/src/system-log/index.ts';
import { findLedgerRows, type LedgerRow } from '../../server/src/system-log/ledger/ledger-pages-store.ts';

const PAGE = { upTo: Number.MAX_SAFE_INTEGER, limit: 5_000, maximumBytes: 64_000_000 };

/** Returns all events of the logs of all orgs, be they rows or sealed. */
export function ledgerEvents(pool: Pick<Pool, 'connect' | 'query'>): Promise<LedgerRow[]> {
  return connectionsOver(pool).withConnection(async (connection) => {
    const events: LedgerRow[] = [];
    const { rows: heads } = await connection.query('select org_id as "orgId" from log_heads');
    for (const { orgId } of heads as readonly { readonly orgId: OrgId }[]) {
      for (let after = 0, isOver = false; !isOver; ) {
        const page = await findLedgerRows(connection, orgId, { ...PAGE, after });
        events.push(...page);
        after = page.at(-1)?.position ?? after;
        isOver = page.length === 0;
      }
    }
    return events;
  });
}
