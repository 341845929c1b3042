import { type Context, userIdOf } from '../../kernel/context.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { admits } from '../admission.ts';
import { decide, mayActOn } from '../decide.ts';
import { coversUser } from '../holders/grant-store.ts';
import { rolesOfHolder } from '../holders/held-roles-store.ts';
import { findHolder, type Holder } from '../holders/holder-store.ts';
import type { Permission } from '../permissions.ts';

/**
 * `SELF` is the user, or an anonymous caller who requested an email to the user. `SERVICE` is the service itself.
 */
export type LinkMaker =
  | { readonly type: 'SELF' | 'SERVICE' }
  | { readonly type: 'USER' | 'CLIENT'; readonly id: string; readonly permission: Permission };

/** Returns the caller as the maker of a link for a user. Making a link for another user requires `permission`. */
export function linkMakerOf({ principal }: Context, userId: string, permission: Permission): LinkMaker {
  if (principal.kind === 'system') return { type: 'SERVICE' };
  if (principal.kind === 'oauthClient') return { type: 'CLIENT', id: principal.clientId, permission };
  const id = userIdOf(principal);
  return id === null || id === userId ? { type: 'SELF' } : { type: 'USER', id, permission };
}

export const isAdmitted = ({ applicationType, status }: Holder): boolean =>
  applicationType === null
    ? admits('useSession', { user: { status } }) === null
    : admits('useClientToken', { client: { status, applicationType } }) === null;

/**
 * Tells whether the maker of a link for a user may still make such a link. Returns false if `maker` is null, as for
 * links that an older version created.
 */
export async function mayStillMake(db: Db, orgId: OrgId, maker: LinkMaker | null, userId: string): Promise<boolean> {
  if (maker === null) return false;
  if (!('id' in maker)) return true;
  const holder = await findHolder(db, orgId, maker.id);
  if (holder === undefined || !isAdmitted(holder)) return false;
  const grant = decide({ userId: null, roles: holder.roles }, maker.permission);
  if (grant === null || !(await coversUser(db, orgId, grant, userId))) return false;
  return mayActOn(holder.roles, await rolesOfHolder(db, orgId, userId));
}
