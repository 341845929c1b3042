import type { Context } from '../kernel/context.ts';
import { apiError } from '../kernel/errors/errors.ts';
import type { HeldRole, ResourceName } from '../kernel/words/held-role.ts';
import { mayActOn } from './decide.ts';
import { RESOURCE_KINDS } from './resource-kinds.ts';

/**
 * The one guard against climbing: 403 E0000006 unless the caller holds all that the roles come to, as far as that.
 * Asked before roles are given, taken, narrowed or widened, before somebody who holds them is changed, and before
 * somebody joins or leaves a group that holds them. The service itself may do everything.
 */
export function assertHolds(context: Pick<Context, 'principal' | 'roles'>, roles: readonly HeldRole[]): void {
  if (context.principal.kind === 'system' || mayActOn(context.roles, roles)) return;
  throw apiError('E0000006');
}

/** All resources that there are, as a custom role may be bound to them. */
export const EVERY_RESOURCE: readonly (ResourceName & { readonly excluded: readonly [] })[] = Object.entries(
  RESOURCE_KINDS,
)
  .filter(([, { as }]) => as === 'all')
  .map(([kind]) => ({ kind, key: null, excluded: [] }));
