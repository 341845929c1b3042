import type { HeldRole } from '../../kernel/words/held-role.ts';
import { mayActOn } from '../decide.ts';
import { coversApp, grantOf } from '../holders/grants.ts';
import type { Holder } from '../holders/holder-store.ts';
import { isAdmitted } from './maker.ts';

/** The approval of a client for tokens of absent administrators. */
export interface Approval {
  /** The roles that the approver held at the time. */
  readonly heldRoles: readonly HeldRole[];
  /** The approver's present state; null: the approver no longer exists. */
  readonly approver: Holder | null;
}

/** Tells whether the approver could approve this app now: they exist, are not shut out, and manage the app. */
export function isStanding({ approver }: Approval, app: { readonly id: string; readonly name: string }): boolean {
  if (approver === null || !isAdmitted(approver)) return false;
  const grant = grantOf(approver.roles, 'apps.manage');
  return grant !== null && coversApp(grant, app);
}

/**
 * Tells whether an approval counts for a user with these roles: the approver must hold everything that the roles amount
 * to, now and at the time of the approval. Rights that either of them gained since require a new approval.
 */
export const approvesFor = (
  approval: Approval,
  app: { readonly id: string; readonly name: string },
  roles: readonly HeldRole[],
): boolean =>
  isStanding(approval, app) && mayActOn(approval.heldRoles, roles) && mayActOn(approval.approver?.roles ?? [], roles);
