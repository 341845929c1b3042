import type { Context } from '../kernel/context.ts';
import { apiError } from '../kernel/errors/errors.ts';
import type { HeldRole, ResourceName } from '../kernel/words/held-role.ts';
import { mayActOn } from './decide.ts';
import { RESOURCE_KINDS } from './resource-kinds.ts';

/**
 * Prevents privilege escalation: throws 403 E0000006 unless the caller holds every permission of the roles, with at
 * least the same reach. The service itself may do everything.
 */
export function assertHolds(context: Pick<Context, 'principal' | 'roles'>, roles: readonly HeldRole[]): void {
  if (context.principal.kind === 'system' || mayActOn(context.roles, roles)) return;
  throw apiError('E0000006');
}

/** The entries of a resource set that covers all resources of an org. */
export const EVERY_RESOURCE: readonly (ResourceName & { readonly excluded: readonly [] })[] = Object.entries(
  RESOURCE_KINDS,
)
  .filter(([, { as }]) => as === 'all')
  .map(([kind]) => ({ kind, key: null, excluded: [] }));
