import { approvesFor, type Presence } from '../../../access/index.ts';
import type { ClientId, OrgId } from '../../../kernel/words/ids.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { type AbsenceFacts, findAbsenceFacts } from './approval-store.ts';

/** Users without roles need no approval, because they administer nothing. */
export function presenceOf({ app, approvals, roles }: AbsenceFacts): Presence {
  if (roles.length === 0) return 'APPROVED';
  return app !== null && approvals.some((approval) => approvesFor(approval, app, roles)) ? 'APPROVED' : 'UNAPPROVED';
}

export const findPresence = async (db: Db, orgId: OrgId, clientId: ClientId, userId: string): Promise<Presence> =>
  presenceOf(await findAbsenceFacts(db, orgId, clientId, userId));
