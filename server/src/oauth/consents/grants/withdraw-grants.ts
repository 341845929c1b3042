import type { Context } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record } from '../../../system-log/index.ts';
import { markRevoked } from '../consent-store.ts';
import { revokeEventsOf, tokenRevokeEvent } from '../events.ts';
import { endTokensWith } from '../refresh-tokens/refresh-token-store.ts';
import { type GrantFilter, lockGrants } from './grant-store.ts';

/** Revokes grants, and ends the refresh tokens and unused codes that have scopes of these grants. */
export async function withdrawGrants(
  tx: Tx,
  record: Record,
  { now, orgId }: Pick<Context, 'now' | 'orgId'>,
  filter: GrantFilter,
): Promise<number> {
  const grants = await lockGrants(tx, orgId, filter);
  if (grants.length === 0) return 0;
  const withdrawn = grants.map(({ clientId, scopeName, serverId }) => ({ clientId, serverId, scope: scopeName }));
  const ended = await endTokensWith(tx, orgId, filter.userId, withdrawn);
  // This statement comes last and uses the database's clock, so that it covers access tokens issued until then.
  await markRevoked(
    tx,
    orgId,
    grants.map(({ id }) => id),
    wholeSecond(now),
  );
  for (const event of revokeEventsOf(grants)) record(event);
  for (const token of ended) {
    const grant = grants.find(({ clientId, serverId }) => clientId === token.clientId && serverId === token.serverId);
    if (grant !== undefined) record(tokenRevokeEvent({ ...grant, ...token }));
  }
  return grants.length;
}
