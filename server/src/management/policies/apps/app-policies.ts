import type { OrgId } from '../../../kernel/words/ids.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import { findDefaultsOf, lockPolicyForKeyShare, type Policy } from '../store.ts';

export const appPolicies = {
  /** An id is null if the org has no default policy of that type. */
  defaults: async (
    db: Db,
    orgId: OrgId,
  ): Promise<{ readonly accessPolicyId: string | null; readonly profileEnrollmentId: string | null }> => {
    const found = await findDefaultsOf(db, orgId, ['ACCESS_POLICY', 'PROFILE_ENROLLMENT']);
    return {
      accessPolicyId: found.get('ACCESS_POLICY') ?? null,
      profileEnrollmentId: found.get('PROFILE_ENROLLMENT') ?? null,
    };
  },
  /** Prevents the deletion of a policy until the transaction ends. */
  lock: (tx: Tx, orgId: OrgId, policyId: string): Promise<Pick<Policy, 'id' | 'type' | 'name'> | undefined> =>
    lockPolicyForKeyShare(tx, orgId, policyId),
};
