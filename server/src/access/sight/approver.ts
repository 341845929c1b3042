import type { HeldRole } from '../../kernel/words/held-role.ts';
import { mayActOn } from '../decide.ts';
import { coversApp, grantOf } from '../holders/grants.ts';
import type { Holder } from '../holders/holder-store.ts';
import { isAdmitted } from './maker.ts';

/** Somebody has said of a client that it may be given tokens for administrators who are not there. */
export interface Approval {
  /** The roles that the approver held when he said so. */
  readonly heldRoles: readonly HeldRole[];
  /** As he stands now; null: he is gone. */
  readonly approver: Holder | null;
}

/** Whether the approver could say so of this app now: he is there, is not shut out, and manages the app. */
export function isStanding({ approver }: Approval, app: { readonly id: string; readonly name: string }): boolean {
  if (approver === null || !isAdmitted(approver)) return false;
  const grant = grantOf(approver.roles, 'apps.manage');
  return grant !== null && coversApp(grant, app);
}

/**
 * Whether it counts for a user who holds these roles: the approver holds all that they come to, and did when he said
 * so. What either of them gained since is asked anew.
 */
export const approvesFor = (
  approval: Approval,
  app: { readonly id: string; readonly name: string },
  roles: readonly HeldRole[],
): boolean =>
  isStanding(approval, app) && mayActOn(approval.heldRoles, roles) && mayActOn(approval.approver?.roles ?? [], roles);
