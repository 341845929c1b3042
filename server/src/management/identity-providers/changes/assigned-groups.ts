import { rolesOfHolder } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import type { Problem } from '../../../kernel/errors/problems.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { lockGroup } from '../../groups/index.ts';
import type { ProviderDocument } from '../documents/document-contract.ts';

/**
 * Locks the groups to which the provider assigns its users. A group that gives administrator roles is refused, because
 * the provider could otherwise grant these roles.
 */
export async function lockAssignedGroups(tx: Tx, context: Context, { policy }: ProviderDocument): Promise<void> {
  for (const groupId of [...new Set(policy.provisioning.groups.assignments)].toSorted()) {
    await lockGroup(tx, context.orgId, groupId);
    if ((await rolesOfHolder(tx, context.orgId, groupId)).length > 0) {
      const problem: Problem = `The group ${groupId} gives its members administrator roles, which no provider may do.`;
      throw invalid('policy.provisioning.groups.assignments', problem);
    }
  }
}
