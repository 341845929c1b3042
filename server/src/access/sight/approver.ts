import type { HeldRole } from '../../kernel/words/held-role.ts';
import { mayActOn } from '../decide.ts';
import { coversApp, grantOf } from '../holders/grants.ts';
import type { Holder } from '../holders/holder-store.ts';
import { isAdmitted } from './maker.ts';

export interface Approval {
  readonly heldRoles: readonly HeldRole[];
  readonly approver: Holder | null;
}

/** Tells whether the approver exists, may still use the service, and still manages the app. */
export function isStanding({ approver }: Approval, app: { readonly id: string; readonly name: string }): boolean {
  if (approver === null || !isAdmitted(approver)) return false;
  const grant = grantOf(approver.roles, 'apps.manage');
  return grant !== null && coversApp(grant, app);
}

/**
 * Tells whether an approval stands and counts for a user with these roles. The approver must have held every permission
 * of these roles when approving, and must hold them all now.
 */
export const approvesFor = (
  approval: Approval,
  app: { readonly id: string; readonly name: string },
  roles: readonly HeldRole[],
): boolean =>
  isStanding(approval, app) && mayActOn(approval.heldRoles, roles) && mayActOn(approval.approver?.roles ?? [], roles);
