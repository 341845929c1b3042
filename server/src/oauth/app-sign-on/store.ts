import type { ClientId, OrgId } from '../../kernel/words/ids.ts';
import { assignedSinceOf } from '../../management/app-assignments/index.ts';
import { ACCESS_POLICY_OF_APP } from '../../management/apps/index.ts';
import { type Db, prepared } from '../../platform/postgres/index.ts';

export interface HoldingFacts {
  /** The start of the user's uninterrupted access to the app, by the database's clock; null if there is none. */
  readonly since: Date | null;
  /** The access policy that was assigned to the app; null when there is none. */
  readonly accessPolicyId: string | null;
  /** This is null if the user or the app does not exist. */
  readonly userTypeId: string | null;
}

const NO_APP: HoldingFacts = { since: null, accessPolicyId: null, userTypeId: null };

export async function findHoldingFacts(
  db: Db,
  orgId: OrgId,
  clientId: ClientId,
  userId: string,
): Promise<HoldingFacts> {
  const text = `select ${assignedSinceOf('$3')} as since, ${ACCESS_POLICY_OF_APP} as "accessPolicyId",
    (select u.type_id from users u where u.org_id = $1 and u.id = $3) as "userTypeId"
    from apps a where a.org_id = $1 and a.client_id = $2`;
  const [row] = await prepared<HoldingFacts>(db, 'app_holding_facts', text, [orgId, clientId, userId]);
  return row ?? NO_APP;
}
