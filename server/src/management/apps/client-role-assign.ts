import { mayActOn, ROLES } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import { wholeSecond } from '../../kernel/dates.ts';
import { apiError } from '../../kernel/errors.ts';
import type { Work } from '../../system-log/index.ts';
import { newAssignmentId, readRoleType, roleChange } from '../roles/index.ts';
import { type ClientRoleAssignment, findClientRoles, insertClientRole } from './client-role-store.ts';
import { lockApp } from './lock-app.ts';
import { appTarget } from './target.ts';

/**
 * Grants a role to a client. 404 E0000007 unknown client, 400 E0000001 unknown role, 409 E0000090 when the client has
 * it, 403 E0000006 when the role or the client holds more than the caller.
 */
export function assignClientRole(
  work: Work,
  context: Context,
  clientId: string,
  type: string,
): Promise<ClientRoleAssignment> {
  const wanted = readRoleType(type);
  return work(context, async (tx, record) => {
    const app = await lockApp(tx, context, clientId);
    if (context.principal.kind !== 'system' && !mayActOn(context.roles, [wanted])) throw apiError('E0000006');
    const assignments = await findClientRoles(tx, context.orgId, clientId);
    if (assignments.some(({ roleType }) => roleType === wanted)) throw apiError('E0000090');
    const now = wholeSecond(context.now);
    const id = newAssignmentId(context, wanted);
    const assignment: ClientRoleAssignment = { id, clientId, roleType: wanted, createdAt: now, lastUpdatedAt: now };
    await insertClientRole(tx, context.orgId, assignment);
    const debugData = { privilegeGranted: ROLES[wanted].label, roleType: wanted };
    const changeDetails = roleChange(assignments, [...assignments, assignment]);
    const target = [{ ...appTarget(app), changeDetails }];
    record({ eventType: 'app.oauth2.client.privilege.grant', target, debugData });
    return assignment;
  });
}
