import type { OrgId } from '../../../kernel/words/ids.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import { findDefaultsOf, lockPolicyForKeyShare, type Policy } from '../store.ts';

/** Lookups of the apps slice: the policies that an app may be put under. */
export const appPolicies = {
  /** The policies of apps that were not put under any; null when the org has no such default. */
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
  /** Keeps a policy from being deleted until the transaction ends; undefined when the org has none of this id. */
  lock: (tx: Tx, orgId: OrgId, policyId: string): Promise<Pick<Policy, 'id' | 'type' | 'name'> | undefined> =>
    lockPolicyForKeyShare(tx, orgId, policyId),
};
